package sqlstore

import (
	"context"
	"database/sql"
	"errors"
	"time"

	"github.com/tenantplane/terraform-provider-tenant/internal/ledger"
	"github.com/tenantplane/terraform-provider-tenant/internal/ledger/queries"
	"github.com/tenantplane/terraform-provider-tenant/internal/tenant"
)

// never is micros(time.Time{}). A released lease ends then rather than now, so
// that a clock set back does not bring it to life again.
const never = -62135596800000000

// Acquire implements ledger.Store.
func (s *Store) Acquire(ctx context.Context, id tenant.ID, holder string, ttl time.Duration) (ledger.Lease, error) {
	var lease ledger.Lease
	err := s.write(ctx, func(ctx context.Context, tx *transaction) error {
		if _, err := tx.lock(ctx, id); err != nil {
			return missing(id, err)
		}
		lease = ledger.Lease{Tenant: id, Holder: holder, Expires: tx.at.Add(ttl).Truncate(time.Microsecond)}
		fence, err := tx.TakeLease(ctx, queries.TakeLeaseParams{
			TenantID: string(id), Holder: holder, ExpiresAt: micros(lease.Expires), Now: micros(tx.at),
		})
		if errors.Is(err, sql.ErrNoRows) {
			return tx.leased(ctx, id)
		}
		lease.Fence = fence
		return err
	})
	if err != nil {
		return ledger.Lease{}, err
	}
	return lease, nil
}

// leased says who holds the lease that could not be taken.
func (tx *transaction) leased(ctx context.Context, id tenant.ID) error {
	row, err := tx.GetLease(ctx, string(id))
	if err != nil {
		return err
	}
	return refusal{&ledger.LeasedError{Tenant: id, Holder: row.Holder, Expires: moment(row.ExpiresAt)}}
}

// Renew implements ledger.Store.
func (s *Store) Renew(ctx context.Context, lease ledger.Lease, ttl time.Duration) (ledger.Lease, error) {
	renewed := lease
	err := s.fenced(ctx, lease, func(ctx context.Context, tx *transaction, _ queries.Tenant) error {
		renewed.Expires = tx.at.Add(ttl).Truncate(time.Microsecond)
		return tx.SetLeaseEnd(ctx, queries.SetLeaseEndParams{
			TenantID: string(lease.Tenant), Fence: lease.Fence, ExpiresAt: micros(renewed.Expires),
		})
	})
	if err != nil {
		return ledger.Lease{}, err
	}
	return renewed, nil
}

// Release implements ledger.Store.
func (s *Store) Release(ctx context.Context, lease ledger.Lease) error {
	return s.write(ctx, func(ctx context.Context, tx *transaction) error {
		return tx.EndLease(ctx, queries.EndLeaseParams{
			TenantID: string(lease.Tenant), Fence: lease.Fence, Holder: lease.Holder, ExpiresAt: never,
		})
	})
}

// fenced runs do in a transaction that holds the tenant's row, under a lease
// that is the newest and has not expired.
func (s *Store) fenced(ctx context.Context, lease ledger.Lease, do func(context.Context, *transaction, queries.Tenant) error) error {
	return s.write(ctx, func(ctx context.Context, tx *transaction) error {
		row, err := tx.lock(ctx, lease.Tenant)
		if err != nil {
			return missing(lease.Tenant, err)
		}
		if err := tx.checkFence(ctx, lease); err != nil {
			return err
		}
		return do(ctx, tx, row)
	})
}

func (tx *transaction) checkFence(ctx context.Context, lease ledger.Lease) error {
	newest, err := tx.GetLease(ctx, string(lease.Tenant))
	if errors.Is(err, sql.ErrNoRows) {
		return refuse("tenant %s: it was never taken: %w", lease.Tenant, ledger.ErrFenced)
	}
	if err != nil {
		return err
	}
	switch {
	case newest.Fence != lease.Fence || newest.Holder != lease.Holder:
		return refuse("tenant %s: %s holds fence %d, %s has fence %d: %w",
			lease.Tenant, newest.Holder, newest.Fence, lease.Holder, lease.Fence, ledger.ErrFenced)
	case !tx.at.Before(moment(newest.ExpiresAt)):
		return refuse("tenant %s: fence %d of %s has ended: %w",
			lease.Tenant, lease.Fence, lease.Holder, ledger.ErrFenced)
	}
	return nil
}
