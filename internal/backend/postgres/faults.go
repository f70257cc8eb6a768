package postgres

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/jackc/pgx/v5/pgconn"

	"github.com/tenantplane/terraform-provider-tenant/internal/fault"
)

// wrap turns whatever a call ended with into the error the contract asks for.
func (b *Backend) wrap(verb, name string, err error) error {
	if err == nil {
		return nil
	}
	return fmt.Errorf("postgres: %s %s: %w", verb, name, b.fault(err))
}

// fault sorts an error. Transactions were rolled back, so what was lost before
// a commit changed nothing.
func (b *Backend) fault(err error) *fault.Fault {
	var known *fault.Fault
	if errors.As(err, &known) {
		return known
	}
	var refused *pgconn.PgError
	if errors.As(err, &refused) {
		return b.refusal(refused)
	}
	if errors.Is(err, context.DeadlineExceeded) || errors.Is(err, context.Canceled) {
		f := fault.NewRetryable("postgres.timeout", "the server did not answer in time", err)
		f.Action = "nothing needs doing unless it stays; then look at the server's load and locks"
		return f
	}
	f := fault.NewRetryable("postgres.unreachable",
		fmt.Sprintf("no connection to %s port %d", b.config.Host, b.config.Port), err)
	f.Action = "check that the server runs and that this machine may reach it"
	f.BackendWide = true
	return f
}

// reading is what an SQLSTATE means to us (PostgreSQL manual, appendix A).
type reading struct {
	code        string
	kind        fault.Kind
	backendWide bool
	action      string
}

var (
	credentials = reading{"postgres.credentials", fault.Terminal, true, "correct user and password in the URL, or let them in with pg_hba.conf"}
	rights      = reading{"postgres.right_missing", fault.Terminal, false, "grant the user of the URL this right; it needs CREATEROLE, CREATE on the database, CREATEDB for isolation \"database\", and ownership of what it is to change"}
	outage      = reading{"postgres.outage", fault.Retryable, true, "nothing needs doing unless it stays; then look at the server's log"}
	full        = reading{"postgres.full", fault.Retryable, true, "free connections, memory or disk space on the server"}
	race        = reading{"postgres.race", fault.Retryable, false, "nothing needs doing: somebody else changed the same thing at the same moment"}
	busy        = reading{"postgres.busy", fault.Retryable, false, "end the sessions that use it (pg_stat_activity shows them) or wait until they end"}
	timeout     = reading{"postgres.timeout", fault.Retryable, false, "nothing needs doing unless it stays; then look at the server's load and locks"}
	noDatabase  = reading{"postgres.database_unknown", fault.Terminal, true, "create the database that the URL names, or correct the URL"}
	standby     = reading{"postgres.read_only", fault.Retryable, true, "let the URL lead to the primary"}
	dependents  = reading{"postgres.dependents", fault.Terminal, false, "remove what depends on it, or set database.on_destroy to \"archive\" or \"cascade\""}
	broken      = reading{"postgres.internal", fault.Retryable, false, "look at the server's log"}
	rejected    = reading{"postgres.rejected", fault.Terminal, false, "this is a defect of the provider or of the server's configuration; please report it with this message"}
)

// exact readings go before those by class.
var (
	byState = map[string]reading{
		"42501": rights,
		"3D000": noDatabase,
		"25006": standby,
		"57014": timeout,
		"55006": busy, "55P03": busy, "55000": busy,
		"40001": race, "40P01": race,
		"42P04": race, "42P06": race, "42710": race, "42P07": race,
		"3F000": race, "42704": race,
		"2BP01": dependents,
	}
	byClass = map[string]reading{
		"08": outage, "57": outage, "58": outage,
		"28": credentials,
		"53": full,
		"XX": broken,
	}
)

func (b *Backend) refusal(refused *pgconn.PgError) *fault.Fault {
	r := read(refused)
	f := &fault.Fault{
		Kind:        r.kind,
		Code:        r.code,
		Found:       fmt.Sprintf("the server says: %s (SQLSTATE %s)", refused.Message, refused.Code),
		Action:      r.action,
		BackendWide: r.backendWide,
		Err:         refused,
	}
	if r.backendWide && r.kind == fault.Terminal {
		f.Path = b.path
	}
	return f
}

func read(refused *pgconn.PgError) reading {
	if isCatalogRace(refused) {
		return race
	}
	if r, found := byState[refused.Code]; found {
		return r
	}
	if r, found := byClass[refused.Code[:min(2, len(refused.Code))]]; found {
		return r
	}
	return rejected
}

// isCatalogRace recognises two sessions that changed one catalog row at a
// time. PostgreSQL reports it as an internal error, or as a violated unique
// index of a catalog.
func isCatalogRace(refused *pgconn.PgError) bool {
	switch refused.Code {
	case "XX000":
		return strings.HasPrefix(refused.Message, "tuple concurrently")
	case "23505":
		return strings.HasPrefix(refused.ConstraintName, "pg_")
	}
	return false
}

// isCollision tells whether a transaction failed only because another ran
// beside it, so that the same once more is all it takes.
func isCollision(err error) bool {
	var refused *pgconn.PgError
	if !errors.As(err, &refused) {
		return false
	}
	switch refused.Code {
	case "40P01", "40001":
		return true
	}
	return isCatalogRace(refused)
}

// hasState tells whether err is a refusal with one SQLSTATE.
func hasState(err error, state string) bool {
	var refused *pgconn.PgError
	return errors.As(err, &refused) && refused.Code == state
}
