package postgres

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"

	"github.com/tenantplane/terraform-provider-tenant/internal/fault"
)

// maintenance stands for the database that the URL names.
const maintenance = ""

// farewell bounds the polite end of a connection.
const farewell = 2 * time.Second

// withConnection runs f on a fresh connection to a database.
func (b *Backend) withConnection(ctx context.Context, database string, f func(*pgx.Conn) error) error {
	config := b.config.Copy()
	if database != maintenance {
		config.Database = database
	}
	conn, err := pgx.ConnectConfig(ctx, config)
	if database != maintenance && hasState(err, "3D000") {
		return fault.NewRetryable("postgres.race", "database "+database+" went away during the call", err)
	}
	if err != nil {
		return err
	}
	defer func() {
		ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), farewell)
		defer cancel()
		_ = conn.Close(ctx)
	}()
	return f(conn)
}

// transact runs f in one transaction on a fresh connection to a database.
func (b *Backend) transact(ctx context.Context, database string, f func(pgx.Tx) error) error {
	return b.withConnection(ctx, database, func(conn *pgx.Conn) error {
		return b.inTransaction(ctx, conn, f)
	})
}

// inTransaction commits when f returns nil and rolls back otherwise. Tenants
// share catalogs (pg_database, pg_auth_members, pg_shdepend), so that calls for
// different ones can collide or deadlock: the loser's f runs again, and must
// not mind that.
func (b *Backend) inTransaction(ctx context.Context, conn *pgx.Conn, f func(pgx.Tx) error) error {
	for try := 1; ; try++ {
		err := b.tryTransaction(ctx, conn, f)
		if try == maxCollisions || !isCollision(err) {
			return err
		}
		// The server draws the pause: whoever collided must not do so in step.
		if err := execute(ctx, conn, fmt.Sprintf("SELECT pg_sleep(random() * 0.02 * %d)", try)); err != nil {
			return err
		}
	}
}

// maxCollisions bounds the tries of one transaction.
const maxCollisions = 8

// tryTransaction is one try. It waits for locks no longer than half the call,
// never resolves a name through the admin's own search path, and ends on the
// server when this machine vanishes.
func (b *Backend) tryTransaction(ctx context.Context, conn *pgx.Conn, f func(pgx.Tx) error) error {
	tx, err := conn.Begin(ctx)
	if err != nil {
		return err
	}
	defer func() {
		ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), farewell)
		defer cancel()
		_ = tx.Rollback(ctx) // does nothing after a commit
	}()
	if err := execute(ctx, tx, b.transactionSettings()); err != nil {
		return err
	}
	if err := f(tx); err != nil {
		return err
	}
	return commit(ctx, tx)
}

func (b *Backend) transactionSettings() string {
	whole := b.timeout.Milliseconds()
	return fmt.Sprintf("SET LOCAL search_path = pg_catalog; SET LOCAL lock_timeout = %d; "+
		"SET LOCAL statement_timeout = %d; SET LOCAL idle_in_transaction_session_timeout = %d", whole/2+1, whole, whole)
}

// commit reports a lost answer as what it is: nobody knows whether the server
// committed. An error that the server itself reports is a rollback, unless the
// server was ending the connection at that moment.
func commit(ctx context.Context, tx pgx.Tx) error {
	err := tx.Commit(ctx)
	var refused *pgconn.PgError
	if err == nil || errors.Is(err, pgx.ErrTxCommitRollback) ||
		errors.As(err, &refused) && refused.Severity == "ERROR" {
		return err
	}
	return unknownOutcome("the connection was lost while the transaction was being committed", err)
}

// executor is a connection or a transaction.
type executor interface {
	Exec(ctx context.Context, sql string, arguments ...any) (pgconn.CommandTag, error)
}

// execute runs statements in order.
func execute(ctx context.Context, on executor, statements ...string) error {
	for _, sql := range statements {
		if _, err := on.Exec(ctx, sql, pgx.QueryExecModeSimpleProtocol); err != nil {
			return err
		}
	}
	return nil
}

// executeAlone runs a statement that cannot be part of a transaction. When no
// answer to it arrives, nobody knows whether it took effect.
func executeAlone(ctx context.Context, conn *pgx.Conn, sql string) error {
	err := execute(ctx, conn, sql)
	var refused *pgconn.PgError
	if err == nil || errors.As(err, &refused) && refused.Severity == "ERROR" {
		return err
	}
	return unknownOutcome("the connection was lost during "+verbOf(sql), err)
}

// verbOf returns the first two words of a statement: "CREATE DATABASE".
func verbOf(sql string) string {
	words := strings.Fields(sql)
	return strings.Join(words[:2], " ")
}

func unknownOutcome(found string, cause error) *fault.Fault {
	f := fault.NewAmbiguous("postgres.outcome_unknown", found, cause)
	f.Action = "nothing needs doing: the next pass looks what became of it"
	return f
}

// advisoryLock is the SQL expression for the key of a tenant's lock.
const advisoryLock = "hashtextextended('terraform-provider-tenant/' || $1::text, 0)"

// lock serialises the calls for one tenant until the transaction ends. On a
// live server it is the catalogs' unique indexes that keep things single; the
// lock makes the loser wait instead of failing.
func lock(ctx context.Context, tx pgx.Tx, name string) error {
	_, err := tx.Exec(ctx, "SELECT pg_advisory_xact_lock("+advisoryLock+")", name)
	return err
}

// lockSession does the same until the connection ends, which the server sees
// to should this machine vanish without closing it.
func (b *Backend) lockSession(ctx context.Context, conn *pgx.Conn, name string) error {
	whole := b.timeout.Milliseconds()
	if err := execute(ctx, conn, fmt.Sprintf("SET lock_timeout = %d; SET idle_session_timeout = %d", whole/2+1, whole)); err != nil {
		return err
	}
	_, err := conn.Exec(ctx, "SELECT pg_advisory_lock("+advisoryLock+")", name)
	return err
}

// quote makes an identifier of a name.
func quote(name string) string { return pgx.Identifier{name}.Sanitize() }

// literal makes a string literal of a text, for statements that take no
// parameters (COMMENT).
func literal(text string) string {
	return "E'" + strings.NewReplacer(`\`, `\\`, `'`, `''`).Replace(text) + "'"
}
