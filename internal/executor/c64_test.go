package executor_test

import (
	"math"
	"testing"
	"time"

	"github.com/tenantplane/terraform-provider-tenant/internal/fault"
	"github.com/tenantplane/terraform-provider-tenant/internal/ledger"
)

// longestPause is the most that the passes of an apply are apart, longestRest
// those of sweeps, by their own reckoning.
const (
	longestPause = 15 * time.Second
	longestRest  = 15 * time.Minute
)

func TestC64_AnApplyWaitsAShortWhileAndLeavesTheRestToTheLedger(t *testing.T) {
	const asked = 50 * time.Minute
	s := newStage(t)
	var waits []time.Duration
	last := begin
	s.place("domain", between{before: func(string) error {
		waits, last = append(waits, s.clock.Now().Sub(last)), s.clock.Now()
		if len(waits) > 3 {
			return nil
		}
		f := fault.NewRetryable("domain.throttled", "429", nil)
		f.RetryAfter = asked
		return f
	}})
	if _, err := s.declare("acme"); err != nil {
		t.Fatal(err)
	}
	if _, err := s.Pass(t.Context(), "acme", claim); err != nil {
		t.Fatal(err)
	}
	if due := s.tenant().NextReconcileAt.Sub(s.clock.Now()); due != asked {
		t.Errorf("the tenant is due in %s, want the %s that were asked for", due, asked)
	}
	s.apply(spec("acme"), ledger.Ready)
	for _, wait := range waits[2:] {
		if wait != longestPause {
			t.Errorf("the apply slept %s before it asked again, want %s", wait, longestPause)
		}
	}
}

func TestC72_AnAbsurdFailureCountIsBroughtBackIntoRange(t *testing.T) {
	for stored, want := range map[int64]int64{
		0: 1, 1000: 1001, math.MaxInt32: math.MaxInt32 + 1, math.MaxInt64 - 1: math.MaxInt64, math.MaxInt64: math.MaxInt64, -7: 1,
	} {
		for phase, fail := range map[string]func(*stage){"converging": (*stage).failToConverge, "deleting": (*stage).failToDelete} {
			s := newStage(t)
			s.apply(spec("acme"), ledger.Ready)
			s.storeFailures(stored)
			fail(s)
			row := s.tenant()
			if row.FailureCount != want {
				t.Errorf("%s: after %d failures one more makes %d, want %d", phase, stored, row.FailureCount, want)
			}
			if due := row.NextReconcileAt.Sub(s.clock.Now()); due < 5*time.Second || due > longestRest {
				t.Errorf("%s: after %d failures it is due in %s, want at most %s", phase, stored, due, longestRest)
			}
		}
	}
}

// storeFailures writes a count into the ledger's row.
func (s *stage) storeFailures(count int64) {
	s.t.Helper()
	lease, err := s.Ledger.Acquire(s.t.Context(), "acme", "somebody", time.Minute)
	if err != nil {
		s.t.Fatal(err)
	}
	err = s.Ledger.Advance(s.t.Context(), lease, ledger.Progress{Generation: s.tenant().DesiredGeneration, Status: ledger.Failed, FailureCount: count})
	if err == nil {
		err = s.Ledger.Release(s.t.Context(), lease)
	}
	if err != nil {
		s.t.Fatal(err)
	}
}

func (s *stage) failDomain() {
	s.place("domain", between{before: func(string) error { return fault.NewRetryable("domain.no", "not now", nil) }})
}

func (s *stage) failToConverge() {
	s.t.Helper()
	if err := s.admin.DeleteRecords(s.t.Context(), "example.com.", "acme.example.com.", "CNAME"); err != nil {
		s.t.Fatal(err)
	}
	s.failDomain()
	if outcome, err := s.Pass(s.t.Context(), "acme", claim); err != nil || outcome.Status != ledger.Reconciling {
		s.t.Fatalf("%s %v, %v", outcome.Status, outcome.Faults, err)
	}
}

func (s *stage) failToDelete() {
	s.t.Helper()
	s.failDomain()
	if _, err := s.Ledger.BeginDeletion(s.t.Context(), "acme", claim, nil); err != nil {
		s.t.Fatal(err)
	}
	if outcome, err := s.Pass(s.t.Context(), "acme", claim); err != nil || outcome.Status != ledger.Deleting {
		s.t.Fatalf("%s %v, %v", outcome.Status, outcome.Faults, err)
	}
}
