package sqlstore

import (
	"context"

	"github.com/tenantplane/terraform-provider-tenant/internal/ledger"
	"github.com/tenantplane/terraform-provider-tenant/internal/ledger/queries"
)

// Fleet implements ledger.Store.
func (s *Store) Fleet(ctx context.Context) (ledger.Fleet, error) {
	fleet := ledger.Fleet{}
	err := s.read(ctx, func(ctx context.Context, q *queries.Queries) error {
		fleet = ledger.Fleet{ByStatus: map[ledger.Status]int64{}}
		rows, err := q.CountByStatus(ctx)
		if err != nil {
			return err
		}
		for _, row := range rows {
			fleet.ByStatus[ledger.Status(row.ProvisioningStatus)] = row.Tenants
			fleet.Gap = max(fleet.Gap, row.Gap)
		}
		since, err := q.OldestDrift(ctx, never)
		fleet.OldestDrift = moment(since)
		return err
	})
	return fleet, err
}
