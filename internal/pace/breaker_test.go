package pace_test

import (
	"math"
	"testing"
	"time"

	"github.com/tenantplane/terraform-provider-tenant/internal/pace"
)

var noon = time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)

func TestABreakerOpensAfterEnoughFailuresInTime(t *testing.T) {
	breaker := pace.Breaker{Failures: 3, Within: 10 * time.Minute, Rest: 30 * time.Minute}
	for name, test := range map[string]struct {
		at   []time.Duration
		open time.Duration // from noon; 0 for closed
	}{
		"too few":                             {[]time.Duration{0, time.Minute}, 0},
		"enough":                              {[]time.Duration{0, time.Minute, 2 * time.Minute}, 32 * time.Minute},
		"too slow":                            {[]time.Duration{0, 6 * time.Minute, 12 * time.Minute}, 0},
		"a failure while open adds nothing":   {[]time.Duration{0, 0, 0, time.Minute}, 30 * time.Minute},
		"one more after the rest opens again": {[]time.Duration{0, 0, 0, 31 * time.Minute}, 61 * time.Minute},
		"also long after the rest":            {[]time.Duration{0, 0, 0, 24 * time.Hour}, 24*time.Hour + 30*time.Minute},
		"a clock set back begins anew":        {[]time.Duration{0, time.Minute, -time.Hour}, 0},
	} {
		t.Run(name, func(t *testing.T) {
			var tally pace.Tally
			for _, at := range test.at {
				tally = breaker.Failed(tally, noon.Add(at), 0)
			}
			want := time.Time{}
			if test.open != 0 {
				want = noon.Add(test.open)
			}
			if !tally.OpenUntil.Equal(want) {
				t.Errorf("open until %v, want %v (%+v)", tally.OpenUntil, want, tally)
			}
		})
	}
}

func TestARestIsProlongedByJitterAndNeverShortened(t *testing.T) {
	breaker := pace.Breaker{Failures: 1, Rest: time.Minute}
	if got := breaker.Failed(pace.Tally{}, noon, time.Second).OpenUntil; !got.Equal(noon.Add(61 * time.Second)) {
		t.Errorf("open until %v", got)
	}
	if got := breaker.Failed(pace.Tally{}, noon, -time.Hour).OpenUntil; !got.Equal(noon.Add(time.Minute)) {
		t.Errorf("open until %v", got)
	}
}

func TestAStoredTallyHoweverAbsurdIsBroughtIntoRange(t *testing.T) {
	breaker := pace.Breaker{Failures: 3, Rest: time.Minute}
	for _, failures := range []int64{math.MinInt64, -1, math.MaxInt64} {
		tally := breaker.Failed(pace.Tally{Failures: failures, Since: noon}, noon, 0)
		if tally.Failures < 1 {
			t.Errorf("%d failures became %d", failures, tally.Failures)
		}
		if open := tally.Open(noon); open != (failures > 0) {
			t.Errorf("%d failures: open is %v", failures, open)
		}
	}
}
