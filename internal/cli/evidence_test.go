package cli_test

import (
	"database/sql"
	"path/filepath"
	"strings"
	"testing"

	_ "modernc.org/sqlite" // edits the ledger behind everybody's back
)

func TestEvidenceIsShownAndVerified(t *testing.T) {
	path := tenants(t, []string{"acme"}, "acme")
	says(t, mustTool(t, "evidence", "acme", "--ledger", path),
		"delete billing.subscription", "delete domain.record", "delete billing.customer", "verify", "4 entries, chain verified")
	var entries []struct {
		Sequence          int
		Step, Actor, Hash string
		Details           map[string]string
	}
	decode(t, mustTool(t, "evidence", "acme", "-o", "json", "--ledger", path), &entries)
	if len(entries) != 4 || entries[0].Sequence != 1 || entries[0].Actor != claim || entries[0].Hash == "" || entries[0].Details["external_id"] == "" {
		t.Errorf("entries %+v", entries)
	}
}

func TestEvidenceThatWasTamperedWithIsRefused(t *testing.T) {
	for name, edit := range map[string]string{
		"an outcome changed": `UPDATE evidence SET outcome = 'already absent' WHERE sequence = 2`,
		"a detail changed":   `UPDATE evidence SET details = '{}' WHERE sequence = 1`,
		"an entry removed":   `DELETE FROM evidence WHERE sequence = 2`,
		"the first removed":  `DELETE FROM evidence WHERE sequence = 1`,
		"the actor changed":  `UPDATE evidence SET actor = 'somebody else'`,
	} {
		t.Run(name, func(t *testing.T) {
			path := tenants(t, []string{"acme"}, "acme")
			tamper(t, path, edit)
			output, err := tool(t, "evidence", "acme", "--ledger", path)
			if err == nil || !strings.Contains(err.Error(), "does not fit the chain") || strings.Contains(output, "verified") {
				t.Errorf("got %v:\n%s", err, output)
			}
		})
	}
}

func tamper(t *testing.T, path, edit string) {
	t.Helper()
	db, err := sql.Open("sqlite", filepath.ToSlash(path))
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	result, err := db.ExecContext(t.Context(), edit)
	if err != nil {
		t.Fatal(err)
	}
	if n, err := result.RowsAffected(); err != nil || n == 0 {
		t.Fatalf("the edit changed %d rows, %v", n, err)
	}
}
