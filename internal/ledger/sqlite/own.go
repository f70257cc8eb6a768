package sqlite

import (
	"context"
	"database/sql"
	"errors"
	"fmt"

	"github.com/tenantplane/terraform-provider-tenant/internal/fault"
)

// applicationID marks a SQLite file as a ledger: "tntl" in ASCII, in the
// header field that SQLite keeps for this (sqlite.org/fileformat2.html,
// section 1.3.5).
const applicationID = 0x746e746c

// own makes sure that the database is a ledger or empty, and readies it for
// many processes. A database of another program is not touched.
func own(ctx context.Context, db *sql.DB, path string) error {
	var id, tables int64
	if err := db.QueryRowContext(ctx, "PRAGMA application_id").Scan(&id); err != nil {
		return err
	}
	if err := db.QueryRowContext(ctx, "SELECT COUNT(*) FROM sqlite_schema").Scan(&tables); err != nil {
		return err
	}
	if id != applicationID && (id != 0 || tables > 0) {
		return terminal("ledger.foreign", path+" is a SQLite database of another program", "give the ledger a path of its own", nil)
	}
	if err := mark(ctx, db, id != applicationID); err != nil {
		return err
	}
	return useWAL(ctx, db, path)
}

// mark writes the application id and keeps it when the file is new. On an old
// ledger it only tries: SQLite opens a read-only file without a word, even for
// an immediate transaction, and complains at the first write.
func mark(ctx context.Context, db *sql.DB, keep bool) error {
	tx, err := db.BeginTx(ctx, nil)
	if err != nil {
		return err
	}
	_, err = tx.ExecContext(ctx, fmt.Sprintf("PRAGMA application_id = %d", applicationID))
	if err != nil || !keep {
		return errors.Join(err, tx.Rollback())
	}
	return tx.Commit()
}

// useWAL switches to write-ahead logging, which lets others read while one
// writes. The mode is a property of the file and stays.
func useWAL(ctx context.Context, db *sql.DB, path string) error {
	var mode string
	if err := db.QueryRowContext(ctx, "PRAGMA journal_mode = WAL").Scan(&mode); err != nil {
		return err
	}
	if mode != "wal" {
		return terminal("ledger.no_wal",
			fmt.Sprintf("the file system of %s does not let SQLite share memory between processes (journal mode is %q)", path, mode),
			"put the ledger on a local disk, or use a PostgreSQL ledger", nil)
	}
	return nil
}

func terminal(code, found, action string, cause error) *fault.Fault {
	f := fault.NewTerminal(code, "", found, action)
	f.Err = cause
	return f
}
