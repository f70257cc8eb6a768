package sqlstore

import (
	"context"
	"database/sql"
	"embed"
	"fmt"
	"io/fs"

	"github.com/pressly/goose/v3"

	"github.com/tenantplane/terraform-provider-tenant/internal/ledger"
)

//go:embed migrations/*.sql
var migrations embed.FS

// Migrate brings the schema up to this binary's version, forward only. The
// driver holds a lock meanwhile. A schema newer than this binary gives
// ledger.ErrNewer and is left alone.
func Migrate(ctx context.Context, db *sql.DB, dialect goose.Dialect) error {
	files, err := fs.Sub(migrations, "migrations")
	if err != nil {
		return err
	}
	provider, err := goose.NewProvider(dialect, db, files, goose.WithDisableGlobalRegistry(true))
	if err != nil {
		return fmt.Errorf("read migrations: %w", err)
	}
	stored, newest, err := provider.GetVersions(ctx)
	if err != nil {
		return fmt.Errorf("read schema version: %w", err)
	}
	if stored > newest {
		return fmt.Errorf("its schema has version %d, this program knows versions up to %d: %w", stored, newest, ledger.ErrNewer)
	}
	if stored == newest {
		return nil
	}
	if _, err := provider.Up(ctx); err != nil {
		return fmt.Errorf("migrate schema from version %d to %d: %w", stored, newest, err)
	}
	return nil
}
