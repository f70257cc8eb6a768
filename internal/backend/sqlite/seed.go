package sqlite

import (
	"context"
	"database/sql"
	"fmt"

	"github.com/tenantplane/terraform-provider-tenant/internal/backend"
	"github.com/tenantplane/terraform-provider-tenant/internal/component/database"
	"github.com/tenantplane/terraform-provider-tenant/internal/fault"
)

// seed runs what has not run yet and records the order now in force.
func (b *Backend) seed(ctx context.Context, tx *sql.Tx, want backend.Want) error {
	if _, err := tx.ExecContext(ctx, "UPDATE "+seedTable+" SET position = NULL"); err != nil {
		return fmt.Errorf("record seeds: %w", err)
	}
	for i, ref := range want.Fields[database.FieldSeed] {
		if err := b.seedOnce(ctx, tx, want, ref, i); err != nil {
			return err
		}
	}
	return nil
}

func (b *Backend) seedOnce(ctx context.Context, tx *sql.Tx, want backend.Want, ref string, position int) error {
	name := database.SeedName(ref)
	script, given := want.Inputs[name]
	hash := database.SeedHash(script)
	path := fmt.Sprintf("%s.seed[%d]", want.Path, position)
	if !given || database.SeedRef(name, hash) != ref {
		return fault.NewTerminal("sqlite.seed_mismatch", path, fmt.Sprintf("is %s, but the script that came with it is another one", ref),
			"this is a defect of the provider; please report it with this message")
	}
	result, err := tx.ExecContext(ctx, "UPDATE "+seedTable+" SET position = ? WHERE name = ? AND sha256 = ?", position, name, hash)
	if err != nil {
		return fmt.Errorf("record seed %s: %w", name, err)
	}
	if ran, err := result.RowsAffected(); err != nil || ran == 1 {
		return err
	}
	if err := b.runSeed(ctx, tx, path, name, script); err != nil {
		return err
	}
	_, err = tx.ExecContext(ctx, "INSERT INTO "+seedTable+" (name, sha256, position) VALUES (?, ?, ?)", name, hash, position)
	return err
}

// runSeed runs a script inside a savepoint: one that ends our transaction takes
// the savepoint with it, and is found out.
func (b *Backend) runSeed(ctx context.Context, tx *sql.Tx, path, name, script string) error {
	if _, err := tx.ExecContext(ctx, "SAVEPOINT seed"); err != nil {
		return err
	}
	if _, err := tx.ExecContext(ctx, script); err != nil {
		return b.seedFault(path, name, err)
	}
	if _, err := tx.ExecContext(ctx, "RELEASE seed"); err != nil {
		return fault.NewTerminal("sqlite.seed_transaction", path, name+" begins or ends a transaction; what it did before may be there",
			"leave BEGIN, COMMIT and ROLLBACK out: all seeds run in one transaction")
	}
	return nil
}

func (b *Backend) seedFault(path, name string, err error) error {
	if f := b.fault(err); f.Kind == fault.Retryable {
		return f
	}
	return &fault.Fault{
		Kind: fault.Terminal, Code: "sqlite.seed_failed", Path: path,
		Found:  fmt.Sprintf("%s failed: %s; nothing of it was kept", name, err),
		Action: "correct the script", Err: err,
	}
}
