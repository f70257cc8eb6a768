package sqlite

import (
	"context"
	"database/sql"
	"embed"
	"io"
	"io/fs"
	"net/url"
	"path/filepath"
	"strings"
	"time"

	"github.com/pressly/goose/v3"
	_ "modernc.org/sqlite" // the database/sql driver "sqlite"

	"github.com/tenantplane/terraform-provider-tenant/internal/clock"
	"github.com/tenantplane/terraform-provider-tenant/internal/ledger"
	"github.com/tenantplane/terraform-provider-tenant/internal/ledger/queries"
	"github.com/tenantplane/terraform-provider-tenant/internal/ledger/sqlstore"
	"github.com/tenantplane/terraform-provider-tenant/internal/tenant"
)

//go:embed migrations/*.sql
var migrations embed.FS

// Open opens the ledger at path, creating it (mode 0600, and its folder when
// only that is missing) and migrating its schema as needed. random gives a new
// ledger its installation id. Failures are terminal faults that say what was
// found at path and what to do; whatever is there is then left as it was. A
// ledger of a newer version gives ledger.ErrNewer.
func Open(ctx context.Context, path string, clk clock.Clock, random io.Reader) (ledger.Store, error) {
	path, err := place(path)
	if err != nil {
		return nil, err
	}
	unlock, err := Lock(ctx, path)
	if err != nil {
		return nil, err
	}
	defer unlock()
	if err := create(path); err != nil {
		return nil, err
	}
	db, err := sql.Open("sqlite", dsn(path))
	if err != nil {
		return nil, explain(path, err)
	}
	store, err := setUp(ctx, db, path, clk, random)
	if err != nil {
		_ = db.Close() // err is the news
		return nil, err
	}
	return store, nil
}

func setUp(ctx context.Context, db *sql.DB, path string, clk clock.Clock, random io.Reader) (*sqlstore.Store, error) {
	// One connection: with more, the writers of one process starve each other
	// behind the busy timeout (measured: 5.7 s worst case with 4, 57 ms with 1).
	db.SetMaxOpenConns(1)
	err := sqlstore.Again(ctx, busy, func() error { return own(ctx, db, path) })
	if err != nil {
		return nil, explain(path, err)
	}
	files, err := fs.Sub(migrations, "migrations")
	if err != nil {
		return nil, err
	}
	store := sqlstore.New(db, sqlstore.Dialect{
		Now:     func(context.Context, queries.DBTX) (time.Time, error) { return clk.Now(), nil },
		Retry:   busy,
		Explain: func(err error) error { return explain(path, err) },
	})
	draw := func() (tenant.Installation, error) { return tenant.NewInstallation(random) }
	if err := store.Init(ctx, sqlstore.Schema{Dialect: goose.DialectSQLite3, Files: files}, draw); err != nil {
		return nil, err
	}
	return store, nil
}

// dsn builds the connection string. busy_timeout is in milliseconds;
// synchronous=FULL because an intent must outlive a power failure.
func dsn(path string) string {
	slashed := filepath.ToSlash(path)
	if !strings.HasPrefix(slashed, "/") {
		slashed = "/" + slashed // a Windows drive
	}
	file := url.URL{Scheme: "file", Path: slashed}
	return file.String() + "?_pragma=busy_timeout(10000)&_pragma=synchronous(FULL)&_pragma=foreign_keys(ON)&_txlock=immediate"
}
