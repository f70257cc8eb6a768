package provider

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"os"
	"strings"

	"github.com/tenantplane/terraform-provider-tenant/internal/clock"
	"github.com/tenantplane/terraform-provider-tenant/internal/ledger"
	"github.com/tenantplane/terraform-provider-tenant/internal/ledger/postgres"
	"github.com/tenantplane/terraform-provider-tenant/internal/ledger/sqlite"
	"github.com/tenantplane/terraform-provider-tenant/internal/tenant"
)

// DefaultLedger is the ledger's file beside the configuration.
const DefaultLedger = "tenant-ledger.db"

// LedgerURLVariable is the environment variable that names a ledger when the
// configuration does not: a URL holds a password, which is no business of a
// file under version control.
const LedgerURLVariable = "TENANT_LEDGER_URL"

// IsLedgerURL tells a PostgreSQL ledger's URL from a SQLite ledger's path.
func IsLedgerURL(place string) bool {
	return strings.HasPrefix(place, "postgres://") || strings.HasPrefix(place, "postgresql://")
}

// OpenLedger opens the ledger at a place, which is a URL or a path. The two
// drivers say in their Open what it can fail with.
func OpenLedger(ctx context.Context, place string) (ledger.Store, error) {
	if IsLedgerURL(place) {
		return postgres.Open(ctx, place, rand.Reader)
	}
	return sqlite.Open(ctx, place, clock.System{}, rand.Reader)
}

// OpenExistingLedger is OpenLedger for those who only look: it makes none.
func OpenExistingLedger(ctx context.Context, place string) (ledger.Store, error) {
	if IsLedgerURL(place) {
		return postgres.OpenExisting(ctx, place, rand.Reader)
	}
	if _, err := os.Stat(place); err != nil {
		return nil, fmt.Errorf("ledger %s: %w", place, err)
	}
	return OpenLedger(ctx, place)
}

// LedgerConfig is the ledger block: a SQLite file or a PostgreSQL database.
type LedgerConfig struct{ Path, URL string }

// LedgerAt is the ledger at a place, which is a URL or a path.
func LedgerAt(place string) LedgerConfig {
	if IsLedgerURL(place) {
		return LedgerConfig{URL: place}
	}
	return LedgerConfig{Path: place}
}

// place returns where the ledger is and the attribute that says so.
func (c LedgerConfig) place() (place, attribute string) {
	switch {
	case c.URL != "":
		return c.URL, "ledger.url"
	case c.Path != "":
		return c.Path, "ledger.path"
	}
	return DefaultLedger, "ledger.path"
}

// check refuses what can only be a mistake.
func (c LedgerConfig) check() *configError {
	switch {
	case c.URL != "" && c.Path != "":
		return &configError{"ledger", "Choose one ledger", "ledger: both path and url are set. Remove one of them."}
	case c.URL != "" && !IsLedgerURL(c.URL):
		return &configError{"ledger", "Invalid ledger URL", "ledger.url: it does not begin with postgres:// or postgresql://. A SQLite file goes into ledger.path."}
	case IsLedgerURL(c.Path):
		return &configError{"ledger", "Invalid ledger path", "ledger.path: it is a database's URL. Put it into ledger.url."}
	}
	return nil
}

// openLedger opens the ledger and settles whose it is.
func openLedger(ctx context.Context, config Config) (ledger.Store, *configError) {
	if bad := config.Ledger.check(); bad != nil {
		return nil, bad
	}
	place, attribute := config.Ledger.place()
	store, err := OpenLedger(ctx, place)
	if err != nil {
		return nil, &configError{"ledger", "Cannot open the ledger", fmt.Sprintf("%s: %v", attribute, err)}
	}
	if config.Installation == "" {
		return store, nil
	}
	if bad := adoptInstallation(ctx, store, config.Installation, attribute); bad != nil {
		_ = store.Close() // the provider ends here
		return nil, bad
	}
	return store, nil
}

func adoptInstallation(ctx context.Context, store ledger.Store, name, attribute string) *configError {
	installation, err := tenant.ParseInstallation(name)
	if err != nil {
		return &configError{"installation", "Invalid installation", "installation: " + err.Error()}
	}
	err = store.AdoptInstallation(ctx, installation)
	if errors.Is(err, ledger.ErrInstallation) {
		return &configError{"installation", "The ledger belongs to another installation",
			fmt.Sprintf("installation: the provider block says %q, but the ledger of %s: %v. Remove the attribute, or name the ledger of that installation.", name, attribute, err)}
	}
	if err != nil {
		return &configError{"ledger", "Cannot write the ledger", fmt.Sprintf("%s: %v", attribute, err)}
	}
	return nil
}
