package executor_test

import (
	"encoding/json"
	"fmt"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/tenantplane/terraform-provider-tenant/internal/clock"
	"github.com/tenantplane/terraform-provider-tenant/internal/executor"
	"github.com/tenantplane/terraform-provider-tenant/internal/ledger"
)

func TestTwoApplyOneTenantAtOnceAndMakeOneOfEach(t *testing.T) {
	s := newStage(t)
	var group sync.WaitGroup
	for i := range 4 {
		// Their waits are real; the ledger's clock stands still, so that no
		// lease ends before it is released.
		x := s.worker(fmt.Sprintf("worker-%d", i), func(o *executor.Options) { o.Clock = clock.System{} })
		group.Go(func() {
			outcome, err := x.Converge(t.Context(), executor.Request{Spec: spec("acme"), Claim: claim})
			if err != nil || outcome.Status != ledger.Ready {
				t.Errorf("%s: %s %v %v", x.Worker, outcome.Status, outcome.Faults, err)
			}
		})
	}
	group.Wait()
	if diff := cmp.Diff(oneOfEach, s.exists("acme")); diff != "" {
		t.Error(diff)
	}
	s.wantFirstLife("acme")
	for _, path := range []string{"/v1/customers", "/v1/subscriptions"} {
		if n := len(s.keys(path)); n != 1 {
			t.Errorf("%d calls to %s, want one", n, path)
		}
	}
}

func TestAnApplyWaitsForTheLeaseOfAnother(t *testing.T) {
	s := newStage(t)
	_, err := s.Ledger.Declare(t.Context(), ledger.Declaration{Spec: spec("acme"), Claim: claim, CorrelationID: "c", EventID: "e"})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := s.Ledger.Acquire(t.Context(), "acme", "somebody else", 10*time.Second); err != nil {
		t.Fatal(err)
	}
	s.apply(spec("acme"), ledger.Ready)
	if waited := s.clock.Now().Sub(begin); waited < 10*time.Second || waited > 11*time.Second {
		t.Errorf("waited %s for a lease of 10s", waited)
	}
}

func TestALeaseThatIsTakenAwayInTheMiddleStartsThePassOver(t *testing.T) {
	s := newStage(t)
	taken := false
	s.place("identity", between{after: func() {
		if taken {
			return
		}
		taken = true
		s.clock.Advance(time.Minute) // the process slept, and its lease ended
		lease, err := s.Ledger.Acquire(t.Context(), "acme", "somebody else", time.Minute)
		if err == nil {
			err = s.Ledger.Release(t.Context(), lease)
		}
		if err != nil {
			t.Error(err)
		}
	}})
	s.apply(spec("acme"), ledger.Ready)
	if !taken {
		t.Error("the lease was never taken away")
	}
	if diff := cmp.Diff(oneOfEach, s.exists("acme")); diff != "" {
		t.Error(diff)
	}
	s.wantFirstLife("acme")
}

func TestASpecThatChangesInTheMiddleWins(t *testing.T) {
	s := newStage(t)
	newer := spec("acme")
	newer.Components["billing"] = json.RawMessage(`{"plan":"enterprise","email":"ap@example.org","seats":9}`)
	declared := false
	s.place("identity", between{after: func() {
		if declared {
			return
		}
		declared = true
		_, err := s.Ledger.Declare(t.Context(), ledger.Declaration{Spec: newer, Claim: claim, CorrelationID: "c", EventID: "e"})
		if err != nil {
			t.Error(err)
		}
	}})
	s.apply(spec("acme"), ledger.Ready)
	row := s.tenant()
	if row.DesiredGeneration != 2 || row.ObservedGeneration != 2 {
		t.Errorf("generation %d of %d is observed, want 2 of 2", row.ObservedGeneration, row.DesiredGeneration)
	}
	if diff := cmp.Diff(oneOfEach, s.exists("acme")); diff != "" {
		t.Error(diff)
	}
	view, err := s.Look(t.Context(), newer)
	if err != nil {
		t.Fatal(err)
	}
	for id, seen := range view.Seen {
		if id.Object == "subscription" && seen.Fields["plan"][0] != "enterprise" {
			t.Errorf("the subscription is %v, want the newer spec's", seen.Fields)
		}
	}
}

func TestAnotherStatesClaimIsRefusedAndNothingIsTouched(t *testing.T) {
	s := newStage(t)
	s.apply(spec("acme"), ledger.Ready)
	other := spec("acme")
	other.Components["billing"] = json.RawMessage(`{"plan":"starter","email":"thief@example.org"}`)
	for name, err := range map[string]error{
		"apply": func() error {
			_, err := s.Converge(t.Context(), executor.Request{Spec: other, Claim: "thief"})
			return err
		}(),
		"destroy": func() error { _, err := s.Destroy(t.Context(), "acme", "thief"); return err }(),
	} {
		if err == nil {
			t.Errorf("%s by another state is accepted", name)
		}
	}
	s.wantStatus(ledger.Ready)
	s.wantFirstLife("acme")
}
