package ledgertest

import (
	"time"

	"github.com/tenantplane/terraform-provider-tenant/internal/ledger"
	"github.com/tenantplane/terraform-provider-tenant/internal/tenant"
)

var listTests = []sentence{
	{"an unknown tenant is not found", func(w *world) {
		_, err := w.store.Tenant(w.ctx, acme)
		w.wantErr(err, ledger.ErrNotFound)
	}},
	{"without a filter all living tenants come ordered by id", func(w *world) {
		w.some()
		w.equal("tenants", w.list(ledger.Filter{}), []tenant.ID{"a", "b", "c"})
	}},
	{"tombstones come when asked for", func(w *world) {
		w.some()
		w.equal("tenants", w.list(ledger.Filter{IncludeDeleted: true}), []tenant.ID{"a", "b", "c", "gone"})
		w.equal("status", w.tenant("gone").Status, ledger.Deleted)
	}},
	{"statuses restrict", func(w *world) {
		w.some()
		w.equal("ready", w.list(ledger.Filter{Statuses: []ledger.Status{ledger.Ready}}), []tenant.ID{"a"})
		w.equal("two", w.list(ledger.Filter{Statuses: []ledger.Status{ledger.Ready, ledger.Waiting}}), []tenant.ID{"a", "b"})
		w.equal("none", w.list(ledger.Filter{Statuses: []ledger.Status{ledger.Blocked}}), []tenant.ID{})
		w.equal("part of a word", w.list(ledger.Filter{Statuses: []ledger.Status{"read"}}), []tenant.ID{})
	}},
	{"due tenants come in the order they are due", func(w *world) {
		w.some()
		w.equal("due now", w.list(ledger.Filter{DueAt: start}), []tenant.ID{"c"})
		w.equal("due at the minute", w.list(ledger.Filter{DueAt: start.Add(2 * time.Minute)}), []tenant.ID{"c", "b"})
		w.equal("due a moment before", w.list(ledger.Filter{DueAt: start.Add(2*time.Minute - time.Microsecond)}), []tenant.ID{"c"})
		w.equal("due later", w.list(ledger.Filter{DueAt: start.Add(time.Hour)}), []tenant.ID{"c", "b", "a"})
	}},
	{"a fleet is summed up", func(w *world) {
		w.some()
		w.declare("a", 2)
		drifted := object("domain", "record", 1)
		drifted.DriftSince = start.Add(-time.Hour)
		lease := w.acquire("b")
		w.settle(lease, drifted)
		drifted.Object, drifted.DriftSince = "wildcard", start
		w.settle(lease, drifted)
		fleet, err := w.store.Fleet(w.ctx)
		w.must(err)
		w.equal("fleet", fleet, ledger.Fleet{
			ByStatus:    map[ledger.Status]int64{ledger.Ready: 1, ledger.Waiting: 1, ledger.Pending: 1},
			OldestDrift: start.Add(-time.Hour), Gap: 2,
		})
	}},
	{"a limit bounds the result", func(w *world) {
		w.some()
		w.equal("first two", w.list(ledger.Filter{Limit: 2}), []tenant.ID{"a", "b"})
		w.equal("most overdue", w.list(ledger.Filter{DueAt: start.Add(time.Hour), Limit: 1}), []tenant.ID{"c"})
	}},
	{"a tenant without a next date is due, a tombstone without one is not", func(w *world) {
		w.some()
		w.must(w.store.Advance(w.ctx, w.acquire("a"), ledger.Progress{Generation: 1, Status: ledger.Ready}))
		due := w.list(ledger.Filter{DueAt: start, IncludeDeleted: true})
		w.equal("due", due, []tenant.ID{"a", "c"})
	}},
}

// some fills the ledger: a is ready and due in 3 minutes, b waits and is due
// in 2, c is pending and due now, gone is deleted.
func (w *world) some() {
	w.Helper()
	for _, id := range []tenant.ID{"c", "gone", "b", "a"} {
		w.declare(id, 1)
	}
	for id, p := range map[tenant.ID]ledger.Progress{
		"a": {Status: ledger.Ready, NextReconcileAt: start.Add(3 * time.Minute)},
		"b": {Status: ledger.Waiting, NextReconcileAt: start.Add(2 * time.Minute)},
	} {
		p.Generation = 1
		w.must(w.store.Advance(w.ctx, w.acquire(id), p))
	}
	w.bury("gone")
}

func (w *world) list(f ledger.Filter) []tenant.ID {
	w.Helper()
	tenants, err := w.store.Tenants(w.ctx, f)
	w.must(err)
	ids := []tenant.ID{}
	for _, t := range tenants {
		ids = append(ids, t.ID)
	}
	return ids
}
