package executor_test

import (
	"encoding/json"
	"fmt"
	"sync/atomic"
	"testing"
	"time"

	"github.com/tenantplane/terraform-provider-tenant/internal/fault"
	"github.com/tenantplane/terraform-provider-tenant/internal/ledger"
	"github.com/tenantplane/terraform-provider-tenant/internal/tenant"
)

func TestATenantThatKeepsFailingIsLeftAloneUntilItsSpecChanges(t *testing.T) {
	s := newStage(t)
	calls := 0
	s.place("billing", between{look: func(string) error {
		calls++
		return fault.NewRetryable("billing.odd", "an odd answer", nil)
	}})
	if _, err := s.declare("acme"); err != nil {
		t.Fatal(err)
	}
	sweep := s.sweeper("sweep")
	for visits := range 5 {
		s.visit(sweep, "acme", ledger.Reconciling)
		if row := s.tenant(); row.FailureCount != int64(visits+1) {
			t.Fatalf("%d failures after %d visits", row.FailureCount, visits+1)
		}
		if visits < 4 {
			s.clock.Advance(s.due())
		}
	}
	if due := s.due(); due < 30*time.Minute || due > 38*time.Minute {
		t.Errorf("after five failures it is due in %s, want half an hour and some", due)
	}
	calls = 0
	s.visit(sweep, "acme", ledger.Reconciling) // somebody woke it
	if calls != 0 || s.due() < 30*time.Minute {
		t.Errorf("%d calls in the rest; due in %s", calls, s.due())
	}
	delete(s.through, "billing")
	changed := spec("acme")
	changed.Components["billing"] = json.RawMessage(`{"plan":"pro","email":"ap@example.org","seats":6}`)
	if _, err := s.Ledger.Declare(t.Context(), ledger.Declaration{Spec: changed, Claim: claim}); err != nil {
		t.Fatal(err)
	}
	s.visit(sweep, "acme", ledger.Ready)
	if tally, err := s.Ledger.Tally(t.Context(), "tenant/acme"); err != nil || tally != (ledger.Tally{}) {
		t.Errorf("the breaker remembers %+v (%v)", tally, err)
	}
}

func TestAfterItsRestATenantGetsOneTryAndRestsAgain(t *testing.T) {
	s := newStage(t)
	s.place("billing", between{look: func(string) error { return fault.NewRetryable("billing.odd", "an odd answer", nil) }})
	if _, err := s.declare("acme"); err != nil {
		t.Fatal(err)
	}
	sweep := s.sweeper("sweep")
	for range 5 {
		s.visit(sweep, "acme", ledger.Reconciling)
		s.clock.Advance(s.due())
	}
	s.visit(sweep, "acme", ledger.Reconciling)
	if due := s.due(); due < 30*time.Minute {
		t.Errorf("due in %s", due)
	}
	s.clock.Advance(s.due())
	delete(s.through, "billing")
	s.visit(sweep, "acme", ledger.Ready)
}

func TestABackendThatIsOutOfReachIsLeftAloneByEveryWorkerAndCountsAgainstNoTenant(t *testing.T) {
	const fleet = 6
	s := newStage(t)
	for i := range fleet {
		s.apply(spec(fmt.Sprintf("t%d", i)), ledger.Ready)
	}
	s.clock.Advance(time.Hour)
	var calls atomic.Int64
	out := true
	s.place("domain", between{look: func(string) error {
		calls.Add(1)
		if !out {
			return nil
		}
		f := fault.NewRetryable("domain.unreachable", "connection refused", nil)
		f.BackendWide = true
		return f
	}})
	visitAll := func() (spread time.Duration) {
		t.Helper()
		var first, last time.Time
		for i := range fleet {
			id := tenant.ID(fmt.Sprintf("t%d", i))
			if _, err := s.sweeper(fmt.Sprintf("sweep-%d", i%2)).Visit(t.Context(), id, "sweep"); err != nil {
				t.Fatal(err)
			}
			row, err := s.Ledger.Tenant(t.Context(), id)
			if err != nil || row.FailureCount != 0 || row.Status != ledger.Ready {
				t.Errorf("%s is %s with %d failures (%v)", id, row.Status, row.FailureCount, err)
			}
			if first.IsZero() || row.NextReconcileAt.Before(first) {
				first = row.NextReconcileAt
			}
			if row.NextReconcileAt.After(last) {
				last = row.NextReconcileAt
			}
		}
		return last.Sub(first)
	}
	visitAll()
	if n := calls.Load(); n != 3 {
		t.Errorf("%d calls before the breaker opened, want 3", n)
	}
	visitAll()
	if n := calls.Load(); n != 3 {
		t.Errorf("%d calls while it was open, want none", n-3)
	}
	s.clock.Advance(2 * time.Minute)
	visitAll()
	if n := calls.Load(); n != 4 {
		t.Errorf("%d calls after the rest, want one try", n-3)
	}
	out = false
	s.clock.Advance(2 * time.Minute)
	visitAll()
	if n := calls.Load(); n != 4+fleet {
		t.Errorf("%d calls after the outage, want %d", n-4, fleet)
	}
}

func TestAnApplyIsNotHeldBackByABreaker(t *testing.T) {
	s := newStage(t)
	swapped, err := s.Ledger.SwapTally(t.Context(), "backend/domain/us-east", ledger.Tally{},
		ledger.Tally{Failures: 3, Since: begin, OpenUntil: begin.Add(time.Hour), Reason: "connection refused"})
	if err != nil || !swapped {
		t.Fatal(swapped, err)
	}
	if _, err := s.declare("other"); err != nil {
		t.Fatal(err)
	}
	s.visit(s.sweeper("sweep"), "other", ledger.Reconciling)
	s.apply(spec("acme"), ledger.Ready)
}
