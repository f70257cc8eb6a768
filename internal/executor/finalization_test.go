package executor_test

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/tenantplane/terraform-provider-tenant/internal/ledger"
	"github.com/tenantplane/terraform-provider-tenant/internal/tenant"
)

func TestAFinalizationTurnsAccessOffFirstAndKeepsTheAuditRecordForLast(t *testing.T) {
	s := newStage(t)
	s.apply(spec("acme"), ledger.Ready)
	s.destroy("acme")
	var steps []string
	for _, e := range s.evidence("acme") {
		steps = append(steps, e.Step)
	}
	slices.Sort(steps[:2]) // these pairs go side by side
	slices.Sort(steps[3:5])
	want := []string{
		"disable database.schema", "disable identity.organization", "delete billing.subscription",
		"archive database.schema", "archive storage.bucket",
		"delete domain.record", "delete identity.organization", "delete billing.customer", "verify",
	}
	if diff := cmp.Diff(want, steps); diff != "" {
		t.Error(diff)
	}
	if diff := cmp.Diff(nothing, s.exists("acme")); diff != "" {
		t.Error(diff)
	}
}

// evidence returns a tenant's chain, which has to verify.
func (s *stage) evidence(id string) []ledger.Evidence {
	s.t.Helper()
	entries, err := s.Ledger.Evidence(context.Background(), tenant.ID(id))
	if err != nil {
		s.t.Fatal(err)
	}
	if err := ledger.VerifyChain(tenant.ID(id), entries); err != nil {
		s.t.Error(err)
	}
	return entries
}

func TestInterruptedAfterAnyCallAFinalizationGoesOn(t *testing.T) {
	s := newStage(t)
	const calls = 8
	for n := int64(1); n <= calls; n++ {
		id := fmt.Sprintf("t%d", n)
		s.apply(spec(id), ledger.Ready)
		ctx, cancel := context.WithCancel(t.Context())
		s.cancelAfter(n, cancel)
		outcome, err := s.Destroy(ctx, tenant.ID(id), claim)
		if err != nil || !outcome.Interrupted && n < calls {
			t.Fatalf("after call %d: %s %v, %v", n, outcome.Status, outcome.Faults, err)
		}
		s.placeAll(between{})
		s.destroy(tenant.ID(id))
		s.wantGone(id)
	}
}

func TestKilledAtAnyWriteAFinalizationIsFinished(t *testing.T) {
	s := newStage(t)
	n := 0
	for ; ; n++ {
		id := fmt.Sprintf("t%d", n)
		s.apply(spec(id), ledger.Ready)
		victim, process := s.killedAtWrite("victim-"+id, int64(n))
		_, _ = victim.Destroy(t.Context(), tenant.ID(id), claim)
		s.destroy(tenant.ID(id))
		s.wantGone(id)
		if process.alive() {
			break
		}
	}
	if n < fewestInterruptions {
		t.Errorf("only %d writes were interrupted", n)
	}
}

// wantGone wants nothing left of a tenant but its archives, and the end of
// every object in evidence exactly once.
func (s *stage) wantGone(id string) {
	s.t.Helper()
	if diff := cmp.Diff(nothing, s.exists(id)); diff != "" {
		s.t.Errorf("%s: %s", id, diff)
	}
	ends := map[string]int{}
	for _, e := range s.evidence(id) {
		verb, object, _ := strings.Cut(e.Step, " ")
		if verb != "disable" && verb != "verify" {
			ends[object]++
		}
	}
	want := map[string]int{
		"billing.customer": 1, "billing.subscription": 1, "identity.organization": 1,
		"database.schema": 1, "storage.bucket": 1, "domain.record": 1,
	}
	if diff := cmp.Diff(want, ends); diff != "" {
		s.t.Errorf("evidence of %s: %s", id, diff)
	}
	rows, err := s.Ledger.Objects(context.Background(), tenant.ID(id))
	if err != nil {
		s.t.Fatal(err)
	}
	for _, o := range rows {
		if o.PendingUntil.IsZero() {
			s.t.Errorf("%s.%s of %s is left", o.Component, o.Object, id)
		}
	}
}
