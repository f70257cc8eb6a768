package ledgertest

import (
	"time"

	"github.com/tenantplane/terraform-provider-tenant/internal/ledger"
)

// create is the intent to create billing.customer under the first key.
var create = ledger.Intent{
	Component: "billing", Object: "customer", Verb: "create", Key: "test/acme/billing.customer/e1", RequestHash: "h1", Epoch: 1, Attempt: 1,
}

var intentTests = []sentence{
	{"an intent is stored with its first use", func(w *world) {
		w.declare(acme, 1)
		got := w.intend(create)
		want := create
		want.FirstUsedAt, want.LastUsedAt, want.Tries = start, start, 1
		w.equal("intent", got, want)
		w.equal("open intents", w.intents(acme), []ledger.Intent{want})
	}},
	{"the same key again keeps the first use and what it was bound to, and counts", func(w *world) {
		w.declare(acme, 1)
		w.intend(create)
		w.clk.Advance(time.Second)
		again := create
		again.RequestHash, again.Verb = "h2", "adopt"
		got := w.intend(again)
		want := create
		want.FirstUsedAt, want.LastUsedAt, want.Tries, want.Verb = start, w.clk.Now(), 2, "adopt"
		w.equal("intent", got, want)
		w.equal("open intents", w.intents(acme), []ledger.Intent{want})
	}},
	{"another key for the same object replaces the intent", func(w *world) {
		w.declare(acme, 1)
		w.intend(create)
		w.clk.Advance(time.Second)
		second := create
		second.Key, second.RequestHash, second.Attempt = create.Key+"/a2", "h2", 2
		got := w.intend(second)
		second.FirstUsedAt, second.LastUsedAt, second.Tries = w.clk.Now(), w.clk.Now(), 1
		w.equal("intent", got, second)
		w.equal("open intents", w.intents(acme), []ledger.Intent{second})
	}},
	{"intents of several objects come in the order of their first use", func(w *world) {
		w.declare(acme, 1)
		for _, name := range []string{"record", "zone", "alias"} {
			w.intend(ledger.Intent{Component: "domain", Object: name, Key: name})
			w.clk.Advance(time.Second)
		}
		w.intend(ledger.Intent{Component: "domain", Object: "record", Key: "record"})
		var order []string
		for _, i := range w.intents(acme) {
			order = append(order, i.Object)
		}
		w.equal("order", order, []string{"record", "zone", "alias"})
	}},
	{"an intent outlives the process that wrote it", func(w *world) {
		w.declare(acme, 1)
		w.intend(create)
		intents, err := w.open().OpenIntents(w.ctx, acme)
		w.must(err)
		w.equal("key", intents[0].Key, create.Key)
	}},
	{"settling closes the intent of that object only", func(w *world) {
		w.declare(acme, 1)
		w.intend(create)
		w.intend(ledger.Intent{Component: "billing", Object: "subscription", Key: "k2"})
		w.settle(w.acquire(acme), object("billing", "customer", 1))
		left := w.intents(acme)
		w.equal("open intents", len(left), 1)
		w.equal("the one left", left[0].Object, "subscription")
	}},
	{"a closed intent is new when opened again", func(w *world) {
		w.declare(acme, 1)
		w.intend(create)
		w.settle(w.acquire(acme), object("billing", "customer", 1))
		w.clk.Advance(time.Second)
		got := w.intend(create)
		if got.Tries != 1 || !got.FirstUsedAt.Equal(w.clk.Now()) {
			w.Fatalf("got %+v, want a first try now", got)
		}
	}},
	{"an unknown outcome keeps the intent open", func(w *world) {
		w.declare(acme, 1)
		want := w.intend(create)
		o := object("billing", "customer", 1)
		o.ExternalID, o.Condition = "", ledger.ConditionProgressing
		w.must(w.store.Settle(w.ctx, w.acquire(acme), ledger.Settlement{Generation: 1, Object: o, KeepIntent: true}))
		w.equal("open intents", w.intents(acme), []ledger.Intent{want})
	}},
}

func (w *world) intend(i ledger.Intent) ledger.Intent {
	w.Helper()
	got, err := w.store.OpenIntent(w.ctx, w.acquire(acme), i)
	w.must(err)
	return got
}
