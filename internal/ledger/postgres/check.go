package postgres

import (
	"context"
	"database/sql"
	"fmt"
)

// settings are what decides whether a database can be trusted with a ledger.
type settings struct {
	standby, readOnly, schema, encoding, commit, fsync string
}

// check refuses a database on which the ledger would not keep its promises.
func check(ctx context.Context, db *sql.DB, at string) error {
	var s settings
	// In a transaction, which is what a statement pooler refuses.
	tx, err := db.BeginTx(ctx, nil)
	if err != nil {
		return err
	}
	defer func() { _ = tx.Rollback() }() // nothing was written
	err = tx.QueryRowContext(ctx, `SELECT pg_is_in_recovery()::text, current_setting('transaction_read_only'),
		coalesce(current_schema(), ''), getdatabaseencoding(), current_setting('synchronous_commit'), current_setting('fsync')`).
		Scan(&s.standby, &s.readOnly, &s.schema, &s.encoding, &s.commit, &s.fsync)
	if err != nil {
		return err
	}
	return s.judge(at)
}

// judge says what is wrong with the settings, if anything.
func (s settings) judge(at string) error {
	switch {
	case s.standby == "true":
		return refuse(at, "ledger.read_only", "the server is a standby, which takes no writes",
			"name the primary, or several hosts with target_session_attrs=read-write")
	case s.readOnly == "on":
		return refuse(at, "ledger.read_only", "transactions are read-only by default (default_transaction_read_only)",
			"let this user write, or name another server")
	case s.schema == "":
		return refuse(at, "ledger.schema", "no schema of the search_path exists", "create the schema, or correct search_path")
	case s.encoding != "UTF8":
		return refuse(at, "ledger.encoding", "the database's encoding is "+s.encoding, "use a database with the encoding UTF8")
	case s.commit == "off":
		return refuse(at, "ledger.unsafe", "synchronous_commit is off: when the server crashes, it forgets what it has confirmed, "+
			"and a call whose intent is forgotten could be made twice", "ALTER ROLE … SET synchronous_commit = on for this user, or for the database")
	case s.fsync == "off":
		return refuse(at, "ledger.unsafe", "fsync is off: a crash of the machine can destroy the ledger", "set fsync = on in postgresql.conf")
	}
	return nil
}

// tables are those of the first version.
const tables = "'installation', 'tenants', 'leases', 'objects', 'intents', 'evidence', 'outbox'"

// ours refuses a schema in which another program has tables of our names.
func ours(ctx context.Context, db *sql.DB, at string) error {
	var versioned bool
	var found sql.NullString
	err := db.QueryRowContext(ctx, `SELECT to_regclass('`+versionTable+`') IS NOT NULL,
		(SELECT string_agg(relname, ', ' ORDER BY relname) FROM pg_class
		 WHERE relnamespace = current_schema()::regnamespace AND relname IN (`+tables+`))`).Scan(&versioned, &found)
	if err != nil || versioned || !found.Valid {
		return err
	}
	return refuse(at, "ledger.foreign", fmt.Sprintf("the schema has tables of another program: %s", found.String),
		"give the ledger a database of its own, or a schema of its own with search_path in its URL")
}

// present refuses a schema without a ledger.
func present(ctx context.Context, db *sql.DB, at string) error {
	var versioned bool
	err := db.QueryRowContext(ctx, `SELECT to_regclass('`+versionTable+`') IS NOT NULL`).Scan(&versioned)
	if err != nil || versioned {
		return err
	}
	return refuse(at, "ledger.none", "there is no ledger in this database", "name the database that the provider block names; the provider makes a ledger at its first use")
}

// refuse is a fault that names the ledger before what was found.
func refuse(at, code, found, action string) error {
	return terminal(code, "the ledger "+at+": "+found, action)
}
