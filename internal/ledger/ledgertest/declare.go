package ledgertest

import (
	"errors"
	"time"

	"github.com/tenantplane/terraform-provider-tenant/internal/event"
	"github.com/tenantplane/terraform-provider-tenant/internal/ledger"
)

var declareTests = []sentence{
	{"a claim is taken over only from whom it was seen with", func(w *world) {
		w.declare(acme, 1)
		d := w.declaration(acme, 1)
		d.Claim, d.TakeOver, d.TakeFrom = "state-b", true, "state-c"
		_, err := w.store.Declare(w.ctx, d)
		w.wantErr(err, ledger.ErrClaimed)
		d.TakeFrom = owner
		got, err := w.store.Declare(w.ctx, d)
		w.must(err)
		w.equal("claim", got.Claim, "state-b")
	}},
	{"the first declaration creates the tenant and its registration event", func(w *world) {
		d := w.declaration(acme, 1)
		got, err := w.store.Declare(w.ctx, d)
		w.must(err)
		w.equal("the tenant", got, ledger.Tenant{
			ID: acme, Region: "us-east", Spec: d.Spec, DesiredGeneration: 1, Status: ledger.Pending, Claim: owner,
			NextReconcileAt: start, CorrelationID: "onboarding-1", CreatedAt: start,
		})
		w.equal("the stored tenant", w.tenant(acme), got)
		w.equal("the outbox", w.pending(), []event.Event{{
			ID: d.EventID, Type: event.RegistrationInitiated, Tenant: acme, Correlation: "onboarding-1", Time: start,
		}})
	}},
	{"an unchanged spec changes nothing", func(w *world) {
		w.declare(acme, 1)
		w.unchanged(acme, func() {
			w.clk.Advance(time.Hour)
			w.declare(acme, 1)
		})
	}},
	{"a changed spec raises the generation and makes the tenant due", func(w *world) {
		w.declare(acme, 1)
		w.clk.Advance(time.Hour)
		got := w.declare(acme, 2)
		w.equal("generation", got.DesiredGeneration, w.tenant(acme).DesiredGeneration)
		if got.DesiredGeneration != 2 || got.ObservedGeneration != 0 {
			w.Fatalf("generations %d/%d, want 2/0", got.DesiredGeneration, got.ObservedGeneration)
		}
		w.equal("spec", got.Spec, spec(acme, 2))
		w.equal("due", got.NextReconcileAt, w.clk.Now())
		w.equal("created", got.CreatedAt, start)
		w.equal("events", len(w.pending()), 1)
	}},
	{"another state's claim is refused, naming the owner", func(w *world) {
		w.declare(acme, 1)
		w.unchanged(acme, func() {
			d := w.declaration(acme, 2)
			d.Claim = "state-b"
			_, err := w.store.Declare(w.ctx, d)
			w.wantErr(err, ledger.ErrClaimed)
			var claimed *ledger.ClaimError
			if !errors.As(err, &claimed) || claimed.Owner != owner || claimed.Tenant != acme {
				w.Fatalf("got %#v, want the owner %s", err, owner)
			}
		})
	}},
	{"take-over moves the claim and nothing else", func(w *world) {
		before := w.declare(acme, 1)
		d := w.declaration(acme, 1)
		d.Claim, d.TakeOver = "state-b", true
		got, err := w.store.Declare(w.ctx, d)
		w.must(err)
		before.Claim = "state-b"
		w.equal("the tenant", got, before)
		_, err = w.store.Declare(w.ctx, w.declaration(acme, 2))
		w.wantErr(err, ledger.ErrClaimed)
	}},
	{"a deleting tenant goes back to pending under a new generation", func(w *world) {
		w.declare(acme, 1)
		_, err := w.store.BeginDeletion(w.ctx, acme, owner, nil)
		w.must(err)
		got := w.declare(acme, 1)
		if got.Status != ledger.Pending || got.DesiredGeneration != 2 {
			w.Fatalf("got %s at generation %d, want pending at 2", got.Status, got.DesiredGeneration)
		}
		lease := w.acquire(acme)
		w.wantErr(w.store.Advance(w.ctx, lease, ledger.Progress{Generation: 1, Status: ledger.Deleting}), ledger.ErrGeneration)
		w.wantErr(w.store.Tombstone(w.ctx, lease, nil, nil), ledger.ErrGeneration)
		w.equal("status", w.tenant(acme).Status, ledger.Pending)
	}},
	{"a tombstone begins a new life that goes on from the old one", func(w *world) {
		w.declare(acme, 1)
		lease := w.acquire(acme)
		w.settle(lease, object("billing", "customer", 3))
		w.must(w.store.Advance(w.ctx, lease, ledger.Progress{
			Generation: 1, Status: ledger.Failed, Observed: true, FailureCount: 7, LastErrorCode: "x.y", LastError: "broken",
			Evidence: []ledger.Evidence{{Actor: owner, Step: "look", Outcome: "seen"}},
		}))
		w.forget(lease, "billing", "customer")
		w.bury(acme)
		w.clk.Advance(time.Hour)

		d := w.declaration(acme, 1)
		d.Claim, d.CorrelationID = "state-b", "onboarding-2"
		got, err := w.store.Declare(w.ctx, d)
		w.must(err)
		w.equal("the tenant", got, ledger.Tenant{
			ID: acme, Region: "us-east", Spec: d.Spec, DesiredGeneration: 2, ObservedGeneration: 1, Status: ledger.Pending,
			Claim: "state-b", NextReconcileAt: w.clk.Now(), CorrelationID: "onboarding-2", CreatedAt: w.clk.Now(),
		})
		w.equal("evidence", len(w.evidence(acme)), 1)
		epoch, err := w.store.LastEpoch(w.ctx, acme, "billing", "customer")
		w.must(err)
		w.equal("the epoch of the old life", epoch, int64(3))
		w.equal("the last event", w.pending()[1].ID, d.EventID)
	}},
	{"a new life without an event id is refused", func(w *world) {
		d := w.declaration(acme, 1)
		d.EventID = ""
		if _, err := w.store.Declare(w.ctx, d); err == nil {
			w.Fatal("a registration without an event id was accepted")
		}
		_, err := w.store.Tenant(w.ctx, acme)
		w.wantErr(err, ledger.ErrNotFound)
	}},
}
