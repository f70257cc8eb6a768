package executor_test

import (
	"context"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/tenantplane/terraform-provider-tenant/internal/backend"
	"github.com/tenantplane/terraform-provider-tenant/internal/executor"
	"github.com/tenantplane/terraform-provider-tenant/internal/fault"
	"github.com/tenantplane/terraform-provider-tenant/internal/ledger"
	"github.com/tenantplane/terraform-provider-tenant/internal/sandbox"
)

// answerLost makes the call and loses its answer.
type answerLost struct{ backend.Backend }

// Ensure implements backend.Backend.
func (b answerLost) Ensure(ctx context.Context, want backend.Want) (backend.Observation, error) {
	if _, err := b.Backend.Ensure(ctx, want); err != nil {
		return backend.Observation{}, err
	}
	return backend.Observation{}, fault.NewAmbiguous("billing.lost", "the answer got lost", nil)
}

// The answer to the creation is lost, and for a minute no look shows what was
// made: all that two more workers have is the ledger's intent and its key.
func TestC28_WhileNoLookShowsWhatWasMadeTwoWorkersMakeOneCustomer(t *testing.T) {
	s := newStage(t)
	if _, err := s.declare("acme"); err != nil {
		t.Fatal(err)
	}
	s.fault(sandbox.Fault{System: "stripe", Method: "POST", Path: "^/v1/customers$", Effect: sandbox.HideCreated, Delay: sandbox.Duration(time.Minute)})
	s.through["billing"] = func(b backend.Backend) backend.Backend { return answerLost{b} }
	if _, err := s.Pass(t.Context(), "acme", claim); err != nil {
		t.Fatal(err)
	}
	s.wantHit()
	delete(s.through, "billing")

	var group sync.WaitGroup
	for _, name := range []string{"worker-2", "worker-3"} {
		x := s.worker(name, nil)
		group.Go(func() {
			outcome, err := x.Converge(t.Context(), executor.Request{Spec: spec("acme"), Claim: claim})
			if err != nil || outcome.Status != ledger.Ready {
				t.Errorf("%s: %s %v %v", name, outcome.Status, outcome.Faults, err)
			}
		})
	}
	group.Wait()
	if waited := s.clock.Now().Sub(begin); waited < time.Minute {
		t.Errorf("ready after %s, before anything could be seen", waited)
	}
	s.wantOneCustomer()
}

// One key for all calls, one customer, in its first life.
func (s *stage) wantOneCustomer() {
	s.t.Helper()
	s.wantFirstLife("acme")
	if diff := cmp.Diff(oneOfEach, s.exists("acme")); diff != "" {
		s.t.Error(diff)
	}
	for _, key := range s.keys("/v1/customers") {
		if key != "prod/acme/billing.customer/e1" {
			s.t.Errorf("a creation went out under the key %s", key)
		}
	}
}

func TestC28_ALookupThatFailsNeverLeadsToACreation(t *testing.T) {
	for _, effect := range []sandbox.Effect{sandbox.ServerError, sandbox.Unavailable, sandbox.HTML, sandbox.Truncated, sandbox.DropBefore} {
		t.Run(string(effect), func(t *testing.T) {
			s := newStage(t)
			if _, err := s.declare("acme"); err != nil {
				t.Fatal(err)
			}
			s.fault(sandbox.Fault{System: "stripe", Method: "GET", Path: "^/v1/customers", Effect: effect, Count: -1})
			for range 2 {
				outcome, err := s.Pass(t.Context(), "acme", claim)
				if err != nil || outcome.Status != ledger.Reconciling {
					t.Fatalf("%s %v, %v; want a tenant that will be tried again", outcome.Status, outcome.Faults, err)
				}
			}
			if keys := s.keys("/v1/customers"); len(keys) > 0 {
				t.Errorf("customers were created after a failed lookup: %v", keys)
			}
			if err := s.admin.ForgetFaults(t.Context()); err != nil {
				t.Fatal(err)
			}
			s.apply(spec("acme"), ledger.Ready)
			s.wantOneCustomer()
		})
	}
}
