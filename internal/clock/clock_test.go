package clock_test

import (
	"context"
	"errors"
	"testing"
	"time"

	"github.com/tenantplane/terraform-provider-tenant/internal/clock"
)

func TestAVirtualClockMovesOnlyWhenToldTo(t *testing.T) {
	start := time.Date(2026, 11, 30, 0, 0, 0, 0, time.FixedZone("elsewhere", 3600))
	v := clock.NewVirtual(start)
	if !v.Now().Equal(start) || v.Now().Location() != time.UTC {
		t.Errorf("shows %s", v.Now())
	}
	if err := v.Sleep(t.Context(), time.Hour); err != nil {
		t.Fatal(err)
	}
	if got := v.Now().Sub(start); got != time.Hour {
		t.Errorf("an hour's sleep moved it by %s", got)
	}
}

func TestASleepEndsWithItsContext(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	for name, c := range map[string]clock.Clock{"system": clock.System{}, "virtual": clock.NewVirtual(time.Now())} {
		if err := c.Sleep(ctx, time.Hour); !errors.Is(err, context.Canceled) {
			t.Errorf("%s: %v", name, err)
		}
	}
}

func TestJitterStaysBelowItsLimit(t *testing.T) {
	for range 1000 {
		if j := (clock.System{}).Jitter(10); j < 0 || j >= 10 {
			t.Fatalf("jitter %d of 10", j)
		}
	}
	for name, c := range map[string]clock.Clock{"system": clock.System{}, "virtual": clock.NewVirtual(time.Now())} {
		if c.Jitter(0) != 0 || c.Jitter(-5) != 0 {
			t.Errorf("%s: jitter without a limit", name)
		}
	}
}
