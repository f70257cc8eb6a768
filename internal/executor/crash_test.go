package executor_test

import (
	"context"
	"fmt"
	"sync/atomic"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/tenantplane/terraform-provider-tenant/internal/executor"
	"github.com/tenantplane/terraform-provider-tenant/internal/ledger"
	"github.com/tenantplane/terraform-provider-tenant/internal/tenant"
)

// A complete onboarding writes more often than this, a complete finalization
// too: fewer interruptions mean that a loop below ended early.
const fewestInterruptions = 15

func TestKilledAtAnyWriteAnOnboardingIsFinishedWithOneOfEach(t *testing.T) {
	s := newStage(t)
	n := 0
	for ; ; n++ {
		id := fmt.Sprintf("t%d", n)
		victim, process := s.killedAtWrite("victim-"+id, int64(n))
		_, err := victim.Converge(t.Context(), executor.Request{Spec: spec(id), Claim: claim})
		survived := process.alive()
		if !survived && err == nil {
			// Only the release of the lease may be lost without a word.
			if row, _ := s.Ledger.Tenant(t.Context(), tenant.ID(id)); row.Status != ledger.Ready {
				t.Errorf("killed at write %d nobody was told, and the tenant is %s", n, row.Status)
			}
		}
		s.apply(spec(id), ledger.Ready)
		if diff := cmp.Diff(oneOfEach, s.exists(id)); diff != "" {
			t.Errorf("killed at write %d: %s", n, diff)
		}
		s.wantFirstLife(id)
		if survived {
			break
		}
	}
	if n < fewestInterruptions {
		t.Errorf("only %d writes were interrupted", n)
	}
}

// wantFirstLife wants every object of a tenant in its first life, and nothing
// undecided.
func (s *stage) wantFirstLife(id string) {
	s.t.Helper()
	objects, err := s.Ledger.Objects(context.Background(), tenant.ID(id))
	if err != nil || len(objects) != 6 {
		s.t.Errorf("%d objects of %s, %v", len(objects), id, err)
	}
	for _, o := range objects {
		if o.Epoch != 1 || o.Attempt != 1 || o.ExternalID == "" || o.Condition != ledger.ConditionReady {
			s.t.Errorf("%s of %s: %+v", o.Object, id, o)
		}
	}
	if open, err := s.Ledger.OpenIntents(context.Background(), tenant.ID(id)); err != nil || len(open) > 0 {
		s.t.Errorf("open intents of %s: %v, %v", id, open, err)
	}
}

func TestInterruptedAfterAnyCallAnOnboardingRemembersTheCallAndGoesOn(t *testing.T) {
	s := newStage(t)
	for n := int64(1); n <= 6; n++ {
		id := fmt.Sprintf("t%d", n)
		ctx, cancel := context.WithCancel(t.Context())
		s.cancelAfter(n, cancel)
		outcome, err := s.Converge(ctx, executor.Request{Spec: spec(id), Claim: claim})
		if err != nil || !outcome.Interrupted && n < 6 {
			t.Fatalf("after call %d: %+v, %v", n, outcome, err)
		}
		if known := s.known(id); known < n {
			t.Errorf("after call %d the ledger knows %d objects: what was answered is lost", n, known)
		}
		s.placeAll(between{})
		s.apply(spec(id), ledger.Ready)
		if diff := cmp.Diff(oneOfEach, s.exists(id)); diff != "" {
			t.Errorf("interrupted after call %d: %s", n, diff)
		}
		s.wantFirstLife(id)
	}
}

// known counts the objects whose ids the ledger has.
func (s *stage) known(id string) (n int64) {
	s.t.Helper()
	rows, err := s.Ledger.Objects(context.Background(), tenant.ID(id))
	if err != nil {
		s.t.Fatal(err)
	}
	for _, o := range rows {
		if o.ExternalID != "" {
			n++
		}
	}
	return n
}

// cancelAfter cancels once n changing calls were answered.
func (s *stage) cancelAfter(n int64, cancel func()) {
	var calls atomic.Int64
	s.placeAll(between{after: func() {
		if calls.Add(1) == n {
			cancel()
		}
	}})
}
