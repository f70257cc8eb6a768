package ledgertest

import (
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
	{"events are found by tenant and by type, the newest first", func(w *world) {
		w.declare("a", 1)
		w.declare("b", 1)
		e := w.event("a")
		w.tell("a", e)
		find := func(f ledger.EventFilter) []string {
			events, err := w.store.Events(w.ctx, f)
			w.must(err)
			ids := []string{}
			for _, e := range events {
				ids = append(ids, string(e.Tenant)+" "+e.Type)
			}
			return ids
		}
		w.equal("of a", find(ledger.EventFilter{Tenant: "a"}), []string{"a " + event.ComponentReady, "a " + event.RegistrationInitiated})
		w.equal("of a type", find(ledger.EventFilter{Types: []string{event.ComponentReady}}), []string{"a " + event.ComponentReady})
		w.equal("one of a", find(ledger.EventFilter{Tenant: "a", Limit: 1}), []string{"a " + event.ComponentReady})
		w.equal("of nobody", find(ledger.EventFilter{Tenant: "c"}), []string{})
	}},
}

// tell appends events in one write.
func (w *world) tell(id tenant.ID, events ...event.Event) {
	w.Helper()
	w.must(w.store.Advance(w.ctx, w.acquire(id), ledger.Progress{Generation: 1, Status: ledger.Reconciling, Events: events}))
}
