package sqlstore

import (
	"context"
	"strings"
	"time"

	"github.com/tenantplane/terraform-provider-tenant/internal/event"
	"github.com/tenantplane/terraform-provider-tenant/internal/ledger"
	"github.com/tenantplane/terraform-provider-tenant/internal/ledger/queries"
	"github.com/tenantplane/terraform-provider-tenant/internal/tenant"
)

// BeginDeletion implements ledger.Store. A tombstone is returned as it is: a
// destroy that is run again after its last answer was lost is no error.
func (s *Store) BeginDeletion(ctx context.Context, id tenant.ID, claim string, events []event.Event) (ledger.Tenant, error) {
	var row queries.Tenant
	err := s.write(ctx, func(ctx context.Context, tx *transaction) (err error) {
		row, err = tx.lock(ctx, id)
		if err != nil {
			return missing(id, err)
		}
		if row.ProvisioningStatus == string(ledger.Deleted) {
			return nil
		}
		if row.Claim != claim {
			return refusal{&ledger.ClaimError{Tenant: id, Owner: row.Claim}}
		}
		if row.ProvisioningStatus == string(ledger.Deleting) {
			return nil
		}
		row.ProvisioningStatus = string(ledger.Deleting)
		row.NextReconcileAt = micros(tx.at)
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

// TakeClaim implements ledger.Store.
func (s *Store) TakeClaim(ctx context.Context, id tenant.ID, claim string) error {
	return s.write(ctx, func(ctx context.Context, tx *transaction) error {
		row, err := tx.lock(ctx, id)
		if err != nil {
			return missing(id, err)
		}
		if row.ProvisioningStatus == string(ledger.Deleted) || row.Claim == claim {
			return nil
		}
		row.Claim = claim
		return tx.save(ctx, row)
	})
}

// Tombstone implements ledger.Store. The tombstone is next due when the first
// of the objects it kept is.
func (s *Store) Tombstone(ctx context.Context, lease ledger.Lease, events []event.Event, evidence []ledger.Evidence) error {
	return s.fenced(ctx, lease, func(ctx context.Context, tx *transaction, row queries.Tenant) error {
		if row.ProvisioningStatus != string(ledger.Deleting) {
			return refuse("tenant %s is %s, not deleting: %w", lease.Tenant, row.ProvisioningStatus, ledger.ErrGeneration)
		}
		objects, err := tx.ListObjects(ctx, row.ID)
		if err != nil {
			return err
		}
		due, err := firstEnd(row.ID, objects)
		if err != nil {
			return err
		}
		row.ProvisioningStatus = string(ledger.Deleted)
		row.Claim = ""
		row.LastReconciledAt = micros(tx.at)
		row.NextReconcileAt = micros(due)
		if err := tx.save(ctx, row); err != nil {
			return err
		}
		if err := tx.tell(ctx, lease.Tenant, events, evidence); err != nil {
			return err
		}
		return tx.SetLeaseEnd(ctx, queries.SetLeaseEndParams{TenantID: row.ID, Fence: lease.Fence, ExpiresAt: never})
	})
}

// firstEnd is the earliest PendingUntil of the objects left, zero when there
// are none. An object without one still exists outside and is an error.
func firstEnd(id string, objects []queries.Object) (time.Time, error) {
	var first time.Time
	var alive []string
	for _, o := range objects {
		until := moment(o.PendingUntil)
		switch {
		case until.IsZero():
			alive = append(alive, o.Component+"."+o.Object)
		case first.IsZero() || until.Before(first):
			first = until
		}
	}
	if len(alive) > 0 {
		return time.Time{}, refuse("tenant %s cannot be buried: %s still exist", id, strings.Join(alive, ", "))
	}
	return first, nil
}
