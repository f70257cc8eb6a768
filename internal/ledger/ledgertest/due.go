package ledgertest

import (
	"time"

	"github.com/tenantplane/terraform-provider-tenant/internal/ledger"
	"github.com/tenantplane/terraform-provider-tenant/internal/tenant"
)

var dueTests = []sentence{
	{"due tenants come by how long they are overdue, failing ones apart", func(w *world) {
		w.fleet()
		at := start.Add(10 * time.Minute)
		w.equal("any", w.due(ledger.DueFilter{At: at}), []tenant.ID{"new", "failing", "ready"})
		w.equal("healthy", w.due(ledger.DueFilter{At: at, Health: ledger.Healthy}), []tenant.ID{"new", "ready"})
		w.equal("failing", w.due(ledger.DueFilter{At: at, Health: ledger.Failing}), []tenant.ID{"failing"})
		w.equal("earlier", w.due(ledger.DueFilter{At: start.Add(time.Minute)}), []tenant.ID{"new", "failing"})
		w.equal("one", w.due(ledger.DueFilter{At: at, Limit: 1}), []tenant.ID{"new"})
	}},
	{"a due tenant says whether it is behind its spec", func(w *world) {
		w.fleet()
		due, err := w.store.Due(w.ctx, ledger.DueFilter{At: start.Add(10 * time.Minute), Health: ledger.Healthy})
		w.must(err)
		w.equal("due", due, []ledger.Due{
			{ID: "new", Generation: 1, Behind: true, At: start},
			{ID: "ready", Generation: 1, At: start.Add(2 * time.Minute)},
		})
	}},
	{"a tombstone is due while something of it is left", func(w *world) {
		w.declare(acme, 1)
		left := object("storage", "bucket@1", 1)
		left.PendingUntil = start.Add(time.Hour)
		w.settle(w.acquire(acme), left)
		w.bury(acme)
		w.equal("before", w.due(ledger.DueFilter{At: start.Add(time.Minute)}), []tenant.ID{})
		w.equal("at its date", w.due(ledger.DueFilter{At: start.Add(time.Hour)}), []tenant.ID{acme})
		w.must(w.store.Advance(w.ctx, w.acquire(acme), ledger.Progress{Generation: 1, Status: ledger.Deleted}))
		w.equal("with nothing left", w.due(ledger.DueFilter{At: start.Add(time.Hour)}), []tenant.ID{})
	}},
	{"a tenant that somebody works on is left out", func(w *world) {
		w.declare(acme, 1)
		lease := w.acquire(acme)
		w.equal("leased", w.due(ledger.DueFilter{At: start}), []tenant.ID{})
		w.equal("after the lease's end", w.due(ledger.DueFilter{At: start.Add(ttl)}), []tenant.ID{acme})
		w.must(w.store.Release(w.ctx, lease))
		w.equal("released", w.due(ledger.DueFilter{At: start}), []tenant.ID{acme})
	}},
	{"a wake-up makes a tenant due at once, and never later", func(w *world) {
		w.fleet()
		w.clk.Advance(time.Minute)
		w.equal("ready", w.wake("ready", 0), start.Add(time.Minute))
		w.equal("new", w.wake("new", 0), start)
		_, err := w.store.Wake(w.ctx, "nobody", 0)
		w.wantErr(err, ledger.ErrNotFound)
	}},
	{"many wake-ups book one pass, a spacing after the last one", func(w *world) {
		w.fleet()
		w.clk.Advance(10 * time.Second)
		for range 5 {
			w.equal("ready", w.wake("ready", 30*time.Second), start.Add(30*time.Second))
			w.clk.Advance(time.Second)
		}
	}},
	{"a wake-up leaves a tombstone alone", func(w *world) {
		w.declare(acme, 1)
		w.bury(acme)
		w.unchanged(acme, func() { w.wake(acme, 0) })
	}},
}

// fleet declares a tenant that is new, one that fails, and one that is ready,
// due in this order.
func (w *world) fleet() {
	w.Helper()
	for _, id := range []tenant.ID{"ready", "failing", "new"} {
		w.declare(id, 1)
	}
	for id, p := range map[tenant.ID]ledger.Progress{
		"failing": {Status: ledger.Reconciling, FailureCount: 2, NextReconcileAt: start.Add(time.Minute)},
		"ready":   {Status: ledger.Ready, Observed: true, NextReconcileAt: start.Add(2 * time.Minute)},
	} {
		p.Generation = 1
		lease := w.acquire(id)
		w.must(w.store.Advance(w.ctx, lease, p))
		w.must(w.store.Release(w.ctx, lease))
	}
}

func (w *world) due(f ledger.DueFilter) []tenant.ID {
	w.Helper()
	due, err := w.store.Due(w.ctx, f)
	w.must(err)
	ids := []tenant.ID{}
	for _, d := range due {
		ids = append(ids, d.ID)
	}
	return ids
}

func (w *world) wake(id tenant.ID, spacing time.Duration) time.Time {
	w.Helper()
	row, err := w.store.Wake(w.ctx, id, spacing)
	w.must(err)
	return row.NextReconcileAt
}
