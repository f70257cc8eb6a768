package postgres

import (
	"context"
	"database/sql"
)

// migrating is the advisory lock that keeps all but one from migrating:
// "tntl" in ASCII, as in the header of a SQLite ledger.
const migrating = 0x746e746c

// Lock keeps every other process out of the migrations until unlock. The lock
// belongs to a transaction, not to a session: behind a transaction pooler a
// session lock would stay with a connection that somebody else uses next.
// Migrations themselves run on another connection meanwhile.
func Lock(ctx context.Context, db *sql.DB) (unlock func(), err error) {
	tx, err := db.BeginTx(ctx, nil)
	if err != nil {
		return nil, err
	}
	// Whatever the defaults are, the wait ends, and the transaction lives while
	// it idles.
	_, err = tx.ExecContext(ctx, "SET LOCAL lock_timeout = '60s'")
	if err == nil {
		_, err = tx.ExecContext(ctx, "SET LOCAL idle_in_transaction_session_timeout = 0")
	}
	if err == nil {
		_, err = tx.ExecContext(ctx, "SELECT pg_advisory_xact_lock($1)", int64(migrating))
	}
	if err != nil {
		_ = tx.Rollback() // err is the news
		return nil, err
	}
	return func() { _ = tx.Rollback() }, nil // it wrote nothing
}
