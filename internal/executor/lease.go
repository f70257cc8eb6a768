package executor

import (
	"context"
	"errors"
	"fmt"
	"sync/atomic"
	"time"

	"github.com/tenantplane/terraform-provider-tenant/internal/ledger"
	"github.com/tenantplane/terraform-provider-tenant/internal/tenant"
)

// grace is how long what has to be recorded may take once the caller's context
// has ended: a runner kills what does not end soon after its Ctrl-C. All writes
// of a pass share it.
const grace = 8 * time.Second

// begin takes the lease on a tenant and reads its row. The context it returns
// ends with the lease as well: who lost it must not act. end gives the lease
// back. Each pass is a holder of its own, so that two in one process exclude
// each other, too.
func (x *Executor) begin(ctx context.Context, id tenant.ID, actor string) (p *pass, under context.Context, end func(), err error) {
	lasting, release := withGrace(ctx)
	before := x.Clock.Now()
	lease, err := x.Ledger.Acquire(ctx, id, x.holder(), x.Lease)
	if err != nil {
		release()
		return nil, nil, nil, fmt.Errorf("lease tenant %s: %w", id, err)
	}
	own := *x
	own.calls = &atomic.Int64{}
	p = &pass{
		Executor: &own, actor: actor, lease: lease, done: map[string]bool{}, lasting: lasting,
		skew: skew(lease.Expires.Add(-x.Lease), before, x.Clock.Now()),
	}
	under, stop := p.keepLease(ctx)
	end = func() {
		stop()
		_ = x.Ledger.Release(lasting, p.currentLease()) // it ends by itself otherwise
		release()
	}
	row, err := x.Ledger.Tenant(ctx, id)
	if err != nil {
		end()
		return nil, nil, nil, fmt.Errorf("load tenant %s: %w", id, err)
	}
	p.view.Tenant = row
	return p, under, end, nil
}

// holder names one pass of this process in leases.
func (x *Executor) holder() string { return x.Worker + "/" + x.NewID() }

// skew is how far the ledger's clock is ahead of ours, when it showed its time
// between two moments of ours; 0 when it agrees with either.
func skew(ledgers, before, after time.Time) time.Duration {
	switch {
	case ledgers.Before(before.Add(-time.Second)):
		return ledgers.Sub(before)
	case ledgers.After(after.Add(time.Second)):
		return ledgers.Sub(after)
	}
	return 0
}

// withGrace returns a context that outlives ctx by the grace.
func withGrace(ctx context.Context) (context.Context, func()) {
	lasting, cancel := context.WithCancel(context.WithoutCancel(ctx))
	unhook := context.AfterFunc(ctx, func() { time.AfterFunc(grace, cancel) })
	return lasting, func() {
		unhook()
		cancel()
	}
}

// keepLease renews the lease of a pass until stop is called: looks and calls may
// take longer than the lease lasts. A killed process stops renewing, and the
// next one goes on soon. Real time, not the Clock's: it is about whether this
// process lives. The context it returns ends when somebody else has the lease,
// or must be taken to have it, as after a long sleep of this machine.
func (p *pass) keepLease(ctx context.Context) (under context.Context, stop func()) {
	under, cancel := context.WithCancelCause(ctx)
	ended, quit := make(chan struct{}), make(chan struct{})
	go func() {
		defer close(ended)
		beat := time.NewTicker(p.Lease / 4)
		defer beat.Stop()
		for last := time.Now(); ; {
			select {
			case <-quit:
				return
			case <-beat.C:
			}
			err := p.renew()
			switch {
			case err == nil:
				last = time.Now()
			case errors.Is(err, ledger.ErrFenced), time.Since(last) > p.Lease:
				cancel(fmt.Errorf("the lease on tenant %s was lost: %w", p.lease.Tenant, ledger.ErrFenced))
				return
			}
		}
	}()
	return under, func() {
		close(quit)
		<-ended
		cancel(nil)
	}
}
