package postgres

import (
	"context"
	"database/sql/driver"
	"errors"
	"fmt"
	"io"
	"testing"

	"github.com/jackc/pgx/v5/pgconn"

	"github.com/tenantplane/terraform-provider-tenant/internal/fault"
	"github.com/tenantplane/terraform-provider-tenant/internal/ledger/sqlstore"
)

// What PostgreSQL says that no test can make it say at will: a full disk, a
// deadlock, a fail-over in a commit.
func TestWhatPostgreSQLSaysIsSortedIntoRepeatWaitAndGiveUp(t *testing.T) {
	says := func(code string) error {
		return fmt.Errorf("exec: %w", &pgconn.PgError{Code: code, Message: "said so"})
	}
	inCommit := func(err error) error { return fmt.Errorf("%w: %w", sqlstore.ErrCommit, err) }
	for name, c := range map[string]struct {
		err    error
		repeat bool
		code   string
		kind   fault.Kind
	}{
		"another transaction was first":         {says("40001"), true, "ledger.failed", fault.Retryable},
		"a deadlock":                            {says("40P01"), true, "ledger.failed", fault.Retryable},
		"a serialization failure in the commit": {inCommit(says("40001")), true, "ledger.commit", fault.Retryable},
		"the disk is full":                      {says("53100"), false, "ledger.full", fault.Retryable},
		"the server shuts down":                 {says("57P01"), true, "ledger.unreachable", fault.Retryable},
		"it shuts down in the commit":           {inCommit(says("57P01")), false, "ledger.commit", fault.Retryable},
		"it starts up":                          {says("57P03"), true, "ledger.unreachable", fault.Retryable},
		"all connections are taken":             {says("53300"), true, "ledger.unreachable", fault.Retryable},
		"the connection broke":                  {io.ErrUnexpectedEOF, true, "ledger.unreachable", fault.Retryable},
		"the connection broke in the commit":    {inCommit(io.ErrUnexpectedEOF), false, "ledger.commit", fault.Retryable},
		"a stale connection":                    {driver.ErrBadConn, true, "ledger.unreachable", fault.Retryable},
		"a lock nobody lets go of":              {context.DeadlineExceeded, false, "ledger.busy", fault.Retryable},
		"a statement timeout":                   {says("57014"), false, "ledger.busy", fault.Retryable},
		"a standby after a fail-over":           {says("25006"), false, "ledger.read_only", fault.Terminal},
		"rights that were taken away":           {says("42501"), false, "ledger.privilege", fault.Terminal},
		"a broken constraint":                   {says("23514"), false, "ledger.failed", fault.Retryable},
	} {
		t.Run(name, func(t *testing.T) {
			if got := mayRepeat(c.err); got != c.repeat {
				t.Errorf("may be repeated: %v, want %v", got, c.repeat)
			}
			var f *fault.Fault
			if !errors.As(explain("db.example/ledger", c.err), &f) || f.Code != c.code || f.Kind != c.kind || f.Action == "" {
				t.Errorf("explained as %+v, want %s %s", f, c.kind, c.code)
			}
		})
	}
}
