package sqlstore

import (
	"context"

	"github.com/tenantplane/terraform-provider-tenant/internal/event"
	"github.com/tenantplane/terraform-provider-tenant/internal/ledger"
	"github.com/tenantplane/terraform-provider-tenant/internal/ledger/queries"
	"github.com/tenantplane/terraform-provider-tenant/internal/tenant"
)

// Settle implements ledger.Store.
func (s *Store) Settle(ctx context.Context, lease ledger.Lease, set ledger.Settlement) error {
	return s.fenced(ctx, lease, func(ctx context.Context, tx *transaction, row queries.Tenant) error {
		if err := sameGeneration(row, set.Generation); err != nil {
			return err
		}
		write := tx.putObject
		if set.Forget {
			write = tx.forgetObject
		}
		if err := write(ctx, lease.Tenant, set.Object); err != nil {
			return err
		}
		if err := tx.settleRemnants(ctx, lease.Tenant, set); err != nil {
			return err
		}
		if err := tx.closeIntent(ctx, lease.Tenant, set); err != nil {
			return err
		}
		return tx.tell(ctx, lease.Tenant, set.Events, set.Evidence)
	})
}

// settleRemnants writes what is left of an object and forgets what lives again.
func (tx *transaction) settleRemnants(ctx context.Context, id tenant.ID, set ledger.Settlement) error {
	if set.Remnant != nil {
		if err := tx.putObject(ctx, id, *set.Remnant); err != nil {
			return err
		}
	}
	for _, o := range set.Revived {
		if err := tx.forgetObject(ctx, id, o); err != nil {
			return err
		}
	}
	return nil
}

func (tx *transaction) closeIntent(ctx context.Context, id tenant.ID, set ledger.Settlement) error {
	if set.KeepIntent {
		return nil
	}
	return tx.CloseIntent(ctx, queries.CloseIntentParams{
		TenantID: string(id), Component: set.Object.Component, Object: set.Object.Object,
	})
}

// Advance implements ledger.Store. It can neither begin nor end nor take back
// a deletion: the statuses deleting and deleted come from BeginDeletion and
// Tombstone, and a pass that does not know of them must not overwrite them.
func (s *Store) Advance(ctx context.Context, lease ledger.Lease, p ledger.Progress) error {
	return s.fenced(ctx, lease, func(ctx context.Context, tx *transaction, row queries.Tenant) error {
		if err := sameGeneration(row, p.Generation); err != nil {
			return err
		}
		from := ledger.Status(row.ProvisioningStatus)
		if from != p.Status && (ending(from) || ending(p.Status)) {
			return refuse("tenant %s is %s and cannot become %s: %w", lease.Tenant, from, p.Status, ledger.ErrGeneration)
		}
		if p.Observed {
			row.ObservedGeneration = max(row.ObservedGeneration, int64(p.Generation))
		}
		row.ProvisioningStatus = string(p.Status)
		row.LastReconciledAt = micros(tx.at)
		if p.Examined {
			row.ExaminedAt = micros(tx.at)
		}
		row.NextReconcileAt = micros(p.NextReconcileAt)
		row.FailureCount = max(p.FailureCount, 0)
		row.LastErrorCode, row.LastError = text(p.LastErrorCode), text(p.LastError)
		if err := tx.save(ctx, row); err != nil {
			return err
		}
		return tx.tell(ctx, lease.Tenant, p.Events, p.Evidence)
	})
}

func ending(status ledger.Status) bool {
	return status == ledger.Deleting || status == ledger.Deleted
}

func sameGeneration(row queries.Tenant, worked tenant.Generation) error {
	if row.DesiredGeneration == int64(worked) {
		return nil
	}
	return refuse("tenant %s is at generation %d, the write is for %d: %w",
		row.ID, row.DesiredGeneration, worked, ledger.ErrGeneration)
}

// tell appends what others will read of a change, in its transaction.
func (tx *transaction) tell(ctx context.Context, id tenant.ID, events []event.Event, evidence []ledger.Evidence) error {
	if err := tx.appendEvents(ctx, id, events); err != nil {
		return err
	}
	return tx.appendEvidence(ctx, id, evidence)
}
