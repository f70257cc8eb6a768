package postgres

import (
	"context"
	"database/sql"
	"database/sql/driver"
	"errors"
	"fmt"
	"io"
	"net"
	"strings"

	"github.com/jackc/pgx/v5/pgconn"

	"github.com/tenantplane/terraform-provider-tenant/internal/fault"
	"github.com/tenantplane/terraform-provider-tenant/internal/ledger"
	"github.com/tenantplane/terraform-provider-tenant/internal/ledger/sqlstore"
)

// SQLSTATE codes (postgresql.org/docs/current/errcodes-appendix.html) that get
// an answer of their own.
const (
	serializationFailure = "40001"
	deadlockDetected     = "40P01"
	lockNotAvailable     = "55P03"
	readOnlyTransaction  = "25006"
	diskFull             = "53100"
	outOfMemory          = "53200"
	tooManyConnections   = "53300"
	adminShutdown        = "57P01"
	crashShutdown        = "57P02"
	cannotConnectNow     = "57P03"
	queryCanceled        = "57014"
	noPrivilege          = "42501"
	noDatabase           = "3D000"
	wrongPassword        = "28P01"
	notAuthorized        = "28000"
	protocolViolation    = "08P01"
)

// state is the SQLSTATE in err; "" when the server said nothing.
func state(err error) string {
	var e *pgconn.PgError
	if !errors.As(err, &e) {
		return ""
	}
	return e.Code
}

// mayRepeat implements sqlstore.Dialect's Retry: nothing was written, and it
// was not this work's own fault. A lost connection says so too, unless it was
// lost in a commit.
func mayRepeat(err error) bool {
	switch state(err) {
	case serializationFailure, deadlockDetected:
		return true
	case adminShutdown, crashShutdown, cannotConnectNow, tooManyConnections:
		return !errors.Is(err, sqlstore.ErrCommit)
	case "":
		return lost(err) && !errors.Is(err, sqlstore.ErrCommit)
	}
	return false
}

// interrupted tells whether an opening that had begun may simply begin again. A
// server that cannot be reached at all is news for the user at once.
func interrupted(err error) bool { return mayRepeat(err) && !unconnected(err) }

// lost tells whether the connection broke or could not be made.
func lost(err error) bool {
	var network net.Error
	switch {
	case errors.Is(err, context.Canceled), errors.Is(err, context.DeadlineExceeded):
		return false
	case unconnected(err), errors.As(err, &network):
		return true
	}
	return errors.Is(err, driver.ErrBadConn) || errors.Is(err, sql.ErrConnDone) ||
		errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) || errors.Is(err, net.ErrClosed) || errors.Is(err, pgconn.ErrConnClosed) || pgconn.SafeToRetry(err)
}

// unconnected tells whether no connection could be made.
func unconnected(err error) bool {
	var connect *pgconn.ConnectError
	return errors.As(err, &connect)
}

// explain turns an error met on the ledger at a place into a fault that says
// what to do.
func explain(at string, err error) error {
	var known *fault.Fault
	if errors.As(err, &known) {
		return err
	}
	found := fmt.Sprintf("the ledger %s: %v", at, err)
	if errors.Is(err, ledger.ErrNewer) {
		return wrap(terminal("ledger.newer", found, "upgrade the provider to at least the version that wrote it"), err)
	}
	if errors.Is(err, sqlstore.ErrCommit) {
		return retryable("ledger.commit", found, err, "run again: what was written is found out by looking")
	}
	switch code := state(err); {
	case code == protocolViolation && strings.Contains(err.Error(), "statement pooling"):
		return wrap(terminal("ledger.statement_pooling", found, "use pool_mode = transaction or session, or connect to the server itself"), err)
	case code == wrongPassword, code == notAuthorized:
		return wrap(terminal("ledger.login", found, "correct user and password in ledger.url, or the server's pg_hba.conf"), err)
	case code == noDatabase:
		return wrap(terminal("ledger.no_database", found, "create the database, or correct its name in ledger.url"), err)
	case code == noPrivilege:
		return wrap(terminal("ledger.privilege", found, "GRANT CREATE, USAGE on the schema and all rights on the ledger's tables to this user"), err)
	case code == readOnlyTransaction:
		return wrap(terminal("ledger.read_only", found, "name a server that takes writes, and let this user write"), err)
	case code == diskFull, code == outOfMemory:
		return retryable("ledger.full", found, err, "give the database server room, then run again")
	case code == lockNotAvailable, code == queryCanceled, code == "" && !unconnected(err) && errors.Is(err, context.DeadlineExceeded):
		return retryable("ledger.busy", found, err, "look for what blocks the database (pg_stat_activity), or does not answer, then run again")
	case lost(err), unconnected(err), code == adminShutdown, code == crashShutdown, code == cannotConnectNow, code == tooManyConnections:
		return retryable("ledger.unreachable", found, err, "check that the server runs and can be reached from here, then run again")
	}
	return retryable("ledger.failed", found, err, "run again; if it stays, look into the server's log")
}

// badURL is the fault for a URL that cannot be read. It does not say what the
// parser says: nobody knows which part of a broken URL is the password.
func badURL() error {
	return terminal("ledger.url", "the ledger's URL cannot be read",
		"write postgres://user:password@host:5432/database?sslmode=verify-full, with special characters of the password percent-encoded")
}

func terminal(code, found, action string) *fault.Fault {
	return fault.NewTerminal(code, "", found, action)
}

func wrap(f *fault.Fault, cause error) *fault.Fault {
	f.Err = cause
	return f
}

func retryable(code, found string, err error, action string) *fault.Fault {
	f := fault.NewRetryable(code, found, err)
	f.Action = action
	return f
}
