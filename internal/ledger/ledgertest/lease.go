package ledgertest

import (
	"errors"
	"time"

	"github.com/tenantplane/terraform-provider-tenant/internal/event"
	"github.com/tenantplane/terraform-provider-tenant/internal/ledger"
)

var leaseTests = []sentence{
	{"only an existing tenant can be leased", func(w *world) {
		_, err := w.store.Acquire(w.ctx, acme, worker, ttl)
		w.wantErr(err, ledger.ErrNotFound)
	}},
	{"a lease runs for its ttl", func(w *world) {
		w.declare(acme, 1)
		lease := w.acquire(acme)
		w.equal("lease", lease, ledger.Lease{Tenant: acme, Holder: worker, Fence: 1, Expires: start.Add(ttl)})
	}},
	{"a live lease of another holder is refused, naming the holder and the end", func(w *world) {
		w.declare(acme, 1)
		lease := w.acquire(acme)
		w.clk.Advance(ttl - time.Microsecond)
		_, err := w.open().Acquire(w.ctx, acme, "worker-2", ttl)
		w.wantErr(err, ledger.ErrLeased)
		var leased *ledger.LeasedError
		if !errors.As(err, &leased) {
			w.Fatalf("got %T, want a LeasedError", err)
		}
		w.equal("error", *leased, ledger.LeasedError{Tenant: acme, Holder: worker, Expires: lease.Expires})
	}},
	{"an expired lease is taken over under a higher fence", func(w *world) {
		w.declare(acme, 1)
		first := w.acquire(acme)
		w.clk.Advance(ttl)
		second, err := w.open().Acquire(w.ctx, acme, "worker-2", ttl)
		w.must(err)
		if second.Fence <= first.Fence || second.Holder != "worker-2" {
			w.Fatalf("got %+v after %+v", second, first)
		}
	}},
	{"the same holder gets a new lease with a higher fence", func(w *world) {
		w.declare(acme, 1)
		first := w.acquire(acme)
		second := w.acquire(acme)
		if second.Fence <= first.Fence {
			w.Fatalf("fence %d after %d", second.Fence, first.Fence)
		}
		_, err := w.store.Renew(w.ctx, first, ttl)
		w.wantErr(err, ledger.ErrFenced)
	}},
	{"renewing prolongs from now", func(w *world) {
		w.declare(acme, 1)
		lease := w.acquire(acme)
		w.clk.Advance(ttl / 2)
		renewed, err := w.store.Renew(w.ctx, lease, ttl)
		w.must(err)
		w.equal("lease", renewed, ledger.Lease{Tenant: acme, Holder: worker, Fence: lease.Fence, Expires: w.clk.Now().Add(ttl)})
		w.clk.Advance(ttl - time.Second)
		w.settle(renewed, object("billing", "customer", 1))
	}},
	{"releasing ends a lease at once and keeps the fence rising", func(w *world) {
		w.declare(acme, 1)
		first := w.acquire(acme)
		w.must(w.store.Release(w.ctx, first))
		second, err := w.store.Acquire(w.ctx, acme, "worker-2", ttl)
		w.must(err)
		if second.Fence <= first.Fence {
			w.Fatalf("fence %d after %d", second.Fence, first.Fence)
		}
	}},
	{"a released lease stays dead when the clock is set back", func(w *world) {
		w.declare(acme, 1)
		lease := w.acquire(acme)
		w.must(w.store.Release(w.ctx, lease))
		w.clk.Advance(-2 * time.Minute)
		_, err := w.store.Renew(w.ctx, lease, ttl)
		w.wantErr(err, ledger.ErrFenced)
		_, err = w.store.Acquire(w.ctx, acme, "worker-2", ttl)
		w.must(err)
	}},
	{"releasing a lost lease is no error and leaves the new one", func(w *world) {
		w.declare(acme, 1)
		lost := w.acquire(acme)
		w.clk.Advance(ttl)
		second, err := w.store.Acquire(w.ctx, acme, "worker-2", ttl)
		w.must(err)
		w.must(w.store.Release(w.ctx, lost))
		w.must(w.store.Release(w.ctx, ledger.Lease{Tenant: "nobody", Holder: worker, Fence: 1}))
		_, err = w.store.Renew(w.ctx, second, ttl)
		w.must(err)
	}},
}

// lost are the ways not to have the lease one shows.
var lost = []struct {
	name string
	lose func(w *world) ledger.Lease
}{
	{"expired", func(w *world) ledger.Lease {
		lease := w.acquire(acme)
		w.clk.Advance(ttl)
		return lease
	}},
	{"taken over", func(w *world) ledger.Lease {
		lease := w.acquire(acme)
		w.clk.Advance(ttl)
		_, err := w.open().Acquire(w.ctx, acme, "worker-2", 2*ttl)
		w.must(err)
		return lease
	}},
	{"released", func(w *world) ledger.Lease {
		lease := w.acquire(acme)
		w.must(w.store.Release(w.ctx, lease))
		return lease
	}},
	{"another holder's", func(w *world) ledger.Lease {
		lease := w.acquire(acme)
		lease.Holder = "worker-2"
		return lease
	}},
	{"with a fence from the future", func(w *world) ledger.Lease {
		lease := w.acquire(acme)
		lease.Fence++
		return lease
	}},
	{"never taken", func(w *world) ledger.Lease {
		return ledger.Lease{Tenant: acme, Holder: worker, Fence: 1, Expires: start.Add(ttl)}
	}},
}

var fenceTests = fences()

func fences() []sentence {
	var tests []sentence
	for _, l := range lost {
		tests = append(tests, sentence{"nothing is written under a lease " + l.name, func(w *world) {
			w.declare(acme, 1)
			_, err := w.store.BeginDeletion(w.ctx, acme, owner, nil)
			w.must(err)
			lease := l.lose(w)
			w.unchanged(acme, func() { w.refused(lease) })
		}})
	}
	return tests
}

// refused tries every method that takes a lease.
func (w *world) refused(lease ledger.Lease) {
	w.Helper()
	events, evidence := []event.Event{w.event(acme)}, []ledger.Evidence{{Actor: worker, Step: "x"}}
	_, err := w.store.Renew(w.ctx, lease, ttl)
	w.wantErr(err, ledger.ErrFenced)
	_, err = w.store.OpenIntent(w.ctx, lease, ledger.Intent{Component: "billing", Object: "customer", Key: "k"})
	w.wantErr(err, ledger.ErrFenced)
	w.wantErr(w.store.Settle(w.ctx, lease, ledger.Settlement{
		Generation: 1, Object: object("billing", "customer", 1), Events: events, Evidence: evidence,
	}), ledger.ErrFenced)
	w.wantErr(w.store.Advance(w.ctx, lease, ledger.Progress{
		Generation: 1, Status: ledger.Deleting, FailureCount: 9, Events: events, Evidence: evidence,
	}), ledger.ErrFenced)
	w.wantErr(w.store.Tombstone(w.ctx, lease, events, evidence), ledger.ErrFenced)
}
