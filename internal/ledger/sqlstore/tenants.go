package sqlstore

import (
	"context"
	"fmt"
	"math"
	"strings"

	"github.com/tenantplane/terraform-provider-tenant/internal/ledger"
	"github.com/tenantplane/terraform-provider-tenant/internal/ledger/queries"
	"github.com/tenantplane/terraform-provider-tenant/internal/tenant"
)

// Tenant implements ledger.Store.
func (s *Store) Tenant(ctx context.Context, id tenant.ID) (ledger.Tenant, error) {
	var row queries.Tenant
	err := s.read(ctx, func(ctx context.Context, q *queries.Queries) (err error) {
		row, err = q.GetTenant(ctx, string(id))
		return missing(id, err)
	})
	if err != nil {
		return ledger.Tenant{}, err
	}
	return tenantOf(row)
}

// Tenants implements ledger.Store.
func (s *Store) Tenants(ctx context.Context, f ledger.Filter) ([]ledger.Tenant, error) {
	var rows []queries.Tenant
	err := s.read(ctx, func(ctx context.Context, q *queries.Queries) (err error) {
		rows, err = list(ctx, q, f)
		return err
	})
	if err != nil {
		return nil, err
	}
	return convert(rows, tenantOf)
}

func list(ctx context.Context, q *queries.Queries, f ledger.Filter) ([]queries.Tenant, error) {
	var withDeleted int64
	if f.IncludeDeleted {
		withDeleted = 1
	}
	atMost := int64(math.MaxInt64)
	if f.Limit > 0 {
		atMost = int64(f.Limit)
	}
	if f.DueAt.IsZero() {
		return q.ListTenants(ctx, queries.ListTenantsParams{
			Statuses: joined(f.Statuses), WithDeleted: withDeleted, AtMost: atMost,
		})
	}
	return q.ListDueTenants(ctx, queries.ListDueTenantsParams{
		DueAt: micros(f.DueAt), Statuses: joined(f.Statuses), WithDeleted: withDeleted,
		ZeroTime: never, AtMost: atMost,
	})
}

// joined gives ",a,b,", which the queries search with LIKE: SQLite has no
// arrays.
func joined[T ~string](statuses []T) string {
	if len(statuses) == 0 {
		return ""
	}
	var b strings.Builder
	for _, status := range statuses {
		b.WriteString("," + string(status))
	}
	return b.String() + ","
}

func tenantOf(row queries.Tenant) (ledger.Tenant, error) {
	t := ledger.Tenant{
		ID:                 tenant.ID(row.ID),
		Region:             row.Region,
		DesiredGeneration:  tenant.Generation(row.DesiredGeneration),
		ObservedGeneration: tenant.Generation(row.ObservedGeneration),
		Status:             ledger.Status(row.ProvisioningStatus),
		Claim:              row.Claim,
		LastReconciledAt:   moment(row.LastReconciledAt),
		NextReconcileAt:    moment(row.NextReconcileAt),
		FailureCount:       row.FailureCount,
		LastErrorCode:      row.LastErrorCode,
		LastError:          row.LastError,
		CorrelationID:      row.CorrelationID,
		CreatedAt:          moment(row.CreatedAt),
		ExaminedAt:         moment(row.ExaminedAt),
		PausedUntil:        moment(row.PausedUntil),
		PauseReason:        row.PauseReason,
		SuspendedAt:        moment(row.SuspendedAt),
		SuspendReason:      row.SuspendReason,
	}
	if err := decode(row.Spec, &t.Spec); err != nil {
		return ledger.Tenant{}, fmt.Errorf("stored spec of tenant %s: %w", row.ID, err)
	}
	return t, nil
}

// save writes the whole row, which the caller holds locked.
func (tx *transaction) save(ctx context.Context, row queries.Tenant) error {
	return tx.UpdateTenant(ctx, queries.UpdateTenantParams(row))
}

// convert maps rows and stops at the first that cannot be read.
func convert[R, T any](rows []R, one func(R) (T, error)) ([]T, error) {
	out := make([]T, 0, len(rows))
	for _, row := range rows {
		t, err := one(row)
		if err != nil {
			return nil, err
		}
		out = append(out, t)
	}
	return out, nil
}
