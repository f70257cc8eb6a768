package executor_test

import (
	"context"
	"errors"
	"sync/atomic"
	"time"

	"github.com/tenantplane/terraform-provider-tenant/internal/event"
	"github.com/tenantplane/terraform-provider-tenant/internal/executor"
	"github.com/tenantplane/terraform-provider-tenant/internal/ledger"
	"github.com/tenantplane/terraform-provider-tenant/internal/tenant"
)

// errDead is what a killed process would see, if it saw anything.
var errDead = errors.New("the process is dead")

// dying is a ledger whose process is killed at one of its writes: that write
// and all that follow never reach the file.
type dying struct {
	ledger.Store
	left atomic.Int64
}

// killedAtWrite is a worker that is killed at its n-th write, from 0.
func (s *stage) killedAtWrite(name string, n int64) (*executor.Executor, *dying) {
	d := &dying{Store: s.Ledger}
	d.left.Store(n)
	return s.worker(name, func(o *executor.Options) { o.Ledger = d }), d
}

func (d *dying) alive() bool { return d.left.Load() >= 0 }

func (d *dying) write(do func() error) error {
	if d.left.Add(-1) < 0 {
		return errDead
	}
	return do()
}

func (d *dying) Declare(ctx context.Context, x ledger.Declaration) (row ledger.Tenant, err error) {
	err = d.write(func() error { row, err = d.Store.Declare(ctx, x); return err })
	return row, err
}

func (d *dying) Acquire(ctx context.Context, id tenant.ID, holder string, ttl time.Duration) (lease ledger.Lease, err error) {
	err = d.write(func() error { lease, err = d.Store.Acquire(ctx, id, holder, ttl); return err })
	return lease, err
}

func (d *dying) Renew(ctx context.Context, lease ledger.Lease, ttl time.Duration) (renewed ledger.Lease, err error) {
	err = d.write(func() error { renewed, err = d.Store.Renew(ctx, lease, ttl); return err })
	return renewed, err
}

func (d *dying) Release(ctx context.Context, lease ledger.Lease) error {
	return d.write(func() error { return d.Store.Release(ctx, lease) })
}

func (d *dying) OpenIntent(ctx context.Context, lease ledger.Lease, i ledger.Intent) (stored ledger.Intent, err error) {
	err = d.write(func() error { stored, err = d.Store.OpenIntent(ctx, lease, i); return err })
	return stored, err
}

func (d *dying) Settle(ctx context.Context, lease ledger.Lease, x ledger.Settlement) error {
	return d.write(func() error { return d.Store.Settle(ctx, lease, x) })
}

func (d *dying) Advance(ctx context.Context, lease ledger.Lease, p ledger.Progress) error {
	return d.write(func() error { return d.Store.Advance(ctx, lease, p) })
}

func (d *dying) BeginDeletion(ctx context.Context, id tenant.ID, claim string, events []event.Event) (row ledger.Tenant, err error) {
	err = d.write(func() error { row, err = d.Store.BeginDeletion(ctx, id, claim, events); return err })
	return row, err
}

func (d *dying) Tombstone(ctx context.Context, lease ledger.Lease, events []event.Event, evidence []ledger.Evidence) error {
	return d.write(func() error { return d.Store.Tombstone(ctx, lease, events, evidence) })
}
