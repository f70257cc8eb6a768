package sqlstore

import (
	"context"
	"database/sql"
	"fmt"
	"io/fs"

	"github.com/pressly/goose/v3"

	"github.com/tenantplane/terraform-provider-tenant/internal/ledger"
)

// Schema is a driver's migrations: forward only, one file a version.
type Schema struct {
	Dialect goose.Dialect
	// Files holds the migrations, named 0001_what.sql, at its root.
	Files fs.FS
	// VersionTable is where goose notes what it applied; "" for its default.
	VersionTable string
}

// migrate brings the schema up to this binary's version. A schema newer than
// this binary gives ledger.ErrNewer and is left alone.
func migrate(ctx context.Context, db *sql.DB, schema Schema) error {
	options := []goose.ProviderOption{goose.WithDisableGlobalRegistry(true)}
	if schema.VersionTable != "" {
		options = append(options, goose.WithTableName(schema.VersionTable))
	}
	provider, err := goose.NewProvider(schema.Dialect, db, schema.Files, options...)
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
