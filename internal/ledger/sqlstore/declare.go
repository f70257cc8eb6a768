package sqlstore

import (
	"context"
	"database/sql"
	"errors"
	"time"

	"github.com/tenantplane/terraform-provider-tenant/internal/event"
	"github.com/tenantplane/terraform-provider-tenant/internal/ledger"
	"github.com/tenantplane/terraform-provider-tenant/internal/ledger/queries"
	"github.com/tenantplane/terraform-provider-tenant/internal/tenant"
)

// declaration is a ledger.Declaration made ready for storage.
type declaration struct {
	ledger.Declaration
	id          tenant.ID
	spec        string
	fingerprint string
}

// Declare implements ledger.Store.
func (s *Store) Declare(ctx context.Context, d ledger.Declaration) (ledger.Tenant, error) {
	ready, err := prepare(d)
	if err != nil {
		return ledger.Tenant{}, err
	}
	var row queries.Tenant
	err = s.write(ctx, func(ctx context.Context, tx *transaction) (err error) {
		row, err = tx.declare(ctx, ready)
		return err
	})
	if err != nil {
		return ledger.Tenant{}, err
	}
	return tenantOf(row)
}

func prepare(d ledger.Declaration) (declaration, error) {
	fingerprint, err := d.Spec.Fingerprint()
	if err != nil {
		return declaration{}, err
	}
	spec, err := encode(d.Spec)
	if err != nil {
		return declaration{}, err
	}
	return declaration{Declaration: d, id: d.Spec.Subject.ID, spec: spec, fingerprint: fingerprint}, nil
}

func (tx *transaction) declare(ctx context.Context, d declaration) (queries.Tenant, error) {
	row, err := tx.lock(ctx, d.id)
	if errors.Is(err, sql.ErrNoRows) {
		return tx.insert(ctx, d)
	}
	if err != nil {
		return queries.Tenant{}, err
	}
	if row.ProvisioningStatus == string(ledger.Deleted) {
		row = newLife(row, d, tx.at)
		if err := tx.save(ctx, row); err != nil {
			return queries.Tenant{}, err
		}
		return row, tx.register(ctx, d)
	}
	next, err := redeclare(row, d, tx.at)
	if err != nil || next == row {
		return row, err
	}
	if err := tx.save(ctx, next); err != nil || next.DesiredGeneration == row.DesiredGeneration {
		return next, err
	}
	return next, tx.tellDue(ctx, d.id)
}

// insert begins the first life of a tenant. The installation's row is locked
// before, so that AdoptInstallation and the first tenant exclude each other.
func (tx *transaction) insert(ctx context.Context, d declaration) (queries.Tenant, error) {
	if _, err := tx.lockInstallation(ctx); err != nil {
		return queries.Tenant{}, err
	}
	row := newLife(queries.Tenant{ID: string(d.id)}, d, tx.at)
	inserted, err := tx.InsertTenant(ctx, queries.InsertTenantParams(row))
	if err != nil {
		return queries.Tenant{}, err
	}
	if inserted == 0 { // another process was first, and its row is visible now
		return tx.declare(ctx, d)
	}
	return row, tx.register(ctx, d)
}

// newLife begins a life on an empty row or on a tombstone, whose generations
// go on: the observed one stays behind, so that nothing counts as processed.
func newLife(row queries.Tenant, d declaration, now time.Time) queries.Tenant {
	return queries.Tenant{
		ID:                 row.ID,
		Region:             d.Spec.Subject.Region,
		Spec:               d.spec,
		Fingerprint:        d.fingerprint,
		DesiredGeneration:  row.DesiredGeneration + 1,
		ObservedGeneration: row.ObservedGeneration,
		ProvisioningStatus: string(ledger.Pending),
		Claim:              d.Claim,
		LastReconciledAt:   never,
		NextReconcileAt:    micros(now),
		CorrelationID:      d.CorrelationID,
		CreatedAt:          micros(now),
		ExaminedAt:         never,
		PausedUntil:        never,
		SuspendedAt:        never,
	}
}

// redeclare applies a declaration to a living tenant. Taking a deletion back
// raises the generation even for the same spec: the deletion under way works
// from the old one and is refused its next write.
func redeclare(row queries.Tenant, d declaration, now time.Time) (queries.Tenant, error) {
	mayTake := d.TakeOver && (d.TakeFrom == "" || d.TakeFrom == row.Claim)
	if row.Claim != "" && row.Claim != d.Claim && !mayTake {
		return row, refusal{&ledger.ClaimError{Tenant: d.id, Owner: row.Claim}}
	}
	row.Claim = d.Claim
	revived := row.ProvisioningStatus == string(ledger.Deleting)
	if row.Fingerprint == d.fingerprint && !revived {
		return row, nil
	}
	row.Region, row.Spec, row.Fingerprint = d.Spec.Subject.Region, d.spec, d.fingerprint
	row.DesiredGeneration++
	row.NextReconcileAt = micros(now)
	row.FailureCount = 0 // the failures were those of another spec
	if revived {
		row.ProvisioningStatus = string(ledger.Pending)
	}
	return row, nil
}

func (tx *transaction) register(ctx context.Context, d declaration) error {
	if err := tx.tellDue(ctx, d.id); err != nil {
		return err
	}
	return tx.appendEvents(ctx, d.id, []event.Event{{
		ID: d.EventID, Type: event.RegistrationInitiated, Tenant: d.id, Correlation: d.CorrelationID,
	}})
}
