package postgres_test

import (
	"flag"
	"os"
	"path/filepath"
	"testing"

	"github.com/tenantplane/terraform-provider-tenant/internal/acctest"
	"github.com/tenantplane/terraform-provider-tenant/internal/clock"
	"github.com/tenantplane/terraform-provider-tenant/internal/ledger"
	"github.com/tenantplane/terraform-provider-tenant/internal/ledger/ledgertest"
)

// Before a release that changes the schema: -dump testdata/‹version›.sql keeps
// what the version before it wrote.
var dump = flag.String("dump", "", "write a filled ledger of this version to a file")

func TestTheLedgerOfEveryReleasedVersionOpens(t *testing.T) {
	writeDump(t)
	released, err := filepath.Glob("testdata/*.sql")
	if err != nil || len(released) == 0 {
		t.Fatalf("no released ledgers: %v", err)
	}
	for _, file := range released {
		t.Run(filepath.Base(file), func(t *testing.T) {
			content, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			url := newDatabase(t)
			execute(t, url, string(content))
			ledgertest.Remembers(t, open(t, url))
		})
	}
}

func writeDump(t *testing.T) {
	t.Helper()
	if *dump == "" {
		return
	}
	url := newDatabase(t)
	ledgertest.Fill(t, func(t *testing.T, clk clock.Clock) func() ledger.Store {
		return opener(t, url, clk)
	})
	if err := os.WriteFile(*dump, acctest.Postgres(t).Dump(t, url), 0o600); err != nil {
		t.Fatal(err)
	}
}
