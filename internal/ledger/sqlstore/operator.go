package sqlstore

import (
	"context"
	"time"

	"github.com/tenantplane/terraform-provider-tenant/internal/event"
	"github.com/tenantplane/terraform-provider-tenant/internal/ledger"
	"github.com/tenantplane/terraform-provider-tenant/internal/ledger/queries"
	"github.com/tenantplane/terraform-provider-tenant/internal/tenant"
)

// Pause implements ledger.Store.
func (s *Store) Pause(ctx context.Context, id tenant.ID, until time.Time, reason string) (ledger.Tenant, error) {
	return s.order(ctx, id, nil, func(row *queries.Tenant, now time.Time) bool {
		if !until.After(now) {
			until, reason = time.Time{}, ""
		}
		row.PausedUntil, row.PauseReason = micros(until.Truncate(time.Microsecond)), text(reason)
		return true
	})
}

// Suspend implements ledger.Store.
func (s *Store) Suspend(ctx context.Context, id tenant.ID, reason string, events []event.Event) (ledger.Tenant, error) {
	return s.order(ctx, id, events, func(row *queries.Tenant, now time.Time) bool {
		if row.SuspendedAt != never {
			return false
		}
		row.SuspendedAt, row.SuspendReason = micros(now), text(reason)
		startOver(row, now)
		return true
	})
}

// Resume implements ledger.Store.
func (s *Store) Resume(ctx context.Context, id tenant.ID, events []event.Event) (ledger.Tenant, error) {
	return s.order(ctx, id, events, func(row *queries.Tenant, now time.Time) bool {
		if row.SuspendedAt == never {
			return false
		}
		row.SuspendedAt, row.SuspendReason = never, ""
		startOver(row, now)
		return true
	})
}

// startOver makes a pass under way stop at its next write, and the tenant due.
func startOver(row *queries.Tenant, now time.Time) {
	row.DesiredGeneration++
	row.NextReconcileAt = micros(now)
	row.FailureCount = 0
}

// order writes a person's order about a living tenant. change tells whether it
// changed anything; without that nothing is written.
func (s *Store) order(ctx context.Context, id tenant.ID, events []event.Event, change func(*queries.Tenant, time.Time) bool) (ledger.Tenant, error) {
	var row queries.Tenant
	err := s.write(ctx, func(ctx context.Context, tx *transaction) (err error) {
		row, err = tx.lock(ctx, id)
		if err != nil {
			return missing(id, err)
		}
		if ending(ledger.Status(row.ProvisioningStatus)) {
			return refuse("tenant %s is %s: %w", id, row.ProvisioningStatus, ledger.ErrNotFound)
		}
		if !change(&row, tx.at) {
			return nil
		}
		if err := tx.save(ctx, row); err != nil {
			return err
		}
		if err := tx.tellDue(ctx, id); err != nil {
			return err
		}
		return tx.appendEvents(ctx, id, events)
	})
	if err != nil {
		return ledger.Tenant{}, err
	}
	return tenantOf(row)
}
