package sqlite_test

import (
	"crypto/rand"
	"path/filepath"
	"testing"

	"github.com/tenantplane/terraform-provider-tenant/internal/clock"
	"github.com/tenantplane/terraform-provider-tenant/internal/ledger"
	"github.com/tenantplane/terraform-provider-tenant/internal/ledger/ledgertest"
	"github.com/tenantplane/terraform-provider-tenant/internal/ledger/sqlite"
)

func TestConformance(t *testing.T) {
	ledgertest.Run(t, func(t *testing.T, clk clock.Clock) func() ledger.Store {
		path := filepath.Join(t.TempDir(), "tenant-ledger.db")
		return func() ledger.Store {
			store, err := sqlite.Open(t.Context(), path, clk, rand.Reader)
			if err != nil {
				t.Fatal(err)
			}
			return store
		}
	})
}
