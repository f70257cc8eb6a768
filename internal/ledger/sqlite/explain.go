package sqlite

import (
	"errors"
	"fmt"

	"modernc.org/sqlite"
	sqlite3 "modernc.org/sqlite/lib"

	"github.com/tenantplane/terraform-provider-tenant/internal/fault"
	"github.com/tenantplane/terraform-provider-tenant/internal/ledger"
)

// result is SQLite's primary result code in err; 0 when err is not SQLite's.
func result(err error) int {
	var e *sqlite.Error
	if !errors.As(err, &e) {
		return 0
	}
	return e.Code() & 0xff // the rest are extended codes
}

// busy tells whether another connection was in the way. The busy timeout
// covers most of it; recovery after a crash and the last close of another
// process do not wait (sqlite.org/wal.html, section 9).
func busy(err error) bool {
	code := result(err)
	return code == sqlite3.SQLITE_BUSY || code == sqlite3.SQLITE_LOCKED
}

// explain turns an error met on the ledger at path into a fault that says what
// to do. Faults pass through.
func explain(path string, err error) error {
	var f *fault.Fault
	if errors.As(err, &f) {
		return err
	}
	if errors.Is(err, ledger.ErrNewer) {
		return terminal("ledger.newer", fmt.Sprintf("the ledger %s was written by a newer version: %v", path, err),
			"upgrade the provider to at least the version that wrote it", err)
	}
	switch result(err) {
	case sqlite3.SQLITE_NOTADB:
		return terminal("ledger.not_a_ledger", path+" is not a ledger: it is no SQLite database, or its beginning is damaged",
			"if it is another file, correct the path; if it was the ledger, "+restore, err)
	case sqlite3.SQLITE_CORRUPT:
		return terminal("ledger.corrupt", fmt.Sprintf("the ledger %s is damaged: %v", path, err), restore, err)
	case sqlite3.SQLITE_READONLY, sqlite3.SQLITE_PERM, sqlite3.SQLITE_CANTOPEN, sqlite3.SQLITE_AUTH:
		return unwritable(path, err)
	case sqlite3.SQLITE_FULL:
		return retryable("ledger.full", path, err, "free some space on its disk, then run again")
	case sqlite3.SQLITE_BUSY, sqlite3.SQLITE_LOCKED:
		return retryable("ledger.busy", path, err, "end the process that keeps the ledger locked, then run again")
	}
	return retryable("ledger.failed", path, err, "run again; if it stays, check the disk the ledger is on")
}

// restore is advice that loses nothing: the ledger can be rebuilt.
const restore = "move it and its -wal and -shm files away and put a backup in place, or run without it: " +
	"the next apply rebuilds the ledger from Terraform's state and the backends"

func retryable(code, path string, err error, action string) error {
	f := fault.NewRetryable(code, fmt.Sprintf("the ledger %s failed: %v", path, err), err)
	f.Action = action
	return f
}
