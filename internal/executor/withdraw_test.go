package executor_test

import (
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/tenantplane/terraform-provider-tenant/internal/executor"
	"github.com/tenantplane/terraform-provider-tenant/internal/fault"
	"github.com/tenantplane/terraform-provider-tenant/internal/ledger"
)

func TestATenantWhoseCreationFailedBeforeAnythingExistedIsMadeByNoSweep(t *testing.T) {
	s := newStage(t)
	s.placeAll(between{before: func(string) error { return fault.NewTerminal("x.refused", "billing", "403", "ask for the right") }})
	if outcome, err := s.Converge(t.Context(), executor.Request{Spec: spec("acme"), Claim: claim}); err != nil || outcome.Status != ledger.Failed {
		t.Fatal(outcome.Status, err)
	}
	if begun, err := s.Withdraw(t.Context(), "acme"); begun || err != nil {
		t.Fatal(begun, err)
	}
	for component := range s.through {
		delete(s.through, component)
	}
	s.clock.Advance(365 * 24 * time.Hour)
	if due, err := s.Ledger.Due(t.Context(), ledger.DueFilter{At: s.clock.Now()}); err != nil || len(due) != 0 {
		t.Errorf("due: %v (%v)", due, err)
	}
	if diff := cmp.Diff(nothing, s.exists("acme")); diff != "" {
		t.Error(diff)
	}
	s.apply(spec("acme"), ledger.Ready) // another apply goes on
	if due := s.due(); due > 2*time.Hour {
		t.Errorf("after it the tenant is due in %s", due)
	}
}

func TestATenantOfWhichSomethingExistsIsNotWithdrawn(t *testing.T) {
	s := newStage(t)
	s.place("domain", between{before: func(string) error { return fault.NewTerminal("domain.refused", "domain", "403", "ask for the right") }})
	if outcome, err := s.Converge(t.Context(), executor.Request{Spec: spec("acme"), Claim: claim}); err != nil || outcome.Status != ledger.Failed {
		t.Fatal(outcome.Status, err)
	}
	before := s.tenant().NextReconcileAt
	if begun, err := s.Withdraw(t.Context(), "acme"); !begun || err != nil {
		t.Error(begun, err)
	}
	if after := s.tenant().NextReconcileAt; !after.Equal(before) {
		t.Errorf("due %s, was %s", after, before)
	}
}
