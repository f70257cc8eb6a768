package ledgertest

import (
	"errors"
	"time"

	"github.com/tenantplane/terraform-provider-tenant/internal/event"
	"github.com/tenantplane/terraform-provider-tenant/internal/ledger"
)

var deletionTests = []sentence{
	{"a claim can be taken explicitly, also of a tenant that is deleting", func(w *world) {
		w.declare(acme, 1)
		_, err := w.store.BeginDeletion(w.ctx, acme, owner, nil)
		w.must(err)
		w.must(w.store.TakeClaim(w.ctx, acme, "state-b"))
		_, err = w.store.BeginDeletion(w.ctx, acme, owner, nil)
		w.wantErr(err, ledger.ErrClaimed)
		_, err = w.store.BeginDeletion(w.ctx, acme, "state-b", nil)
		w.must(err)
		w.must(w.store.Tombstone(w.ctx, w.acquire(acme), nil, nil))
		w.unchanged(acme, func() { w.must(w.store.TakeClaim(w.ctx, acme, "state-c")) })
		w.wantErr(w.store.TakeClaim(w.ctx, "nobody", "state-c"), ledger.ErrNotFound)
	}},
	{"a deletion begins with its events", func(w *world) {
		want := w.declare(acme, 1)
		w.clk.Advance(time.Second)
		e := w.event(acme)
		got, err := w.store.BeginDeletion(w.ctx, acme, owner, []event.Event{e})
		w.must(err)
		want.Status, want.NextReconcileAt = ledger.Deleting, w.clk.Now()
		w.equal("tenant", got, want)
		w.equal("stored tenant", w.tenant(acme), want)
		w.equal("event", w.pending()[1], e)
	}},
	{"repeating it is no error and appends nothing", func(w *world) {
		w.declare(acme, 1)
		_, err := w.store.BeginDeletion(w.ctx, acme, owner, []event.Event{w.event(acme)})
		w.must(err)
		w.unchanged(acme, func() {
			got, err := w.store.BeginDeletion(w.ctx, acme, owner, []event.Event{w.event(acme)})
			w.must(err)
			w.equal("status", got.Status, ledger.Deleting)
		})
	}},
	{"another state's claim is refused, naming the owner", func(w *world) {
		w.declare(acme, 1)
		w.unchanged(acme, func() {
			_, err := w.store.BeginDeletion(w.ctx, acme, "state-b", []event.Event{w.event(acme)})
			var claimed *ledger.ClaimError
			if !errors.As(err, &claimed) || claimed.Owner != owner {
				w.Fatalf("got %v, want a ClaimError that names %s", err, owner)
			}
		})
	}},
	{"a deletion is void once the claim moved", func(w *world) {
		w.declare(acme, 1)
		d := w.declaration(acme, 1)
		d.Claim, d.TakeOver = "state-b", true
		_, err := w.store.Declare(w.ctx, d)
		w.must(err)
		_, err = w.store.BeginDeletion(w.ctx, acme, owner, nil)
		w.wantErr(err, ledger.ErrClaimed)
	}},
	{"an unknown tenant is not found", func(w *world) {
		_, err := w.store.BeginDeletion(w.ctx, acme, owner, nil)
		w.wantErr(err, ledger.ErrNotFound)
	}},
	{"a tombstone stays one", func(w *world) {
		w.declare(acme, 1)
		w.bury(acme)
		w.unchanged(acme, func() {
			got, err := w.store.BeginDeletion(w.ctx, acme, owner, []event.Event{w.event(acme)})
			w.must(err)
			w.equal("status", got.Status, ledger.Deleted)
		})
	}},
}

var tombstoneTests = []sentence{
	{"the life ends: claim and lease gone, event and evidence appended", func(w *world) {
		w.declare(acme, 1)
		_, err := w.store.BeginDeletion(w.ctx, acme, owner, nil)
		w.must(err)
		lease := w.acquire(acme)
		e := w.event(acme)
		w.must(w.store.Tombstone(w.ctx, lease, []event.Event{e}, []ledger.Evidence{{Actor: owner, Step: "bury", Outcome: "deleted"}}))
		got := w.tenant(acme)
		w.equal("status and claim", [2]any{got.Status, got.Claim}, [2]any{ledger.Deleted, ""})
		w.equal("event", w.pending()[1], e)
		w.equal("evidence", len(w.evidence(acme)), 1)
		w.wantErr(w.store.Tombstone(w.ctx, lease, nil, nil), ledger.ErrFenced)
		next, err := w.store.Acquire(w.ctx, acme, "worker-2", ttl)
		w.must(err)
		if next.Fence <= lease.Fence {
			w.Fatalf("fence %d after %d", next.Fence, lease.Fence)
		}
	}},
	{"a living object prevents it and nothing changes", func(w *world) {
		w.declare(acme, 1)
		w.settle(w.acquire(acme), object("billing", "customer", 1))
		_, err := w.store.BeginDeletion(w.ctx, acme, owner, nil)
		w.must(err)
		lease := w.acquire(acme)
		w.unchanged(acme, func() {
			if err := w.store.Tombstone(w.ctx, lease, []event.Event{w.event(acme)}, nil); err == nil {
				w.Fatal("a tenant with a living object was buried")
			}
		})
		w.forget(lease, "billing", "customer")
		w.must(w.store.Tombstone(w.ctx, lease, nil, nil))
	}},
	{"objects that await a dated end are kept and make the tombstone due", func(w *world) {
		w.buryWithPending()
		w.equal("objects", w.names(acme), []string{"database.schema", "storage.bucket"})
		w.equal("next", w.tenant(acme).NextReconcileAt, start.Add(time.Hour))
		w.equal("not due yet", len(w.list(ledger.Filter{DueAt: start, IncludeDeleted: true})), 0)
		w.equal("due", len(w.list(ledger.Filter{DueAt: start.Add(time.Hour), IncludeDeleted: true})), 1)
	}},
	{"what a tombstone kept can be finished", func(w *world) {
		w.buryWithPending()
		lease := w.acquire(acme)
		w.must(w.store.Settle(w.ctx, lease, ledger.Settlement{
			Generation: 1, Forget: true, Object: ledger.Object{Component: "storage", Object: "bucket"},
			Evidence: []ledger.Evidence{{Actor: "sweep", Step: "delete storage.bucket", Outcome: "deleted"}},
		}))
		w.must(w.store.Advance(w.ctx, lease, ledger.Progress{Generation: 1, Status: ledger.Deleted, NextReconcileAt: start.Add(48 * time.Hour)}))
		w.equal("objects", w.names(acme), []string{"database.schema"})
		w.equal("status", w.tenant(acme).Status, ledger.Deleted)
	}},
	{"what a tombstone kept is there in the next life", func(w *world) {
		w.buryWithPending()
		got := w.declare(acme, 1)
		w.equal("status", got.Status, ledger.Pending)
		w.equal("objects", w.names(acme), []string{"database.schema", "storage.bucket"})
	}},
	{"an open intent outlives the tombstone", func(w *world) {
		w.declare(acme, 1)
		w.intend(create)
		w.bury(acme)
		w.equal("open intents", len(w.intents(acme)), 1)
	}},
	{"only a deleting tenant can be buried", func(w *world) {
		w.declare(acme, 1)
		lease := w.acquire(acme)
		w.unchanged(acme, func() {
			w.wantErr(w.store.Tombstone(w.ctx, lease, nil, nil), ledger.ErrGeneration)
		})
	}},
}

// buryWithPending leaves a tombstone with a bucket that ends in an hour and a
// schema that ends in a day.
func (w *world) buryWithPending() {
	w.Helper()
	w.declare(acme, 1)
	lease := w.acquire(acme)
	for component, name := range map[string]string{"storage": "bucket", "database": "schema"} {
		o := object(component, name, 1)
		o.Condition, o.PendingUntil = ledger.ConditionPendingDeletion, start.Add(time.Hour)
		if component == "database" {
			o.Condition, o.PendingUntil = ledger.ConditionArchived, start.Add(24*time.Hour)
		}
		w.settle(lease, o)
	}
	w.bury(acme)
}
