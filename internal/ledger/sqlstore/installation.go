package sqlstore

import (
	"context"
	"database/sql"
	"errors"

	"github.com/tenantplane/terraform-provider-tenant/internal/ledger"
	"github.com/tenantplane/terraform-provider-tenant/internal/ledger/queries"
	"github.com/tenantplane/terraform-provider-tenant/internal/tenant"
)

// Init brings the schema up to date and gives a new ledger the installation id
// that draw returns; draw is not called for an old one. The driver holds a lock
// meanwhile that keeps every other process out of Init.
func (s *Store) Init(ctx context.Context, schema Schema, draw func() (tenant.Installation, error)) error {
	return s.explain(ctx, Again(ctx, s.dialect.Retry, func() error {
		if err := migrate(ctx, s.db, schema); err != nil {
			return err
		}
		q := queries.New(s.db)
		_, err := q.GetInstallation(ctx)
		if !errors.Is(err, sql.ErrNoRows) {
			return err
		}
		id, err := draw()
		if err != nil {
			return refusal{err}
		}
		return q.PutInstallation(ctx, string(id))
	}))
}

// Installation implements ledger.Store.
func (s *Store) Installation(ctx context.Context) (tenant.Installation, error) {
	var id string
	err := s.read(ctx, func(ctx context.Context, q *queries.Queries) (err error) {
		id, err = q.GetInstallation(ctx)
		return err
	})
	return tenant.Installation(id), err
}

// AdoptInstallation implements ledger.Store.
func (s *Store) AdoptInstallation(ctx context.Context, id tenant.Installation) error {
	if _, err := tenant.ParseInstallation(string(id)); err != nil {
		return err
	}
	return s.write(ctx, func(ctx context.Context, tx *transaction) error {
		// The row lock also keeps the first tenant out: see insert.
		stored, err := tx.lockInstallation(ctx)
		if err != nil {
			return err
		}
		if stored.ID != string(id) {
			if err := mayChange(ctx, tx, stored, id); err != nil {
				return err
			}
		}
		return tx.ChooseInstallation(ctx, string(id))
	})
}

func mayChange(ctx context.Context, tx *transaction, stored queries.LockInstallationRow, id tenant.Installation) error {
	if stored.Chosen == 1 {
		return refuse("it is set to %s, not %s: %w", stored.ID, id, ledger.ErrInstallation)
	}
	tenants, err := tx.CountTenants(ctx)
	if err != nil {
		return err
	}
	if tenants > 0 {
		return refuse("it is %s and already holds %d tenants, so it cannot become %s: %w",
			stored.ID, tenants, id, ledger.ErrInstallation)
	}
	return nil
}
