package postgres_test

import (
	"crypto/rand"
	"os"
	"testing"

	"github.com/tenantplane/terraform-provider-tenant/internal/acctest"
	"github.com/tenantplane/terraform-provider-tenant/internal/clock"
	"github.com/tenantplane/terraform-provider-tenant/internal/ledger"
	"github.com/tenantplane/terraform-provider-tenant/internal/ledger/ledgertest"
	"github.com/tenantplane/terraform-provider-tenant/internal/ledger/postgres"
)

func TestMain(m *testing.M) { os.Exit(acctest.Main(m)) }

// Each test has a schema of its own in one database, as a ledger may that has
// to share one.
func TestConformance(t *testing.T) {
	shared := acctest.Postgres(t).NewDatabase(t)
	ledgertest.Run(t, func(t *testing.T, clk clock.Clock) func() ledger.Store {
		return opener(t, newSchema(t, shared), clk)
	})
}

// Each test has a database of its own: a pooler takes no search_path.
func TestConformanceThroughATransactionPooler(t *testing.T) {
	through := acctest.PgBouncer(t, acctest.TransactionPooling)
	ledgertest.Run(t, func(t *testing.T, clk clock.Clock) func() ledger.Store {
		return opener(t, through(acctest.Postgres(t).NewDatabase(t)), clk)
	})
}

func opener(t *testing.T, url string, clk clock.Clock) func() ledger.Store {
	return func() ledger.Store {
		t.Helper()
		store, err := postgres.OpenAt(t.Context(), url, rand.Reader, clk.Now)
		if err != nil {
			t.Fatal(err)
		}
		return store
	}
}
