package ledgertest

import (
	"math"
	"time"

	"github.com/tenantplane/terraform-provider-tenant/internal/event"
	"github.com/tenantplane/terraform-provider-tenant/internal/ledger"
	"github.com/tenantplane/terraform-provider-tenant/internal/tenant"
)

var eventTests = []sentence{
	{"an event comes back as it was appended", func(w *world) {
		w.declare(acme, 1)
		e := w.event(acme)
		w.tell(acme, e)
		w.equal("event", w.pending()[1], e)
	}},
	{"an event without a time gets the ledger's", func(w *world) {
		w.declare(acme, 1)
		e := w.event(acme)
		e.Time = time.Time{}
		w.tell(acme, e)
		w.equal("time", w.pending()[1].Time, start)
	}},
	{"a tenant's events keep their commit order, whatever the clock does", func(w *world) {
		w.declare("a", 1)
		w.declare("b", 1)
		want := map[tenant.ID][]string{}
		for _, e := range w.pending() {
			want[e.Tenant] = append(want[e.Tenant], e.ID)
		}
		for i := range 12 {
			id := []tenant.ID{"a", "b"}[i%2]
			first, second := w.event(id), w.event(id)
			w.tell(id, first, second)
			want[id] = append(want[id], first.ID, second.ID)
			w.clk.Advance(-10 * time.Second)
		}
		got := map[tenant.ID][]string{}
		for _, e := range w.pending() {
			got[e.Tenant] = append(got[e.Tenant], e.ID)
		}
		w.equal("order", got, want)
	}},
	{"the same id is the same fact and stays one event", func(w *world) {
		w.declare(acme, 1)
		e := w.event(acme)
		w.tell(acme, e)
		w.tell(acme, e)
		w.equal("events", len(w.pending()), 2)
	}},
	{"a published event does not come again", func(w *world) {
		w.declare(acme, 1)
		first, second := w.event(acme), w.event(acme)
		w.tell(acme, first, second)
		w.must(w.store.MarkPublished(w.ctx, []string{w.pendingIDs()[0], first.ID}))
		w.equal("pending", w.pendingIDs(), []string{second.ID})
		w.tell(acme, first)
		w.equal("pending after it was told again", w.pendingIDs(), []string{second.ID})
	}},
	{"marking unknown ids, twice or none is no error", func(w *world) {
		w.declare(acme, 1)
		ids := w.pendingIDs()
		w.must(w.store.MarkPublished(w.ctx, nil))
		w.must(w.store.MarkPublished(w.ctx, []string{"unknown", "'; DROP TABLE outbox; --"}))
		w.equal("pending", w.pendingIDs(), ids)
		w.must(w.store.MarkPublished(w.ctx, ids))
		w.must(w.store.MarkPublished(w.ctx, ids))
		w.equal("pending", w.pendingIDs(), []string{})
	}},
	{"a limit gives the oldest", func(w *world) {
		w.declare(acme, 1)
		e := w.event(acme)
		w.tell(acme, e, w.event(acme))
		got, err := w.store.PendingEvents(w.ctx, 2)
		w.must(err)
		w.equal("events", len(got), 2)
		w.equal("the second", got[1].ID, e.ID)
		for limit, want := range map[int]int{0: 0, -1: 0, math.MaxInt: 3} {
			got, err := w.store.PendingEvents(w.ctx, limit)
			w.must(err)
			w.equal("events", len(got), want)
		}
	}},
}

// tell appends events in one write.
func (w *world) tell(id tenant.ID, events ...event.Event) {
	w.Helper()
	w.must(w.store.Advance(w.ctx, w.acquire(id), ledger.Progress{Generation: 1, Status: ledger.Reconciling, Events: events}))
}
