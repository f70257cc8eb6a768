package postgres

import (
	"errors"
	"net/url"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/tenantplane/terraform-provider-tenant/internal/backend"
	"github.com/tenantplane/terraform-provider-tenant/internal/fault"
)

// defaultTimeout bounds one call when the settings do not.
const defaultTimeout = 30 * time.Second

// Driver returns the driver of PostgreSQL for the database component.
func Driver() backend.Driver {
	return backend.Driver{
		Vendor:      "postgres",
		Component:   "database",
		Description: "A schema or a database per tenant on a PostgreSQL server (15 or later).",
		Regional:    true,
		Options: []backend.Option{{
			Name:        "url",
			Description: "URL of the database that holds the tenants' schemas, with the user who administers them: postgres://user:password@host:port/database. It has to lead to the server itself, not to a transaction pooler. The user needs CREATEROLE, CREATE on the database and, for isolation \"database\", CREATEDB.",
			Required:    true,
			Secret:      true,
			Env:         "TENANT_DATABASE_URL",
		}},
		Open: open,
	}
}

// Backend keeps tenants' databases on one PostgreSQL server.
type Backend struct {
	config  *pgx.ConnConfig
	path    string
	timeout time.Duration
}

var (
	_ backend.Backend  = (*Backend)(nil)
	_ backend.Disabler = (*Backend)(nil)
	_ backend.Archiver = (*Backend)(nil)
	_ backend.Checker  = (*Backend)(nil)
)

func open(settings backend.Settings) (backend.Backend, *fault.Fault) {
	path := settings.Path + ".url"
	address := settings.Options["url"]
	if address == "" {
		return nil, fault.NewTerminal("postgres.url_missing", path, "is not set",
			"set it or the environment variable TENANT_DATABASE_URL to postgres://user:password@host:port/database")
	}
	config, err := parse(address)
	if err != nil {
		// The parser quotes parts of the URL, perhaps of the password: its
		// words go nowhere.
		return nil, fault.NewTerminal("postgres.url_invalid", path, "is not a PostgreSQL URL",
			"write postgres://user:password@host:port/database, with special characters of the password percent-encoded")
	}
	// No prepared statements: connections are short.
	config.DefaultQueryExecMode = pgx.QueryExecModeExec
	timeout := settings.Timeout
	if timeout == 0 {
		timeout = defaultTimeout
	}
	return &Backend{config: config, path: path, timeout: timeout}, nil
}

// parse takes URLs only. pgx would read anything else as keyword=value pairs,
// and a mistyped URL as a setting to be sent to, and quoted by, the server.
func parse(address string) (*pgx.ConnConfig, error) {
	u, err := url.Parse(address)
	if err != nil {
		return nil, err
	}
	if u.Scheme != "postgres" && u.Scheme != "postgresql" || u.Fragment != "" {
		return nil, errors.New("no PostgreSQL URL")
	}
	return pgx.ParseConfig(address)
}

// Capabilities implements backend.Backend: there are no idempotency keys, and
// none are needed where the catalogs answer exactly.
func (*Backend) Capabilities() backend.Capabilities {
	return backend.Capabilities{ExactLookup: true}
}
