package ledgertest

import (
	"errors"
	"fmt"
	"sync"
	"sync/atomic"
	"time"

	"github.com/tenantplane/terraform-provider-tenant/internal/event"
	"github.com/tenantplane/terraform-provider-tenant/internal/ledger"
	"github.com/tenantplane/terraform-provider-tenant/internal/tenant"
)

// How many stores work on one database at once, and how often each.
const (
	stores = 4
	rounds = 15
)

var concurrencyTests = []sentence{
	{"of all who declare a new tenant, one creates it", func(w *world) {
		var owned, refused atomic.Int64
		w.together(func(store ledger.Store, n int) error {
			_, err := store.Declare(w.ctx, ledger.Declaration{Spec: spec(acme, 1), Claim: fmt.Sprint("state-", n), EventID: fmt.Sprint("e", n)})
			if errors.Is(err, ledger.ErrClaimed) {
				refused.Add(1)
				return nil
			}
			owned.Add(1)
			return err
		})
		w.equal("owners and refused", [2]int64{owned.Load(), refused.Load()}, [2]int64{1, stores - 1})
		w.equal("events", len(w.pending()), 1)
	}},
	{"every changed spec gets a generation of its own", func(w *world) {
		w.declare(acme, 0)
		var mu sync.Mutex
		seen := map[tenant.Generation]bool{}
		w.together(func(store ledger.Store, n int) error {
			for i := range rounds {
				got, err := store.Declare(w.ctx, ledger.Declaration{Spec: spec(acme, 1+n*rounds+i), Claim: owner})
				if err != nil {
					return err
				}
				mu.Lock()
				seen[got.DesiredGeneration] = true
				mu.Unlock()
			}
			return nil
		})
		w.equal("distinct generations", len(seen), stores*rounds)
		w.equal("last generation", int(w.tenant(acme).DesiredGeneration), 1+stores*rounds)
	}},
	{"of all who want a lease, one gets it", func(w *world) {
		w.declare(acme, 1)
		for range rounds {
			var won atomic.Int64
			w.together(func(store ledger.Store, n int) error {
				_, err := store.Acquire(w.ctx, acme, fmt.Sprint("worker-", n), ttl)
				if errors.Is(err, ledger.ErrLeased) {
					return nil
				}
				won.Add(1)
				return err
			})
			w.equal("winners", won.Load(), int64(1))
			w.clk.Advance(ttl)
		}
	}},
	{"no update under a lease is lost, and the chain holds", func(w *world) {
		w.declare(acme, 1)
		w.together(func(store ledger.Store, n int) error {
			for i := range rounds {
				if err := w.increment(store, fmt.Sprint("worker-", n), fmt.Sprintf("w%d-%d", n, i)); err != nil {
					return err
				}
			}
			return nil
		})
		w.equal("increments", w.tenant(acme).FailureCount, int64(stores*rounds))
		w.equal("events", len(w.pending()), 1+stores*rounds)
		w.equal("evidence", len(w.evidence(acme)), stores*rounds)
		w.must(ledger.VerifyChain(acme, w.evidence(acme)))
	}},
	{"a worker that slept past its lease writes nothing", func(w *world) {
		w.declare(acme, 1)
		sleeper := w.acquire(acme)
		w.clk.Advance(ttl)
		other := w.open()
		lease, err := other.Acquire(w.ctx, acme, "worker-2", ttl)
		w.must(err)
		w.must(other.Settle(w.ctx, lease, ledger.Settlement{Generation: 1, Object: object("billing", "customer", 1)}))
		stale := object("billing", "customer", 1)
		stale.ExternalID = "the sleeper's"
		w.wantErr(w.store.Settle(w.ctx, sleeper, ledger.Settlement{Generation: 1, Object: stale}), ledger.ErrFenced)
		w.equal("id", w.objects(acme)[0].ExternalID, "billing-id")
	}},
	{"a tenant and another installation exclude each other", func(w *world) {
		var adopted atomic.Int64
		w.together(func(store ledger.Store, n int) error {
			if n%2 == 1 {
				_, err := store.Declare(w.ctx, ledger.Declaration{Spec: spec(acme, 1), Claim: owner, EventID: "e"})
				return err
			}
			err := store.AdoptInstallation(w.ctx, tenant.Installation(fmt.Sprint("lost", n)))
			if errors.Is(err, ledger.ErrInstallation) {
				return nil
			}
			adopted.Add(1)
			return err
		})
		if adopted.Load() > 1 {
			w.Fatalf("%d installations were adopted by one ledger", adopted.Load())
		}
		w.wantErr(w.store.AdoptInstallation(w.ctx, "late1"), ledger.ErrInstallation)
	}},
	{"of all who claim the same deliveries, one gets each", func(w *world) {
		w.must(w.store.RegisterSink(w.ctx, "hook", false))
		for i := range 20 {
			w.declare(tenant.ID(fmt.Sprint("t", i)), 1)
		}
		var mu sync.Mutex
		claimed := map[string]int{}
		w.together(func(store ledger.Store, n int) error {
			got, err := store.Claim(w.ctx, "hook", fmt.Sprint("dispatcher-", n), 5, time.Minute)
			mu.Lock()
			defer mu.Unlock()
			for _, d := range got {
				claimed[d.Event.ID]++
			}
			return err
		})
		for id, times := range claimed {
			if times != 1 {
				w.Errorf("event %s was claimed %d times", id, times)
			}
		}
		w.equal("claimed", len(claimed), 20)
	}},
	{"a sink that is registered while events are written misses none of those after it", func(w *world) {
		for i := range stores {
			w.declare(tenant.ID(fmt.Sprint("t", i)), 1)
		}
		var mu sync.Mutex
		w.together(func(store ledger.Store, n int) error {
			if n == 0 {
				return store.RegisterSink(w.ctx, "hook", true)
			}
			id := tenant.ID(fmt.Sprint("t", n))
			lease, err := store.Acquire(w.ctx, id, fmt.Sprint("w", n), ttl)
			for range rounds {
				mu.Lock()
				e := w.event(id)
				mu.Unlock()
				if err == nil {
					err = store.Advance(w.ctx, lease, ledger.Progress{Generation: 1, Status: ledger.Reconciling, Events: []event.Event{e}})
				}
			}
			return err
		})
		sinks, err := w.store.Sinks(w.ctx)
		w.must(err)
		w.equal("owed", sinks[0].Pending, int64(len(w.pending())))
	}},
}

// increment takes the lease, adds one to the failure count and lets go.
func (w *world) increment(store ledger.Store, holder, id string) error {
	lease, err := store.Acquire(w.ctx, acme, holder, ttl)
	for errors.Is(err, ledger.ErrLeased) {
		time.Sleep(time.Millisecond)
		lease, err = store.Acquire(w.ctx, acme, holder, ttl)
	}
	if err != nil {
		return err
	}
	t, err := store.Tenant(w.ctx, acme)
	if err != nil {
		return err
	}
	err = store.Advance(w.ctx, lease, ledger.Progress{
		Generation: 1, Status: ledger.Reconciling, FailureCount: t.FailureCount + 1,
		Events:   []event.Event{{ID: id, Type: event.ComponentReady, Tenant: acme}},
		Evidence: []ledger.Evidence{{Actor: holder, Step: id}},
	})
	if err != nil {
		return err
	}
	return store.Release(w.ctx, lease)
}

// together runs work in several goroutines, each with a store of its own on
// the same database.
func (w *world) together(work func(store ledger.Store, n int) error) {
	w.Helper()
	var group sync.WaitGroup
	begin := make(chan struct{})
	for n := range stores {
		store := w.open()
		group.Go(func() {
			<-begin
			if err := work(store, n); err != nil {
				w.Errorf("store %d: %v", n, err)
			}
		})
	}
	close(begin)
	group.Wait()
	if w.Failed() {
		w.FailNow()
	}
}
