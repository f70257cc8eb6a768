package sqlstore

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"time"

	"github.com/tenantplane/terraform-provider-tenant/internal/ledger"
	"github.com/tenantplane/terraform-provider-tenant/internal/ledger/queries"
)

// ErrCommit means that nobody said whether a transaction was committed. It
// must not be run again as if nothing had happened.
var ErrCommit = errors.New("the outcome of a commit is unknown")

// Dialect is what a driver knows and the Store does not.
type Dialect struct {
	// Now reads the ledger's clock inside a transaction: this machine's, or the
	// database's where machines with different clocks share the ledger.
	Now func(ctx context.Context, db queries.DBTX) (time.Time, error)
	// Begin is how write transactions begin; nil for the driver's default.
	Begin *sql.TxOptions
	// Retry tells whether err means that nothing was written, because of
	// another transaction or a lost connection, and that the statement or
	// transaction may simply be run again.
	Retry func(err error) bool
	// Limit bounds one attempt at a statement or transaction, so that a
	// database that went silent is noticed; 0 for no bound.
	Limit time.Duration
	// Announce tells whoever listens that a tenant is due, within the
	// transaction that made it so; nil where nobody can listen.
	Announce func(ctx context.Context, db queries.DBTX, tenant string) error
	// FreezeEvents keeps every other transaction from appending events until this
	// one ends; nil where transactions take turns anyway.
	FreezeEvents func(ctx context.Context, db queries.DBTX) error
	// OldestTransaction is the age of the oldest open transaction; nil where none
	// can do harm.
	OldestTransaction func(ctx context.Context, db queries.DBTX) (time.Duration, error)
	// Explain turns an error of the database into one that says what was found
	// and what to do; it is not called for errors of this package.
	Explain func(err error) error
}

// Store implements ledger.Store on an open and migrated database.
type Store struct {
	db      *sql.DB
	dialect Dialect
}

var _ ledger.Store = (*Store)(nil)

// New returns a Store over db, which it closes.
func New(db *sql.DB, dialect Dialect) *Store { return &Store{db: db, dialect: dialect} }

// DB is the open database, for tables that are not the ledger's. The Store
// closes it.
func (s *Store) DB() *sql.DB { return s.db }

// Close implements ledger.Store.
func (s *Store) Close() error { return s.db.Close() }

// again is Again with what the dialect knows, and errors explained.
func (s *Store) again(ctx context.Context, do func(context.Context) error) error {
	return s.explain(ctx, Again(ctx, s.dialect.Retry, func() error {
		if s.dialect.Limit == 0 {
			return do(ctx)
		}
		bounded, cancel := context.WithTimeout(ctx, s.dialect.Limit)
		defer cancel()
		return do(bounded)
	}))
}

// read runs a query outside of any transaction.
func (s *Store) read(ctx context.Context, do func(ctx context.Context, q *queries.Queries) error) error {
	return s.again(ctx, func(ctx context.Context) error { return do(ctx, queries.New(s.db)) })
}

// write runs do in a transaction: all of it or nothing is written. do may run
// several times and must not keep anything from a failed run.
func (s *Store) write(ctx context.Context, do func(ctx context.Context, tx *transaction) error) error {
	return s.again(ctx, func(ctx context.Context) error {
		tx, err := s.db.BeginTx(ctx, s.dialect.Begin)
		if err != nil {
			return err
		}
		if err := do(ctx, &transaction{Queries: queries.New(tx), db: tx, now: s.dialect.Now, announce: s.dialect.Announce}); err != nil {
			_ = tx.Rollback() // err is the news; an unfinished transaction dies with its connection
			return err
		}
		if err := tx.Commit(); err != nil {
			return fmt.Errorf("%w: %w", ErrCommit, err)
		}
		return nil
	})
}
