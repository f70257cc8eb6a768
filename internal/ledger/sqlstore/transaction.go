package sqlstore

import (
	"context"
	"fmt"
	"time"

	"github.com/tenantplane/terraform-provider-tenant/internal/ledger/queries"
	"github.com/tenantplane/terraform-provider-tenant/internal/tenant"
)

// transaction is one write under way.
type transaction struct {
	*queries.Queries
	db       queries.DBTX
	now      func(context.Context, queries.DBTX) (time.Time, error)
	announce func(ctx context.Context, db queries.DBTX, tenant string) error
	// at is the ledger's time, in the precision it is stored in. It is read
	// once, when the row that the write is about is locked: a long wait for
	// the lock must not make an expired lease look alive.
	at time.Time
}

// lock locks a tenant's row and reads the time.
func (tx *transaction) lock(ctx context.Context, id tenant.ID) (queries.Tenant, error) {
	row, err := tx.LockTenant(ctx, string(id))
	if err != nil {
		return queries.Tenant{}, err
	}
	return row, tx.readClock(ctx)
}

// lockInstallation locks the installation's row and reads the time.
func (tx *transaction) lockInstallation(ctx context.Context) (queries.LockInstallationRow, error) {
	row, err := tx.LockInstallation(ctx)
	if err != nil {
		return queries.LockInstallationRow{}, err
	}
	return row, tx.readClock(ctx)
}

// tellDue announces that a tenant is due.
func (tx *transaction) tellDue(ctx context.Context, id tenant.ID) error {
	if tx.announce == nil {
		return nil
	}
	return tx.announce(ctx, tx.db, string(id))
}

func (tx *transaction) readClock(ctx context.Context) error {
	now, err := tx.now(ctx, tx.db)
	if err != nil {
		return fmt.Errorf("read the ledger's clock: %w", err)
	}
	tx.at = now.UTC().Truncate(time.Microsecond)
	return nil
}
