package executor_test

import (
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/tenantplane/terraform-provider-tenant/internal/backend"
	"github.com/tenantplane/terraform-provider-tenant/internal/fault"
	"github.com/tenantplane/terraform-provider-tenant/internal/ledger"
)

// remnants lists what is left of acme's ended objects.
func (s *stage) remnants() []string {
	s.t.Helper()
	rows, err := s.Ledger.Objects(s.t.Context(), "acme")
	if err != nil {
		s.t.Fatal(err)
	}
	left := []string{}
	for _, row := range rows {
		if !row.PendingUntil.IsZero() {
			left = append(left, row.Component+"."+row.Object)
		}
	}
	return left
}

func TestTheArchivesOfADeletedTenantEndAtTheirDateWithEvidence(t *testing.T) {
	s := newStage(t)
	s.apply(spec("acme"), ledger.Ready)
	s.destroy("acme")
	if diff := cmp.Diff([]string{"database.schema@1", "storage.bucket@1"}, s.remnants()); diff != "" {
		t.Fatal(diff)
	}
	sweep := s.sweeper("sweep")
	s.clock.Advance(29 * 24 * time.Hour)
	s.visit(sweep, "acme", ledger.Deleted)
	if n := len(s.remnants()); n != 2 || s.files("databases/archive/*.db") != 1 {
		t.Errorf("a day early %d remnants are left", n)
	}
	s.clock.Advance(s.due())
	before := len(s.evidence("acme"))
	s.visit(sweep, "acme", ledger.Deleted)
	if left := s.remnants(); len(left) != 0 || s.files("databases/archive/*.db") != 0 || s.files("storage/archive/*") != 0 {
		t.Errorf("left: %v", left)
	}
	chain := s.evidence("acme")
	var steps []string
	for _, e := range chain[before:] {
		steps = append(steps, e.Step+": "+e.Outcome)
	}
	if diff := cmp.Diff([]string{"purge database.schema@1: destroyed", "purge storage.bucket@1: destroyed"}, steps); diff != "" {
		t.Error(diff)
	}
	if row := s.tenant(); !row.NextReconcileAt.IsZero() {
		t.Errorf("with nothing left the tombstone is due at %s", row.NextReconcileAt)
	}
}

func TestTheArchiveOfAnEarlierLifeEndsWhileTheTenantLives(t *testing.T) {
	s := newStage(t)
	s.apply(spec("acme"), ledger.Ready)
	s.destroy("acme")
	s.apply(spec("acme"), ledger.Ready)
	s.clock.Advance(31 * 24 * time.Hour)
	s.visit(s.sweeper("sweep"), "acme", ledger.Ready)
	if left := s.remnants(); len(left) != 0 {
		t.Errorf("left: %v", left)
	}
	if diff := cmp.Diff(oneOfEach, s.exists("acme")); diff != "" {
		t.Error(diff)
	}
}

func TestAnArchiveThatCannotBeEndedKeepsItsRowAndIsTriedAgain(t *testing.T) {
	s := newStage(t)
	s.apply(spec("acme"), ledger.Ready)
	s.destroy("acme")
	s.clock.Advance(31 * 24 * time.Hour)
	s.through["storage"] = func(real backend.Backend) backend.Backend {
		b := between{before: func(string) error { return fault.NewRetryable("storage.down", "the disk is away", nil) }}
		b.Backend = real
		return b
	}
	sweep := s.sweeper("sweep")
	s.visit(sweep, "acme", ledger.Deleted)
	if diff := cmp.Diff([]string{"storage.bucket@1"}, s.remnants()); diff != "" {
		t.Error(diff)
	}
	if row := s.object("storage", "bucket@1"); row.Message == "" {
		t.Error("nobody is told why")
	}
	if due := s.due(); due != time.Hour {
		t.Errorf("it is tried again in %s", due)
	}
	delete(s.through, "storage")
	s.clock.Advance(time.Hour)
	s.visit(sweep, "acme", ledger.Deleted)
	if left := s.remnants(); len(left) != 0 {
		t.Errorf("left: %v", left)
	}
}
