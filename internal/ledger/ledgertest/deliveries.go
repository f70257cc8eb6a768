package ledgertest

import (
	"fmt"
	"time"

	"github.com/tenantplane/terraform-provider-tenant/internal/ledger"
	"github.com/tenantplane/terraform-provider-tenant/internal/tenant"
)

const (
	hook = "hook"
	hold = time.Minute
)

var deliveryTests = []sentence{
	{"a sink is owed what happens after its registration, or everything", func(w *world) {
		w.declare("a", 1)
		w.must(w.store.RegisterSink(w.ctx, "new", false))
		w.must(w.store.RegisterSink(w.ctx, "all", true))
		w.declare("b", 1)
		w.equal("new", w.claim("new", "d", 10), []string{"event-2"})
		w.equal("all", w.claim("all", "d", 10), []string{"event-1", "event-2"})
		w.equal("unknown", w.claim("else", "d", 10), []string{})
	}},
	{"registering again changes nothing", func(w *world) {
		w.declare("a", 1)
		w.must(w.store.RegisterSink(w.ctx, hook, false))
		w.must(w.store.RegisterSink(w.ctx, hook, true))
		w.equal("owed", w.claim(hook, "d", 10), []string{})
	}},
	{"of each tenant the first event is claimed, and the next after it", func(w *world) {
		w.owe("a", "a", "b")
		w.equal("first", w.claim(hook, "d", 10), []string{"event-1", "event-3"})
		w.equal("while they are held", w.claim(hook, "e", 10), []string{})
		w.deliver("d", "event-3")
		w.equal("b has no more", w.claim(hook, "d", 10), []string{})
		w.deliver("d", "event-1")
		w.equal("then", w.claim(hook, "d", 10), []string{"event-2"})
	}},
	{"a refused event waits with its tenant, and holds up nobody else", func(w *world) {
		w.owe("a", "a", "b")
		w.claim(hook, "d", 10)
		w.settleAs("d", ledger.DeliveryResult{EventID: "event-1", Attempts: 1, NextAt: start.Add(time.Minute), Error: "400"})
		w.deliver("d", "event-3")
		w.tell("b", w.event("b"))
		w.equal("b goes on", w.claim(hook, "d", 10), []string{"event-4"})
		w.clk.Advance(time.Minute)
		got, err := w.store.Claim(w.ctx, hook, "e", 10, hold)
		w.must(err)
		w.equal("a, again", []any{len(got), got[0].Event.ID, got[0].Attempts}, []any{2, "event-1", int64(1)})
	}},
	{"a dead event lets the next one pass, and is replayed under its id", func(w *world) {
		w.owe("a", "a", "b")
		w.claim(hook, "d", 10)
		w.settleAs("d", ledger.DeliveryResult{EventID: "event-1", Attempts: 10, Dead: true, Error: "400"})
		w.equal("next", w.claim(hook, "d", 10), []string{"event-2"})
		dead, err := w.store.DeadDeliveries(w.ctx, "")
		w.must(err)
		w.equal("dead", []any{len(dead), dead[0].Sink, dead[0].Event.ID, dead[0].Attempts, dead[0].LastError}, []any{1, hook, "event-1", int64(10), "400"})
		w.replay(hook, "b", "", 0)
		w.replay("else", "", "", 0)
		w.replay(hook, "", "event-1", 1)
		w.deliver("d", "event-2")
		w.equal("again", w.claim(hook, "d", 10), []string{"event-1"})
	}},
	{"dead events come back in their order", func(w *world) {
		w.owe("a", "a", "a")
		for _, id := range []string{"event-1", "event-2", "event-3"} {
			w.equal("claim", w.claim(hook, "d", 10), []string{id})
			w.settleAs("d", ledger.DeliveryResult{EventID: id, Dead: true})
		}
		w.replay(hook, "a", "", 3)
		for _, id := range []string{"event-1", "event-2", "event-3"} {
			w.equal("claim", w.claim(hook, "d", 10), []string{id})
			w.deliver("d", id)
		}
	}},
	{"a claim ends, and its holder's late result changes nothing", func(w *world) {
		w.owe("a")
		w.claim(hook, "d", 10)
		w.clk.Advance(hold)
		w.equal("taken over", w.claim(hook, "e", 10), []string{"event-1"})
		w.settleAs("d", ledger.DeliveryResult{EventID: "event-1", Dead: true})
		w.deliver("e", "event-1")
		sinks, err := w.store.Sinks(w.ctx)
		w.must(err)
		w.equal("left", []int64{sinks[0].Pending, sinks[0].Dead}, []int64{0, 0})
	}},
	{"a paused sink is owed nothing now", func(w *world) {
		w.owe("a")
		w.claim(hook, "d", 10)
		health := ledger.SinkHealth{PausedUntil: start.Add(time.Minute), Outages: 3, LastError: "503"}
		w.must(w.store.SettleDeliveries(w.ctx, hook, "d", []ledger.DeliveryResult{{EventID: "event-1"}}, health))
		w.equal("paused", w.claim(hook, "d", 10), []string{})
		sinks, err := w.store.Sinks(w.ctx)
		w.must(err)
		w.equal("health", sinks[0].SinkHealth, health)
		w.clk.Advance(time.Minute)
		w.equal("afterwards", w.claim(hook, "d", 10), []string{"event-1"})
	}},
	{"a sink says what it is owed", func(w *world) {
		w.owe("a", "b")
		w.clk.Advance(time.Minute)
		sinks, err := w.store.Sinks(w.ctx)
		w.must(err)
		w.equal("sinks", sinks, []ledger.Sink{{Name: hook, RegisteredAt: start, Pending: 2, Oldest: start}})
	}},
	{"a forgotten sink is owed nothing", func(w *world) {
		w.owe("a")
		w.claim(hook, "d", 10)
		w.must(w.store.ForgetSink(w.ctx, hook))
		w.deliver("d", "event-1")
		w.wantErr(w.store.ForgetSink(w.ctx, hook), ledger.ErrNotFound)
		w.must(w.store.RegisterSink(w.ctx, hook, false))
		w.equal("owed", w.claim(hook, "d", 10), []string{})
	}},
	{"old events go in batches, unless somebody is owed them", func(w *world) {
		w.owe("a", "b", "c", "d")
		w.claim(hook, "d", 10)
		w.deliver("d", "event-1")
		w.deliver("d", "event-2")
		w.deliver("d", "event-3")
		w.settleAs("d", ledger.DeliveryResult{EventID: "event-4", Dead: true})
		w.clk.Advance(time.Hour)
		w.purge(start, 10, 0)
		w.purge(start.Add(time.Minute), 2, 2)
		w.purge(start.Add(time.Minute), 2, 1)
		w.purge(start.Add(time.Minute), 2, 0)
		w.equal("left", w.pendingIDs(), []string{"event-4"})
		w.tell("a", w.event("a"))
		w.equal("the tenant's next event", w.claim(hook, "d", 10), []string{"event-5"})
	}},
	{"the age of the oldest transaction is no error", func(w *world) {
		age, err := w.store.OldestTransaction(w.ctx)
		w.must(err)
		if age < 0 {
			w.Errorf("age %s", age)
		}
	}},
}

// owe registers the sink and lets something happen to each tenant named.
func (w *world) owe(ids ...tenant.ID) {
	w.Helper()
	w.must(w.store.RegisterSink(w.ctx, hook, false))
	seen := map[tenant.ID]bool{}
	for _, id := range ids {
		if !seen[id] {
			w.declare(id, 1)
		} else {
			w.tell(id, w.event(id))
		}
		seen[id] = true
	}
}

func (w *world) claim(sink, holder string, limit int) []string {
	w.Helper()
	got, err := w.store.Claim(w.ctx, sink, holder, limit, hold)
	w.must(err)
	ids := []string{}
	for _, d := range got {
		ids = append(ids, d.Event.ID)
	}
	return ids
}

func (w *world) deliver(holder, id string) {
	w.Helper()
	w.settleAs(holder, ledger.DeliveryResult{EventID: id, Delivered: true})
}

func (w *world) settleAs(holder string, r ledger.DeliveryResult) {
	w.Helper()
	w.must(w.store.SettleDeliveries(w.ctx, hook, holder, []ledger.DeliveryResult{r}, ledger.SinkHealth{}))
}

func (w *world) replay(sink string, id tenant.ID, eventID string, want int64) {
	w.Helper()
	n, err := w.store.Replay(w.ctx, sink, id, eventID)
	w.must(err)
	w.equal(fmt.Sprintf("replayed of %s %s %s", sink, id, eventID), n, want)
}

func (w *world) purge(before time.Time, limit int, want int64) {
	w.Helper()
	n, err := w.store.PurgeEvents(w.ctx, before, limit)
	w.must(err)
	w.equal("purged", n, want)
}
