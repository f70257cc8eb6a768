package sqlite_test

import (
	"database/sql"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/tenantplane/terraform-provider-tenant/internal/ledger"
	"github.com/tenantplane/terraform-provider-tenant/internal/tenant"
)

// Field case C74: eight processes read, modify and write one ledger file for a
// while, one of them is killed in the middle of a transaction. Nobody hears
// "locked", and every committed update is there.
func TestC74_EightProcessesShareOneLedgerAndOneIsKilledMidTransaction(t *testing.T) {
	path := filepath.Join(t.TempDir(), "tenant-ledger.db")
	store := open(t, path)
	for _, id := range []tenant.ID{counted, declared} {
		if _, err := store.Declare(t.Context(), declaration(id, "first")); err != nil {
			t.Fatal(err)
		}
	}

	victim := spawn(t, "hold", path, "1s")
	workers := []*child{}
	for range 7 {
		workers = append(workers, spawn(t, "work", path, "4s"))
	}
	for _, c := range append(workers, victim) {
		c.release()
	}
	waitFor(t, path+".held")
	time.Sleep(300 * time.Millisecond) // the others now queue behind its lock
	if err := victim.cmd.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	total, killed := victim.wait()
	if !killed {
		t.Fatal("the victim was not killed")
	}
	for _, c := range workers {
		done, _ := c.wait()
		if done.Error != "" {
			t.Errorf("a worker heard: %s", done.Error)
		}
		if done.Increments == 0 {
			t.Error("a worker was starved")
		}
		total.Increments += done.Increments
		total.Declarations += done.Declarations
	}
	t.Logf("%d increments, %d declarations", total.Increments, total.Declarations)
	nothingLost(t, store, total)
	intact(t, path)
}

func nothingLost(t *testing.T, store ledger.Store, total report) {
	t.Helper()
	count, err := store.Tenant(t.Context(), counted)
	if err != nil {
		t.Fatal(err)
	}
	spec, err := store.Tenant(t.Context(), declared)
	if err != nil {
		t.Fatal(err)
	}
	chain, err := store.Evidence(t.Context(), counted)
	if err != nil {
		t.Fatal(err)
	}
	if count.FailureCount != total.Increments || int64(len(chain)) != total.Increments {
		t.Errorf("%d increments were committed, the row says %d and the evidence %d", total.Increments, count.FailureCount, len(chain))
	}
	if got := int64(spec.DesiredGeneration) - 1; got != total.Declarations {
		t.Errorf("%d declarations were committed, the generation says %d", total.Declarations, got)
	}
	if err := ledger.VerifyChain(counted, chain); err != nil {
		t.Error(err)
	}
	if count.LastError != "" {
		t.Errorf("the killed transaction left %q", count.LastError)
	}
}

// intact asks SQLite itself whether the file is in order.
func intact(t *testing.T, path string) {
	t.Helper()
	db, err := sql.Open("sqlite", "file:"+path)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = db.Close() }() // only read from
	var verdict string
	if err := db.QueryRow("PRAGMA integrity_check").Scan(&verdict); err != nil || verdict != "ok" {
		t.Errorf("integrity check: %s, %v", verdict, err)
	}
}

func waitFor(t *testing.T, path string) {
	t.Helper()
	for end := time.Now().Add(30 * time.Second); time.Now().Before(end); time.Sleep(5 * time.Millisecond) {
		if _, err := os.Stat(path); err == nil {
			return
		}
	}
	t.Fatalf("%s did not come", filepath.Base(path))
}
