package provider

import (
	"context"
	"database/sql"
	"errors"

	"github.com/tenantplane/terraform-provider-tenant/internal/ledger/postgres"
	"github.com/tenantplane/terraform-provider-tenant/internal/ledger/sqlite"
	"github.com/tenantplane/terraform-provider-tenant/internal/sweep"
	"github.com/tenantplane/terraform-provider-tenant/internal/tenant"
)

// Jobs is the ledger's database, for a sweep service's jobs.
func (s *Session) Jobs() (sweep.Database, error) {
	store, open := s.ledger.(interface{ DB() *sql.DB })
	if !open {
		return sweep.Database{}, errors.New("this ledger keeps no jobs")
	}
	db := sweep.Database{DB: store.DB(), Postgres: IsLedgerURL(s.place)}
	db.Lock = func(ctx context.Context) (func(), error) { return sqlite.Lock(ctx, s.place) }
	if db.Postgres {
		db.Lock = func(ctx context.Context) (func(), error) { return postgres.Lock(ctx, db.DB) }
	}
	return db, nil
}

// Listen calls due for each tenant that the ledger says to be due, until ctx
// ends or the session is lost; started is called once it listens. heard is false
// for a ledger that tells nobody.
func (s *Session) Listen(ctx context.Context, started func(), due func(tenant.ID)) (heard bool, err error) {
	if !IsLedgerURL(s.place) {
		return false, nil
	}
	return true, postgres.Listen(ctx, s.place, started, due)
}
