package sqlstore

import (
	"context"
	"database/sql"
	"time"

	"github.com/tenantplane/terraform-provider-tenant/internal/clock"
	"github.com/tenantplane/terraform-provider-tenant/internal/ledger"
	"github.com/tenantplane/terraform-provider-tenant/internal/ledger/queries"
)

// Dialect is what a driver knows and the Store does not.
type Dialect struct {
	// Retry tells whether err means that the statement or transaction was
	// rolled back because of another one and may simply be run again.
	Retry func(err error) bool
	// Explain turns an error of the database into one that says what was found
	// and what to do; it is not called for errors of this package.
	Explain func(err error) error
}

// Store implements ledger.Store on an open and migrated database.
type Store struct {
	db      *sql.DB
	clk     clock.Clock
	dialect Dialect
}

var _ ledger.Store = (*Store)(nil)

// New returns a Store over db, which it closes. The clock is the ledger's own.
func New(db *sql.DB, clk clock.Clock, dialect Dialect) *Store {
	return &Store{db: db, clk: clk, dialect: dialect}
}

// Close implements ledger.Store.
func (s *Store) Close() error { return s.db.Close() }

// now is the ledger's time in the precision it is stored in.
func (s *Store) now() time.Time { return s.clk.Now().UTC().Truncate(time.Microsecond) }

// again is Again with what the dialect knows, and errors explained.
func (s *Store) again(ctx context.Context, do func() error) error {
	return s.explain(ctx, Again(ctx, s.dialect.Retry, do))
}

// read runs a query outside of any transaction.
func (s *Store) read(ctx context.Context, do func(q *queries.Queries) error) error {
	return s.again(ctx, func() error { return do(queries.New(s.db)) })
}

// write runs do in a transaction: all of it or nothing is written. do may run
// several times and must not keep anything from a failed run.
func (s *Store) write(ctx context.Context, do func(q *queries.Queries) error) error {
	return s.again(ctx, func() error {
		tx, err := s.db.BeginTx(ctx, nil)
		if err != nil {
			return err
		}
		if err := do(queries.New(tx)); err != nil {
			_ = tx.Rollback() // err is the news; an unfinished transaction dies with its connection
			return err
		}
		return tx.Commit()
	})
}
