package executor_test

import (
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/tenantplane/terraform-provider-tenant/internal/ledger"
)

func (s *stage) suspend() {
	s.t.Helper()
	if _, err := s.Ledger.Suspend(s.t.Context(), "acme", "unpaid", nil); err != nil {
		s.t.Fatal(err)
	}
}

// wantAccess wants sign-in to be on or off.
func (s *stage) wantAccess(on bool) {
	s.t.Helper()
	view, err := s.Look(s.t.Context(), spec("acme"))
	if err != nil {
		s.t.Fatal(err)
	}
	for id, seen := range view.Seen {
		if id.Component == "identity" && seen.Disabled == on {
			s.t.Errorf("%s: disabled is %v", id, seen.Disabled)
		}
	}
}

func TestASuspendedTenantKeepsEverythingAndLetsNobodyIn(t *testing.T) {
	s := newStage(t)
	s.apply(spec("acme"), ledger.Ready)
	s.suspend()
	sweep := s.sweeper("sweep")
	s.visit(sweep, "acme", ledger.Suspended)
	s.wantAccess(false)
	kept := s.exists("acme")
	kept["database"] = s.files("databases/tnt_acme*") // one that is shut has another name
	if diff := cmp.Diff(oneOfEach, kept); diff != "" {
		t.Error(diff)
	}
	s.apply(spec("acme"), ledger.Suspended) // an apply lets nobody in either
	s.wantAccess(false)
	s.visit(sweep, "acme", ledger.Suspended) // and it is no drift
	if row := s.object("identity", "organization"); !row.DriftSince.IsZero() {
		t.Errorf("the organization is %s since %s", row.Condition, row.DriftSince)
	}
	if _, err := s.Ledger.Resume(t.Context(), "acme", nil); err != nil {
		t.Fatal(err)
	}
	s.visit(sweep, "acme", ledger.Ready)
	s.wantAccess(true)
}

func TestASuspendedTenantThatSomebodyLetInIsDriftAndIsShutAgain(t *testing.T) {
	s := newStage(t)
	s.apply(repairing("acme"), ledger.Ready)
	s.suspend()
	sweep := s.sweeper("sweep")
	s.visit(sweep, "acme", ledger.Suspended)
	s.enable(s.object("identity", "organization").ExternalID, true)
	s.visit(sweep, "acme", ledger.Suspended)
	s.wantAccess(false)
}

func TestASuspendedTenantCanBeDestroyed(t *testing.T) {
	s := newStage(t)
	s.apply(spec("acme"), ledger.Ready)
	s.suspend()
	s.visit(s.sweeper("sweep"), "acme", ledger.Suspended)
	s.destroy("acme")
}

// files counts the files that match a pattern.
func (s *stage) files(pattern string) int {
	s.t.Helper()
	found, err := filepath.Glob(s.path(pattern))
	if err != nil {
		s.t.Fatal(err)
	}
	return len(found)
}
