package sqlite_test

import (
	"crypto/rand"
	"database/sql"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/tenantplane/terraform-provider-tenant/internal/clock"
	"github.com/tenantplane/terraform-provider-tenant/internal/ledger"
	"github.com/tenantplane/terraform-provider-tenant/internal/ledger/ledgertest"
	"github.com/tenantplane/terraform-provider-tenant/internal/ledger/sqlite"
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
			path := filepath.Join(t.TempDir(), "tenant-ledger.db")
			execute(t, path, string(content))
			ledgertest.Remembers(t, open(t, path))
			intact(t, path)
		})
	}
}

func writeDump(t *testing.T) {
	t.Helper()
	if *dump == "" {
		return
	}
	path := filepath.Join(t.TempDir(), "tenant-ledger.db")
	ledgertest.Fill(t, func(t *testing.T, clk clock.Clock) func() ledger.Store {
		return func() ledger.Store {
			store, err := sqlite.Open(t.Context(), path, clk, rand.Reader)
			if err != nil {
				t.Fatal(err)
			}
			return store
		}
	})
	if err := os.WriteFile(*dump, []byte(dumped(t, path)), 0o600); err != nil {
		t.Fatal(err)
	}
}

// dumped returns a ledger as SQL that makes it anew.
func dumped(t *testing.T, path string) string {
	t.Helper()
	db, err := sql.Open("sqlite", "file:"+path)
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	var out strings.Builder
	for _, pragma := range []string{"application_id", "journal_mode"} {
		fmt.Fprintf(&out, "PRAGMA %s = %s;\n", pragma, texts(t, db, "PRAGMA "+pragma)[0])
	}
	for _, statement := range texts(t, db, "SELECT sql FROM sqlite_schema WHERE sql IS NOT NULL AND name NOT LIKE 'sqlite_%' ORDER BY type DESC, rowid") {
		fmt.Fprintf(&out, "%s;\n", statement)
	}
	for _, table := range texts(t, db, "SELECT name FROM sqlite_schema WHERE type = 'table' AND name NOT LIKE 'sqlite_%' ORDER BY rowid") {
		columns := texts(t, db, fmt.Sprintf("SELECT 'quote(\"' || name || '\")' FROM pragma_table_info('%s') ORDER BY cid", table))
		for _, values := range texts(t, db, fmt.Sprintf("SELECT %s FROM %q", strings.Join(columns, " || ', ' || "), table)) {
			fmt.Fprintf(&out, "INSERT INTO %s VALUES (%s);\n", table, values)
		}
	}
	return out.String()
}

func texts(t *testing.T, db *sql.DB, query string) (out []string) {
	t.Helper()
	rows, err := db.Query(query)
	if err != nil {
		t.Fatalf("%s: %v", query, err)
	}
	defer rows.Close()
	for rows.Next() {
		var text string
		if err := rows.Scan(&text); err != nil {
			t.Fatal(err)
		}
		out = append(out, text)
	}
	if err := rows.Err(); err != nil {
		t.Fatal(err)
	}
	return out
}
