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
	if row, booked, err := s.booked(ctx, id, spacing); booked || err != nil {
		return row, err
	}
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

// booked tells whether the visit that a wake-up asks for is due already, without
// writing: thousands of wake-ups must not mean thousands of writes.
func (s *Store) booked(ctx context.Context, id tenant.ID, spacing time.Duration) (row ledger.Tenant, booked bool, err error) {
	if row, err = s.Tenant(ctx, id); err != nil {
		return row, false, err
	}
	var now time.Time
	err = s.again(ctx, func(ctx context.Context) (err error) {
		now, err = s.dialect.Now(ctx, s.db)
		return err
	})
	if next := row.LastReconciledAt.Add(spacing); next.After(now) && !row.LastReconciledAt.IsZero() {
		now = next
	}
	return row, row.Status == ledger.Deleted || !row.NextReconcileAt.After(now), err
}
