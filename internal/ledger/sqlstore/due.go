package sqlstore

import (
	"context"
	"math"
	"time"

	"github.com/tenantplane/terraform-provider-tenant/internal/ledger"
	"github.com/tenantplane/terraform-provider-tenant/internal/ledger/queries"
	"github.com/tenantplane/terraform-provider-tenant/internal/tenant"
)

// Due implements ledger.Store.
func (s *Store) Due(ctx context.Context, f ledger.DueFilter) ([]ledger.Due, error) {
	atMost := int64(math.MaxInt64)
	if f.Limit > 0 {
		atMost = int64(f.Limit)
	}
	var rows []queries.ListDueRow
	err := s.read(ctx, func(ctx context.Context, q *queries.Queries) (err error) {
		rows, err = q.ListDue(ctx, queries.ListDueParams{
			DueAt: micros(f.At), Health: int64(f.Health), ZeroTime: never, AtMost: atMost,
		})
		return err
	})
	if err != nil {
		return nil, err
	}
	out := make([]ledger.Due, 0, len(rows))
	for _, row := range rows {
		out = append(out, ledger.Due{
			ID: tenant.ID(row.ID), Generation: tenant.Generation(row.DesiredGeneration),
			Behind: row.ObservedGeneration < row.DesiredGeneration, At: moment(row.NextReconcileAt),
		})
	}
	return out, nil
}

// Wake implements ledger.Store.
func (s *Store) Wake(ctx context.Context, id tenant.ID, spacing time.Duration) (ledger.Tenant, error) {
	var row queries.Tenant
	err := s.write(ctx, func(ctx context.Context, tx *transaction) (err error) {
		row, err = tx.lock(ctx, id)
		if err != nil {
			return missing(id, err)
		}
		due := micros(tx.at)
		if row.LastReconciledAt != never {
			due = max(due, row.LastReconciledAt+spacing.Microseconds())
		}
		if row.ProvisioningStatus == string(ledger.Deleted) || row.NextReconcileAt <= due {
			return nil
		}
		row.NextReconcileAt = due
		if err := tx.save(ctx, row); err != nil {
			return err
		}
		return tx.tellDue(ctx, id)
	})
	if err != nil {
		return ledger.Tenant{}, err
	}
	return tenantOf(row)
}
