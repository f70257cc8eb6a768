package budget_test

import (
	"context"
	"errors"
	"net/http"
	"sync/atomic"
	"testing"
	"time"

	"github.com/tenantplane/terraform-provider-tenant/internal/backend/middleware/budget"
)

// counter is a system that answers at once.
type counter struct{ calls atomic.Int64 }

// RoundTrip implements http.RoundTripper.
func (c *counter) RoundTrip(*http.Request) (*http.Response, error) {
	c.calls.Add(1)
	return &http.Response{StatusCode: http.StatusOK, Body: http.NoBody}, nil
}

func send(ctx context.Context, t *testing.T, through http.RoundTripper) error {
	t.Helper()
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, "http://example.com/", nil)
	if err != nil {
		t.Fatal(err)
	}
	response, err := through.RoundTrip(request)
	if err == nil {
		_ = response.Body.Close()
	}
	return err
}

func TestRequestsBeyondTheBudgetWaitAndEndWithTheirContext(t *testing.T) {
	system := &counter{}
	through := budget.Transport(system, 4) // one at a time, four a second
	if err := send(t.Context(), t, through); err != nil {
		t.Fatal(err)
	}
	hasty, cancel := context.WithTimeout(t.Context(), time.Millisecond)
	defer cancel()
	if err := send(hasty, t, through); err == nil {
		t.Error("a second request went through at once")
	}
	ended, stop := context.WithCancel(t.Context())
	stop()
	if err := send(ended, t, through); !errors.Is(err, context.Canceled) {
		t.Errorf("a request that was given up: %v", err)
	}
	if err := send(t.Context(), t, through); err != nil {
		t.Errorf("a patient one: %v", err)
	}
	if n := system.calls.Load(); n != 2 {
		t.Errorf("%d requests reached the system, want 2", n)
	}
}

func TestWithoutABudgetNothingIsWrapped(t *testing.T) {
	system := &counter{}
	if budget.Transport(system, 0) != http.RoundTripper(system) {
		t.Error("it is wrapped")
	}
}

func TestABudgetIsANumberAboveZero(t *testing.T) {
	for text, want := range map[string]float64{"": 0, "25": 25, "0.5": 0.5} {
		if got, f := budget.Read(text, "p"); f != nil || got != want {
			t.Errorf("%q: %v %v", text, got, f)
		}
	}
	for _, text := range []string{"0", "-1", "many", "Inf", "NaN"} {
		if got, f := budget.Read(text, "p"); f == nil {
			t.Errorf("%q was read as %v", text, got)
		}
	}
}
