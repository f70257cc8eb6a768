package ledgertest

import (
	"math"
	"time"

	"github.com/tenantplane/terraform-provider-tenant/internal/event"
	"github.com/tenantplane/terraform-provider-tenant/internal/ledger"
)

var advanceTests = []sentence{
	{"the row is written with events and evidence", func(w *world) {
		want := w.declare(acme, 1)
		lease := w.acquire(acme)
		e := w.event(acme)
		w.clk.Advance(time.Second)
		w.must(w.store.Advance(w.ctx, lease, ledger.Progress{
			Generation: 1, Status: ledger.Degraded, NextReconcileAt: start.Add(time.Hour), FailureCount: 3,
			LastErrorCode: "domain.zone_unknown", LastError: "there is no such zone", Events: []event.Event{e},
			Evidence: []ledger.Evidence{{Actor: owner, Step: "look", Outcome: "drift"}},
		}))
		want.Status, want.LastReconciledAt, want.NextReconcileAt = ledger.Degraded, w.clk.Now(), start.Add(time.Hour)
		want.FailureCount, want.LastErrorCode, want.LastError = 3, "domain.zone_unknown", "there is no such zone"
		w.equal("tenant", w.tenant(acme), want)
		w.equal("event", w.pending()[1], e)
		w.equal("evidence", len(w.evidence(acme)), 1)
	}},
	{"success clears the error", func(w *world) {
		w.declare(acme, 1)
		lease := w.acquire(acme)
		w.must(w.store.Advance(w.ctx, lease, ledger.Progress{Generation: 1, Status: ledger.Failed, FailureCount: 1, LastErrorCode: "x.y", LastError: "z"}))
		w.must(w.store.Advance(w.ctx, lease, ledger.Progress{Generation: 1, Status: ledger.Ready}))
		got := w.tenant(acme)
		w.equal("error", [3]any{got.FailureCount, got.LastErrorCode, got.LastError}, [3]any{int64(0), "", ""})
	}},
	{"only a processed generation is observed", func(w *world) {
		w.declare(acme, 1)
		lease := w.acquire(acme)
		w.must(w.store.Advance(w.ctx, lease, ledger.Progress{Generation: 1, Status: ledger.Reconciling}))
		w.equal("observed", int(w.tenant(acme).ObservedGeneration), 0)
		w.must(w.store.Advance(w.ctx, lease, ledger.Progress{Generation: 1, Status: ledger.Ready, Observed: true}))
		w.equal("observed", int(w.tenant(acme).ObservedGeneration), 1)
	}},
	{"the observed generation never goes down", func(w *world) {
		w.declare(acme, 1)
		lease := w.acquire(acme)
		w.must(w.store.Advance(w.ctx, lease, ledger.Progress{Generation: 1, Status: ledger.Ready, Observed: true}))
		w.declare(acme, 2)
		w.must(w.store.Advance(w.ctx, lease, ledger.Progress{Generation: 2, Status: ledger.Failed}))
		w.equal("observed", int(w.tenant(acme).ObservedGeneration), 1)
		w.unchanged(acme, func() {
			err := w.store.Advance(w.ctx, lease, ledger.Progress{Generation: 1, Status: ledger.Ready, Observed: true})
			w.wantErr(err, ledger.ErrGeneration)
		})
	}},
	{"absurd failure counts are clamped or kept", func(w *world) {
		w.declare(acme, 1)
		lease := w.acquire(acme)
		for stored, want := range map[int64]int64{
			-1: 0, math.MinInt64: 0, 0: 0, 100: 100, math.MaxInt32: math.MaxInt32, math.MaxInt64: math.MaxInt64,
		} {
			w.must(w.store.Advance(w.ctx, lease, ledger.Progress{Generation: 1, Status: ledger.Failed, FailureCount: stored}))
			w.equal("failure count", w.tenant(acme).FailureCount, want)
		}
	}},
	{"a pass that does not know of the deletion cannot undo it", func(w *world) {
		w.declare(acme, 1)
		lease := w.acquire(acme)
		_, err := w.store.BeginDeletion(w.ctx, acme, owner, nil)
		w.must(err)
		w.unchanged(acme, func() {
			err := w.store.Advance(w.ctx, lease, ledger.Progress{Generation: 1, Status: ledger.Ready, Observed: true})
			w.wantErr(err, ledger.ErrGeneration)
		})
		w.must(w.store.Advance(w.ctx, lease, ledger.Progress{Generation: 1, Status: ledger.Deleting, FailureCount: 1}))
	}},
	{"a pass can neither begin nor end a deletion", func(w *world) {
		w.declare(acme, 1)
		lease := w.acquire(acme)
		w.unchanged(acme, func() {
			for _, status := range []ledger.Status{ledger.Deleting, ledger.Deleted} {
				err := w.store.Advance(w.ctx, lease, ledger.Progress{Generation: 1, Status: status})
				w.wantErr(err, ledger.ErrGeneration)
			}
		})
	}},
}
