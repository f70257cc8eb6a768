package executor_test

import (
	"context"
	"encoding/json"
	"testing"
	"time"

	"github.com/tenantplane/terraform-provider-tenant/internal/backend"
	"github.com/tenantplane/terraform-provider-tenant/internal/executor"
	"github.com/tenantplane/terraform-provider-tenant/internal/fault"
	"github.com/tenantplane/terraform-provider-tenant/internal/ledger"
	"github.com/tenantplane/terraform-provider-tenant/internal/sandbox"
)

func TestADestroyAfterAnInterruptedCreationLeavesAStrangersRecord(t *testing.T) {
	s := newStage(t)
	want := spec("acme")
	s.place("domain", between{before: func(string) error { return fault.NewAmbiguous("domain.lost", "killed before it was sent", nil) }})
	if _, err := s.Ledger.Declare(t.Context(), ledger.Declaration{Spec: want, Claim: claim, CorrelationID: "c", EventID: "e"}); err != nil {
		t.Fatal(err)
	}
	if _, err := s.Pass(t.Context(), "acme", claim); err != nil {
		t.Fatal(err)
	}
	delete(s.through, "domain")
	err := s.admin.PutRecords(t.Context(), "example.com.", "acme.example.com.", "CNAME", sandbox.RecordSet{TTL: 300, Contents: []string{"strangers.example.net."}})
	if err != nil {
		t.Fatal(err)
	}
	s.apply(want, ledger.Blocked)
	s.clock.Advance(time.Hour)
	s.destroy("acme")
	inventory, err := s.admin.Objects(t.Context(), sandbox.Filter{})
	if err != nil {
		t.Fatal(err)
	}
	records := 0
	for _, o := range inventory.Objects {
		if o.Kind == "rrset" {
			records++
		}
	}
	if records != 1 {
		t.Errorf("%d records are left, want the stranger's", records)
	}
}

// deaf is a billing system that takes the last creation later, and answers none.
type deaf struct {
	backend.Backend
	last *backend.Want
}

func (d deaf) Ensure(_ context.Context, w backend.Want) (backend.Observation, error) {
	*d.last = w
	return backend.Observation{}, fault.NewAmbiguous("billing.lost", "no answer", nil)
}

func TestADestroyWaitsForTheLastTryOfACreationNotTheFirst(t *testing.T) {
	s := newStage(t)
	var last backend.Want
	var real backend.Backend
	s.through["billing"] = func(b backend.Backend) backend.Backend { real = b; return deaf{b, &last} }
	if _, err := s.declare("acme"); err != nil {
		t.Fatal(err)
	}
	for range 3 { // the same creation, over a minute
		s.clock.Advance(30 * time.Second)
		if _, err := s.Pass(t.Context(), "acme", claim); err != nil {
			t.Fatal(err)
		}
	}
	delete(s.through, "billing")
	if _, err := s.Ledger.BeginDeletion(t.Context(), "acme", claim, nil); err != nil {
		t.Fatal(err)
	}
	s.clock.Advance(2 * time.Second)
	if outcome, err := s.Pass(t.Context(), "acme", claim); err != nil || outcome.Status != ledger.Deleting {
		t.Fatalf("two seconds after the last try: %s, %v; want it to wait", outcome.Status, err)
	}
	if _, err := real.Ensure(t.Context(), last); err != nil { // it arrives
		t.Fatal(err)
	}
	s.destroy("acme")
	if left := s.exists("acme"); len(left) != 0 {
		t.Errorf("left: %v", left)
	}
}

// thenRefuses makes the object and refuses what comes after that.
type thenRefuses struct{ backend.Backend }

func (b thenRefuses) Ensure(ctx context.Context, w backend.Want) (backend.Observation, error) {
	if _, err := b.Backend.Ensure(ctx, w); err != nil {
		return backend.Observation{}, err
	}
	return backend.Observation{}, fault.NewTerminal("postgres.seed", "database.seed", "the seed failed", "mend it")
}

func TestACreationThatFailsHalfWayCountsAsBegun(t *testing.T) {
	s := newStage(t)
	s.through["database"] = func(b backend.Backend) backend.Backend { return thenRefuses{b} }
	want := spec("acme")
	want.Components = map[string]json.RawMessage{"database": want.Components["database"]}
	if outcome, err := s.Converge(t.Context(), executor.Request{Spec: want, Claim: claim}); err != nil || outcome.Status != ledger.Failed {
		t.Fatal(outcome.Status, err)
	}
	if begun, err := s.Begun(t.Context(), "acme"); err != nil || !begun {
		t.Errorf("begun is %v (%v) and %v exists", begun, err, s.exists("acme"))
	}
	delete(s.through, "database")
	s.destroy("acme")
	if left := s.exists("acme"); len(left) != 0 {
		t.Errorf("left: %v", left)
	}
}
