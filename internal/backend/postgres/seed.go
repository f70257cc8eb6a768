package postgres

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"

	"github.com/tenantplane/terraform-provider-tenant/internal/backend"
	"github.com/tenantplane/terraform-provider-tenant/internal/component/database"
	"github.com/tenantplane/terraform-provider-tenant/internal/fault"
)

// seedTable remembers which seeds ran. It lies in the tenant's schema, so that
// it is copied, archived and restored with the data it speaks of; it belongs
// to the admin, so that the application cannot write to it.
const seedTable = "tenant_provider_seed"

// seedLog returns the qualified name of a place's seed table.
func (p place) seedLog() string { return pgx.Identifier{p.schema(), seedTable}.Sanitize() }

// seedsInForce returns the references of the seeds that the last Ensure asked
// for, in its order. Anything that is no seed table of ours counts as none.
func seedsInForce(ctx context.Context, tx pgx.Tx, p place) ([]string, error) {
	exists, err := hasSeedLog(ctx, tx, p)
	if err != nil || !exists {
		return nil, err
	}
	rows, err := tx.Query(ctx, "SELECT name, sha256 FROM "+p.seedLog()+" WHERE position IS NOT NULL ORDER BY position")
	if err != nil {
		return nil, fmt.Errorf("read seeds: %w", err)
	}
	return pgx.CollectRows(rows, func(row pgx.CollectableRow) (string, error) {
		var name, hash string
		err := row.Scan(&name, &hash)
		return database.SeedRef(name, hash), err
	})
}

func hasSeedLog(ctx context.Context, tx pgx.Tx, p place) (exists bool, err error) {
	err = tx.QueryRow(ctx, "SELECT to_regclass($1) IS NOT NULL", p.seedLog()).Scan(&exists)
	return exists, err
}

// seed runs what has not run yet and records the order now in force. A seed
// that left the list stays on record: should it come back, it does not run
// again.
func (b *Backend) seed(ctx context.Context, tx pgx.Tx, p place, want backend.Want) error {
	exists, err := hasSeedLog(ctx, tx, p)
	if err != nil {
		return err
	}
	refs := want.Fields[database.FieldSeed]
	if !exists && len(refs) == 0 {
		return nil
	}
	if !exists {
		if err := makeSeedLog(ctx, tx, p); err != nil {
			return fmt.Errorf("make the record of seeds: %w", err)
		}
	}
	if err := execute(ctx, tx, "UPDATE "+p.seedLog()+" SET position = NULL WHERE position IS NOT NULL"); err != nil {
		return fmt.Errorf("record seeds: %w", err)
	}
	for i, ref := range refs {
		if err := b.seedOnce(ctx, tx, p, want, ref, i); err != nil {
			return err
		}
	}
	return nil
}

func makeSeedLog(ctx context.Context, tx pgx.Tx, p place) error {
	return execute(ctx, tx,
		"CREATE TABLE "+p.seedLog()+" (name text, sha256 text, position integer, applied_at timestamptz NOT NULL DEFAULT now(), PRIMARY KEY (name, sha256))",
		"COMMENT ON TABLE "+p.seedLog()+" IS "+literal("Seeds that terraform-provider-tenant ran here; not data of the tenant."),
		// Readable, so that the tenant's own dumps do not stumble over it.
		"GRANT SELECT ON "+p.seedLog()+" TO "+quoteAll([]string{p.owner(), p.reader()}))
}

// seedOnce puts one seed in force at a position and runs it when this content
// never ran under this name.
func (b *Backend) seedOnce(ctx context.Context, tx pgx.Tx, p place, want backend.Want, ref string, position int) error {
	name := database.SeedName(ref)
	script, given := want.Inputs[name]
	hash := database.SeedHash(script)
	path := fmt.Sprintf("%s.seed[%d]", p.path, position)
	if !given || database.SeedRef(name, hash) != ref {
		return fault.NewTerminal("postgres.seed_mismatch", path, fmt.Sprintf("is %s, but the script that came with it is another one", ref),
			"this is a defect of the provider; please report it with this message")
	}
	tag, err := tx.Exec(ctx, "UPDATE "+p.seedLog()+" SET position = $3 WHERE name = $1 AND sha256 = $2", name, hash, position)
	if err != nil {
		return fmt.Errorf("record seed %s: %w", name, err)
	}
	if tag.RowsAffected() == 1 {
		return nil
	}
	if err := b.runSeed(ctx, tx, p, script); err != nil {
		return b.seedFault(path, name, script, err)
	}
	_, err = tx.Exec(ctx, "INSERT INTO "+p.seedLog()+" (name, sha256, position) VALUES ($1, $2, $3)", name, hash, position)
	return err
}

var errRoleChanged = errors.New("the script changed the role")

// runSeed runs a script as the owner role with the tenant's schema as the
// search path. EXECUTE, unlike a script sent as it is, refuses COMMIT and its
// kin, which would tear our transaction apart; the script travels as a
// parameter and needs no quoting.
func (b *Backend) runSeed(ctx context.Context, tx pgx.Tx, p place, script string) error {
	if _, err := tx.Exec(ctx, "SELECT set_config('tenant.seed', $1, true)", script); err != nil {
		return err
	}
	err := execute(ctx, tx,
		"SET LOCAL ROLE "+quote(p.owner()),
		"SET LOCAL search_path = "+quote(p.schema()),
		"DO $$ BEGIN EXECUTE current_setting('tenant.seed'); END $$")
	if err != nil {
		return err
	}
	var stillOwner bool
	if err := tx.QueryRow(ctx, "SELECT current_user = $1", p.owner()).Scan(&stillOwner); err != nil {
		return err
	}
	if !stillOwner {
		return errRoleChanged
	}
	return execute(ctx, tx, "RESET ROLE", b.transactionSettings(), "SET LOCAL tenant.seed = ''")
}

// seedFault words what went wrong in a script. Faults of the server (a lost
// connection, a lock) stay what they are.
func (b *Backend) seedFault(path, name, script string, err error) error {
	f := b.fault(err)
	var refused *pgconn.PgError
	switch {
	case errors.As(err, &refused) && f.Kind == fault.Retryable && !isUnknownObject(refused):
		return f
	case errors.As(err, &refused):
		return &fault.Fault{
			Kind: fault.Terminal, Code: "postgres.seed_failed", Path: path,
			Found:  fmt.Sprintf("%s failed%s: %s (SQLSTATE %s); nothing of it was kept", name, lineOf(refused, script), refused.Message, refused.Code),
			Action: seedAction(refused), Err: err,
		}
	case errors.Is(err, errRoleChanged):
		return fault.NewTerminal("postgres.seed_role", path, name+" changes the role; nothing of it was kept",
			"leave SET ROLE and RESET ROLE out: seeds run as the tenant's owner role")
	}
	return err
}

func seedAction(refused *pgconn.PgError) string {
	switch refused.Code {
	case "0A000":
		return "leave BEGIN, COMMIT and ROLLBACK out: all seeds run in one transaction"
	case "42501":
		return "seeds run as the tenant's owner role and reach the tenant's schema only; do the rest elsewhere"
	}
	return "correct the script"
}

// isUnknownObject tells errors that mean a race in our own statements and a
// mistake in a script.
func isUnknownObject(refused *pgconn.PgError) bool {
	return strings.HasPrefix(refused.Code, "42") || strings.HasPrefix(refused.Code, "3F") || refused.Code == "55000"
}

// lineOf says in which line of the script the server found the error.
func lineOf(refused *pgconn.PgError, script string) string {
	position := int(refused.InternalPosition)
	runes := []rune(script)
	if position < 1 || position > len(runes) || refused.InternalQuery != script {
		return ""
	}
	return fmt.Sprintf(" in line %d", 1+strings.Count(string(runes[:position-1]), "\n"))
}
