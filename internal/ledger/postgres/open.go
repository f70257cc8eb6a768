package postgres

import (
	"context"
	"database/sql"
	"embed"
	"fmt"
	"io"
	"io/fs"
	"net"
	"strconv"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/stdlib"
	"github.com/pressly/goose/v3"

	"github.com/tenantplane/terraform-provider-tenant/internal/ledger"
	"github.com/tenantplane/terraform-provider-tenant/internal/ledger/queries"
	"github.com/tenantplane/terraform-provider-tenant/internal/ledger/sqlstore"
	"github.com/tenantplane/terraform-provider-tenant/internal/tenant"
)

//go:embed migrations/*.sql
var migrations embed.FS

// versionTable notes the migrations applied. Its name is ours: the default one
// may be another program's in the same database.
const versionTable = "tenant_ledger_version"

const (
	// connectLimit bounds the wait for a server that does not answer, unless
	// the URL says connect_timeout.
	connectLimit = 10 * time.Second
	// attemptLimit bounds one transaction, the wait for a row's lock included.
	// Ours take milliseconds.
	attemptLimit = 20 * time.Second
	// openLimit bounds an opening, the wait for others that migrate included.
	openLimit = 2 * time.Minute
	// connections of one process: more than an executor has actions at a time.
	connections = 6
)

// Open opens the ledger in the database that url names
// (postgres://user:password@host:port/database?sslmode=…; the PG… variables of
// libpq fill in what it leaves out), creating or migrating its tables as
// needed. random gives a new ledger its installation id. Failures are faults
// that name server and database, never the password, and say what to do. A
// ledger of a newer version gives ledger.ErrNewer.
func Open(ctx context.Context, url string, random io.Reader) (ledger.Store, error) {
	return open(ctx, url, random, databaseTime)
}

// OpenExisting is Open for those who only look: where no ledger is, it makes
// none and says so.
func OpenExisting(ctx context.Context, url string, random io.Reader) (ledger.Store, error) {
	return openIf(ctx, url, random, databaseTime, present)
}

// clock reads the ledger's time.
type clock func(ctx context.Context, db queries.DBTX) (time.Time, error)

func open(ctx context.Context, url string, random io.Reader, now clock) (ledger.Store, error) {
	return openIf(ctx, url, random, now, ours)
}

// condition looks at a database before anything is written to it.
type condition func(ctx context.Context, db *sql.DB, at string) error

func openIf(ctx context.Context, url string, random io.Reader, now clock, may condition) (ledger.Store, error) {
	config, err := parse(url)
	if err != nil {
		return nil, err
	}
	at := place(config)
	db := stdlib.OpenDB(*config)
	db.SetMaxOpenConns(connections)
	db.SetMaxIdleConns(connections)
	db.SetConnMaxIdleTime(time.Minute)
	store := sqlstore.New(db, sqlstore.Dialect{
		Now:               now,
		Begin:             &sql.TxOptions{Isolation: sql.LevelReadCommitted},
		Retry:             mayRepeat,
		Limit:             attemptLimit,
		Announce:          announce,
		FreezeEvents:      freezeEvents,
		OldestTransaction: oldestTransaction,
		Explain:           func(err error) error { return explain(at, err) },
	})
	opening, cancel := context.WithTimeout(ctx, openLimit)
	defer cancel()
	err = sqlstore.Again(opening, interrupted, func() error { return setUp(opening, db, at, store, may, random) })
	if err != nil {
		_ = db.Close() // err is the news
		if ctx.Err() != nil {
			return nil, ctx.Err()
		}
		return nil, explain(at, err)
	}
	return store, nil
}

func setUp(ctx context.Context, db *sql.DB, at string, store *sqlstore.Store, may condition, random io.Reader) error {
	if err := check(ctx, db, at); err != nil {
		return err
	}
	unlock, err := Lock(ctx, db)
	if err != nil {
		return err
	}
	defer unlock()
	if err := may(ctx, db, at); err != nil {
		return err
	}
	files, err := fs.Sub(migrations, "migrations")
	if err != nil {
		return err
	}
	schema := sqlstore.Schema{Dialect: goose.DialectPostgres, Files: files, VersionTable: versionTable}
	return store.Init(ctx, schema, func() (tenant.Installation, error) { return tenant.NewInstallation(random) })
}

// parse reads the URL. Statements are sent without preparing them, since a
// transaction pooler hands the next one to another session.
func parse(url string) (*pgx.ConnConfig, error) {
	config, err := pgx.ParseConfig(url)
	if err != nil {
		return nil, badURL()
	}
	config.DefaultQueryExecMode = pgx.QueryExecModeExec
	config.StatementCacheCapacity, config.DescriptionCacheCapacity = 0, 0
	if config.ConnectTimeout == 0 {
		config.ConnectTimeout = connectLimit
	}
	if config.RuntimeParams["application_name"] == "" {
		config.RuntimeParams["application_name"] = "terraform-provider-tenant"
	}
	return config, nil
}

// place names the ledger without its password.
func place(config *pgx.ConnConfig) string {
	return fmt.Sprintf("%s/%s (user %s)", net.JoinHostPort(config.Host, strconv.Itoa(int(config.Port))), config.Database, config.User)
}

// databaseTime is the database's own clock, which runs on within a transaction.
func databaseTime(ctx context.Context, db queries.DBTX) (time.Time, error) {
	var micros int64
	err := db.QueryRowContext(ctx, "SELECT (extract(epoch FROM clock_timestamp()) * 1000000)::bigint").Scan(&micros)
	return time.UnixMicro(micros), err
}
