package ledgertest

import (
	"math"
	"time"

	"github.com/tenantplane/terraform-provider-tenant/internal/event"
	"github.com/tenantplane/terraform-provider-tenant/internal/ledger"
	"github.com/tenantplane/terraform-provider-tenant/internal/tenant"
)

var settleTests = []sentence{
	{"an external id leads to its owner while the object lives", func(w *world) {
		w.declare(acme, 1)
		lease := w.acquire(acme)
		w.settle(lease, object("billing", "customer", 1))
		owner, err := w.store.OwnerOf(w.ctx, "billing-id")
		w.must(err)
		w.equal("owner", owner, acme)
		w.forget(lease, "billing", "customer")
		for _, id := range []string{"billing-id", ""} {
			_, err = w.store.OwnerOf(w.ctx, id)
			w.wantErr(err, ledger.ErrNotFound)
		}
	}},
	{"an object comes back as it was settled, observed now", func(w *world) {
		w.declare(acme, 1)
		lease := w.acquire(acme)
		o := object("billing", "customer", 2)
		o.Message, o.Attempt, o.Condition = "the customer's \u2019name\u2019 was changed", 3, ledger.ConditionDrifted
		o.DriftSince, o.PendingUntil = start.Add(-time.Hour), start.Add(time.Hour)
		w.clk.Advance(time.Second)
		w.settle(lease, o)
		o.ObservedAt = w.clk.Now()
		w.equal("objects", w.objects(acme), []ledger.Object{o})
	}},
	{"objects come ordered by component and object", func(w *world) {
		w.declare(acme, 1)
		lease := w.acquire(acme)
		for _, id := range [][2]string{{"sso", "link"}, {"billing", "subscription"}, {"domain", "record"}, {"billing", "customer"}} {
			w.settle(lease, object(id[0], id[1], 1))
		}
		w.equal("order", w.names(acme), []string{"billing.customer", "billing.subscription", "domain.record", "sso.link"})
	}},
	{"settling again replaces the row", func(w *world) {
		w.declare(acme, 1)
		lease := w.acquire(acme)
		w.settle(lease, object("billing", "customer", 1))
		o := ledger.Object{Component: "billing", Object: "customer", Epoch: 1, Condition: ledger.ConditionMissing, ObservedAt: start}
		w.settle(lease, o)
		w.equal("objects", w.objects(acme), []ledger.Object{o})
	}},
	{"object, intent, events and evidence are written together", func(w *world) {
		w.declare(acme, 1)
		w.intend(create)
		e := w.event(acme)
		w.must(w.store.Settle(w.ctx, w.acquire(acme), ledger.Settlement{
			Generation: 1, Object: object("billing", "customer", 1), Events: []event.Event{e},
			Evidence: []ledger.Evidence{{Actor: owner, Step: "create billing.customer", Outcome: "created"}},
		}))
		w.equal("objects", w.names(acme), []string{"billing.customer"})
		w.equal("open intents", len(w.intents(acme)), 0)
		w.equal("event", w.pending()[1], e)
		w.equal("evidence", len(w.evidence(acme)), 1)
	}},
	{"a settlement that cannot be written whole is not written at all", func(w *world) {
		w.declare(acme, 1)
		w.intend(create)
		lease := w.acquire(acme)
		w.unchanged(acme, func() {
			err := w.store.Settle(w.ctx, lease, ledger.Settlement{
				Generation: 1, Object: object("billing", "customer", 1),
				Events: []event.Event{w.event(acme), w.event("somebody-else")},
			})
			if err == nil {
				w.Fatal("an event about another tenant was accepted")
			}
		})
	}},
	{"an outcome of an old generation is refused", func(w *world) {
		w.declare(acme, 1)
		lease := w.acquire(acme)
		w.declare(acme, 2)
		w.unchanged(acme, func() {
			for _, generation := range []tenant.Generation{1, 3, 0, -1} {
				err := w.store.Settle(w.ctx, lease, ledger.Settlement{Generation: generation, Object: object("billing", "customer", 1)})
				w.wantErr(err, ledger.ErrGeneration)
			}
		})
	}},
	{"what is left of an object takes its place in the same write", func(w *world) {
		w.declare(acme, 1)
		lease := w.acquire(acme)
		w.settle(lease, object("storage", "bucket", 1))
		remnant := object("storage", "bucket@1", 1)
		remnant.PendingUntil = start.Add(time.Hour)
		w.must(w.store.Settle(w.ctx, lease, ledger.Settlement{
			Generation: 1, Object: object("storage", "bucket", 1), Forget: true, Remnant: &remnant,
		}))
		w.equal("objects", w.names(acme), []string{"storage.bucket@1"})
	}},
	{"a remnant whose object lives again is forgotten in the same write", func(w *world) {
		w.declare(acme, 1)
		lease := w.acquire(acme)
		w.settle(lease, object("storage", "bucket@1", 1))
		w.must(w.store.Settle(w.ctx, lease, ledger.Settlement{
			Generation: 1, Object: object("storage", "bucket", 2), Revived: []ledger.Object{object("storage", "bucket@1", 1)},
		}))
		w.equal("objects", w.names(acme), []string{"storage.bucket"})
	}},
	{"a forgotten object is gone and its epoch remembered", func(w *world) {
		w.declare(acme, 1)
		lease := w.acquire(acme)
		w.equal("epoch of the unknown", w.lastEpoch(), int64(0))
		w.settle(lease, object("billing", "customer", 4))
		w.forget(lease, "billing", "customer")
		w.equal("objects", w.objects(acme), []ledger.Object{})
		w.equal("epoch", w.lastEpoch(), int64(4))
	}},
	{"the last epoch is the highest one ever", func(w *world) {
		w.declare(acme, 1)
		lease := w.acquire(acme)
		for _, epoch := range []int64{1, 5, 2} {
			w.settle(lease, object("billing", "customer", epoch))
		}
		w.equal("epoch", w.lastEpoch(), int64(5))
		w.equal("stored epoch", w.objects(acme)[0].Epoch, int64(2))
	}},
	{"a forgotten object can live again", func(w *world) {
		w.declare(acme, 1)
		lease := w.acquire(acme)
		w.settle(lease, object("billing", "customer", 1))
		w.forget(lease, "billing", "customer")
		w.settle(lease, object("billing", "customer", 2))
		w.equal("objects", w.names(acme), []string{"billing.customer"})
		w.equal("epoch", w.lastEpoch(), int64(2))
	}},
	{"forgetting the unknown is no error", func(w *world) {
		w.declare(acme, 1)
		w.forget(w.acquire(acme), "billing", "customer")
		w.equal("objects", w.objects(acme), []ledger.Object{})
	}},
	{"text of any kind can be stored", func(w *world) {
		w.declare(acme, 1)
		o := object("billing", "customer", math.MaxInt64)
		o.Message = "bytes \xff\xfe\x00 and '); DROP TABLE tenants; --"
		w.settle(w.acquire(acme), o)
		w.equal("message", w.objects(acme)[0].Message, "bytes \uFFFD\uFFFD and '); DROP TABLE tenants; --")
	}},
}

func (w *world) names(id tenant.ID) []string {
	w.Helper()
	names := []string{}
	for _, o := range w.objects(id) {
		names = append(names, o.Component+"."+o.Object)
	}
	return names
}

func (w *world) lastEpoch() int64 {
	w.Helper()
	epoch, err := w.store.LastEpoch(w.ctx, acme, "billing", "customer")
	w.must(err)
	return epoch
}
