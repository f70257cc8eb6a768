package ledgertest

import (
	"time"

	"github.com/tenantplane/terraform-provider-tenant/internal/event"
	"github.com/tenantplane/terraform-provider-tenant/internal/ledger"
	"github.com/tenantplane/terraform-provider-tenant/internal/tenant"
)

var operatorTests = []sentence{
	{"a pause is remembered with its end and its reason", func(w *world) {
		w.declare(acme, 1)
		until := start.Add(time.Hour)
		_, err := w.store.Pause(w.ctx, acme, until, "INC-7")
		w.must(err)
		row := w.tenant(acme)
		w.equal("pause", []any{row.PausedUntil, row.PauseReason, row.DesiredGeneration}, []any{until, "INC-7", tenant.Generation(1)})
		_, err = w.store.Pause(w.ctx, acme, time.Time{}, "over")
		w.must(err)
		row = w.tenant(acme)
		w.equal("pause", []any{row.PausedUntil, row.PauseReason}, []any{time.Time{}, ""})
	}},
	{"a suspension raises the generation, is due at once and tells of itself", func(w *world) {
		w.declare(acme, 1)
		w.must(w.store.Advance(w.ctx, w.acquire(acme), ledger.Progress{Generation: 1, Status: ledger.Ready, Observed: true, NextReconcileAt: start.Add(time.Hour), FailureCount: 3}))
		row, err := w.store.Suspend(w.ctx, acme, "unpaid", []event.Event{w.event(acme)})
		w.must(err)
		w.equal("row", []any{row.DesiredGeneration, row.NextReconcileAt, row.FailureCount, row.SuspendedAt, row.SuspendReason, row.IsSuspended()},
			[]any{row.ObservedGeneration + 1, start, int64(0), start, "unpaid", true})
		w.equal("events", len(w.pending()), 2)
	}},
	{"suspending twice changes nothing, nor does resuming twice", func(w *world) {
		w.declare(acme, 1)
		_, err := w.store.Suspend(w.ctx, acme, "unpaid", nil)
		w.must(err)
		w.unchanged(acme, func() {
			_, err := w.store.Suspend(w.ctx, acme, "again", []event.Event{w.event(acme)})
			w.must(err)
		})
		row, err := w.store.Resume(w.ctx, acme, nil)
		w.must(err)
		w.equal("row", []any{row.IsSuspended(), row.SuspendReason, row.DesiredGeneration}, []any{false, "", row.ObservedGeneration + 3})
		w.unchanged(acme, func() {
			_, err := w.store.Resume(w.ctx, acme, []event.Event{w.event(acme)})
			w.must(err)
		})
	}},
	{"a pass that began before a suspension is refused its next write", func(w *world) {
		w.declare(acme, 1)
		lease := w.acquire(acme)
		_, err := w.store.Suspend(w.ctx, acme, "unpaid", nil)
		w.must(err)
		w.wantErr(w.store.Settle(w.ctx, lease, ledger.Settlement{Generation: 1, Object: object("billing", "customer", 1)}), ledger.ErrGeneration)
	}},
	{"what is on its way out is neither paused nor suspended", func(w *world) {
		w.declare(acme, 1)
		_, err := w.store.BeginDeletion(w.ctx, acme, owner, nil)
		w.must(err)
		w.unchanged(acme, func() {
			_, err := w.store.Suspend(w.ctx, acme, "unpaid", nil)
			w.wantErr(err, ledger.ErrNotFound)
			_, err = w.store.Pause(w.ctx, acme, start.Add(time.Hour), "INC-7")
			w.wantErr(err, ledger.ErrNotFound)
		})
		_, err = w.store.Resume(w.ctx, "nobody", nil)
		w.wantErr(err, ledger.ErrNotFound)
	}},
	{"a new life is neither paused nor suspended", func(w *world) {
		w.declare(acme, 1)
		_, err := w.store.Suspend(w.ctx, acme, "unpaid", nil)
		w.must(err)
		_, err = w.store.Pause(w.ctx, acme, start.Add(time.Hour), "INC-7")
		w.must(err)
		w.bury(acme)
		row := w.declare(acme, 1)
		w.equal("row", []any{row.IsSuspended(), row.PausedUntil, row.ExaminedAt}, []any{false, time.Time{}, time.Time{}})
	}},
	{"another spec begins without the failures of the old one", func(w *world) {
		w.declare(acme, 1)
		w.must(w.store.Advance(w.ctx, w.acquire(acme), ledger.Progress{Generation: 1, Status: ledger.Failed, FailureCount: 9}))
		w.equal("failures of the same spec", w.declare(acme, 1).FailureCount, int64(9))
		w.equal("failures of another one", w.declare(acme, 2).FailureCount, int64(0))
	}},
	{"when everything was looked at is remembered", func(w *world) {
		w.declare(acme, 1)
		lease := w.acquire(acme)
		w.must(w.store.Advance(w.ctx, lease, ledger.Progress{Generation: 1, Status: ledger.Ready, Examined: true}))
		w.clk.Advance(time.Second)
		w.must(w.store.Advance(w.ctx, lease, ledger.Progress{Generation: 1, Status: ledger.Ready}))
		w.equal("examined", w.tenant(acme).ExaminedAt, start)
	}},
}

var tallyTests = []sentence{
	{"a scope without failures has the zero tally", func(w *world) {
		w.equal("tally", w.tally("backend/domain"), ledger.Tally{})
	}},
	{"a tally is replaced only as it was read", func(w *world) {
		one := ledger.Tally{Failures: 1, Since: start, Reason: "503"}
		two := ledger.Tally{Failures: 2, Since: start, OpenUntil: start.Add(time.Minute), Reason: "503 again"}
		w.swap("s", ledger.Tally{}, one, true)
		w.swap("s", ledger.Tally{}, two, false)
		w.equal("tally", w.tally("s"), one)
		w.swap("s", one, two, true)
		w.swap("s", one, two, false)
		all, err := w.store.Tallies(w.ctx)
		w.must(err)
		w.equal("all", all, map[string]ledger.Tally{"s": two})
	}},
	{"the zero tally forgets the scope", func(w *world) {
		one := ledger.Tally{Failures: 1, Since: start}
		w.swap("s", ledger.Tally{}, one, true)
		w.swap("s", one, ledger.Tally{}, true)
		w.swap("s", one, ledger.Tally{}, false)
		w.equal("tally", w.tally("s"), ledger.Tally{})
	}},
}

func (w *world) tally(scope string) ledger.Tally {
	w.Helper()
	t, err := w.store.Tally(w.ctx, scope)
	w.must(err)
	return t
}

func (w *world) swap(scope string, old, next ledger.Tally, want bool) {
	w.Helper()
	swapped, err := w.store.SwapTally(w.ctx, scope, old, next)
	w.must(err)
	w.equal("swapped", swapped, want)
}
