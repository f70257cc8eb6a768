package sqlite_test

import (
	"database/sql"
	"encoding/json"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/tenantplane/terraform-provider-tenant/internal/backend"
	"github.com/tenantplane/terraform-provider-tenant/internal/backend/backendtest"
	"github.com/tenantplane/terraform-provider-tenant/internal/backend/sqlite"
	"github.com/tenantplane/terraform-provider-tenant/internal/component/database"
	"github.com/tenantplane/terraform-provider-tenant/internal/fault"
	"github.com/tenantplane/terraform-provider-tenant/internal/tenant"
)

var until = time.Date(2027, 2, 28, 12, 0, 0, 0, time.UTC)

func open(t *testing.T, folder string) *sqlite.Backend {
	t.Helper()
	b, f := sqlite.Driver().Open(backend.Settings{Options: map[string]string{"path": folder}, Path: "regions.database.sqlite", Timeout: 10 * time.Second})
	if f != nil {
		t.Fatal(f)
	}
	return b.(*sqlite.Backend)
}

func wanted(t *testing.T, id tenant.ID, spec string) backend.Want {
	t.Helper()
	subject := tenant.Subject{Installation: "acme", ID: id, Region: "us-east"}
	objects, faults := database.Component{}.Compile(subject, tenant.Deletion{}, json.RawMessage(spec))
	for _, f := range faults {
		t.Fatal(f)
	}
	o := objects[0]
	return backend.Want{
		Target: backend.Target{Subject: subject, Component: "database", Object: "schema", Name: o.Name, Path: o.Path},
		Fields: o.Fields, Inputs: o.Inputs,
	}
}

// provision makes a tenant in a folder and returns its file.
func provision(t *testing.T, folder string, want backend.Want) string {
	t.Helper()
	made, err := open(t, folder).Ensure(t.Context(), want)
	if err != nil {
		t.Fatalf("provision: %v", err)
	}
	if changes := made.Fields.Diff(want.Fields); len(changes) > 0 {
		t.Errorf("content differs from the spec: %+v", changes)
	}
	return filepath.Join(folder, want.Name+".db")
}

func exec(t *testing.T, file string, statements ...string) {
	t.Helper()
	db, err := sql.Open("sqlite", "file:"+file+"?mode=rw&_pragma=busy_timeout(5000)")
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	for _, statement := range statements {
		if _, err := db.Exec(statement); err != nil {
			t.Fatalf("%s: %v", statement, err)
		}
	}
}

func number(t *testing.T, file, query string) (n int64) {
	t.Helper()
	db, err := sql.Open("sqlite", "file:"+file+"?mode=ro")
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	if err := db.QueryRow(query).Scan(&n); err != nil {
		t.Fatalf("%s: %v", query, err)
	}
	return n
}

func TestConformance(t *testing.T) {
	folder := filepath.Join(t.TempDir(), "a folder?with #odd%20names")
	file := func(target backend.Target) string {
		path := filepath.Join(folder, target.Name+".db")
		return strings.NewReplacer("%", "%25", "?", "%3f", "#", "%23", " ", "%20").Replace(path)
	}
	backendtest.Run(t, backendtest.Suite{
		Open:      func(t *testing.T, _ http.RoundTripper) backend.Backend { return open(t, folder) },
		Component: database.Component{},
		Spec:      `{"seed":[{"name":"a.sql","sql":"CREATE TABLE IF NOT EXISTS a (n int)"}]}`,
		Changed:   `{"seed":[{"name":"a.sql","sql":"CREATE TABLE IF NOT EXISTS a (n int)"},{"name":"b.sql","sql":"INSERT INTO a VALUES (1)"}]}`,
		Edit: func(t *testing.T, target backend.Target) {
			exec(t, file(target), "DELETE FROM tenant_provider_seed")
		},
		Vanish: func(t *testing.T, target backend.Target) {
			if err := os.Remove(filepath.Join(folder, target.Name+".db")); err != nil {
				t.Fatal(err)
			}
		},
		Strip: func(t *testing.T, target backend.Target) {
			exec(t, file(target), "DELETE FROM tenant_provider_meta")
		},
		FillData: func(t *testing.T, target backend.Target) { exec(t, file(target), "INSERT INTO a VALUES (1), (2)") },
	})
}

func TestAFileWithDataIsKeptUnlessToldOtherwise(t *testing.T) {
	folder, want := t.TempDir(), wanted(t, "user", `{}`)
	file := provision(t, folder, want)
	exec(t, file, `CREATE TABLE "it's ""odd""" (n int)`, `INSERT INTO "it's ""odd""" VALUES (1), (2), (3)`)
	b := open(t, folder)
	for _, policy := range []tenant.DataPolicy{"", tenant.RetainData, tenant.ArchiveData} {
		_, err := b.Remove(t.Context(), backend.Removal{Target: want.Target, Data: policy})
		if !fault.Is(err, fault.Terminal) || !strings.Contains(err.Error(), "1 tables with 3 rows") {
			t.Errorf("remove with policy %q: got %v, want a Terminal fault with the counts", policy, err)
		}
	}
	if n := number(t, file, `SELECT count(*) FROM "it's ""odd"""`); n != 3 {
		t.Errorf("%d rows are left, want 3", n)
	}
	receipt, err := b.Remove(t.Context(), backend.Removal{Target: want.Target, Data: tenant.DeleteData})
	if err != nil || receipt.Outcome != "deleted" || receipt.Details["rows"] != "3" {
		t.Errorf("remove under delete: %+v, %v", receipt, err)
	}
	if _, err := os.Stat(file); !os.IsNotExist(err) {
		t.Errorf("the file is still there: %v", err)
	}
}

func TestArchiveMovesTheFileAwayOnce(t *testing.T) {
	folder, want := t.TempDir(), wanted(t, "acme", `{"seed":[{"name":"s","sql":"CREATE TABLE s (n int); INSERT INTO s VALUES (1), (2)"}]}`)
	file := provision(t, folder, want)
	exec(t, file, "PRAGMA journal_mode = WAL", "INSERT INTO s VALUES (3)")
	b := open(t, folder)
	removal := backend.Removal{Target: want.Target, Data: tenant.ArchiveData, RetainUntil: until, Key: "life-1"}
	if _, err := b.Disable(t.Context(), want.Target, ""); err != nil {
		t.Fatal(err)
	}
	for range 2 {
		receipt, err := b.Archive(t.Context(), removal)
		if err != nil || receipt.Outcome != "archived" || receipt.Details["rows"] != "3" || receipt.Details["retain_until"] != "2027-02-28T12:00:00Z" {
			t.Fatalf("archive: %+v, %v", receipt, err)
		}
		if n := number(t, receipt.Details["file"], "SELECT count(*) FROM s"); n != 3 {
			t.Errorf("the archive has %d rows, want 3", n)
		}
		removal.RetainUntil = until.Add(time.Minute) // a later pass counts from its own now
	}
	if _, err := b.Observe(t.Context(), want.Target); !fault.Is(err, fault.NotFound) {
		t.Errorf("the name is not free: %v", err)
	}
	removal.Key = "life-2"
	if other, err := b.Archive(t.Context(), removal); err != nil || other.Outcome != "already absent" {
		t.Errorf("another life: %+v, %v; want already absent", other, err)
	}
}

func TestAnArchiveGoesByItsOwnNameWhenItsTimeHasCome(t *testing.T) {
	folder, want := t.TempDir(), wanted(t, "acme", `{"seed":[{"name":"s","sql":"CREATE TABLE s (n int)"}]}`)
	provision(t, folder, want)
	b := open(t, folder)
	removal := backend.Removal{Target: want.Target, Data: tenant.ArchiveData, RetainUntil: until}
	receipt, err := b.Archive(t.Context(), removal)
	if err != nil {
		t.Fatal(err)
	}
	removal.Name, removal.Data = receipt.Details["archive"], tenant.DeleteData
	for _, outcome := range []string{"deleted", "already absent"} {
		if gone, err := b.Remove(t.Context(), removal); err != nil || gone.Outcome != outcome {
			t.Errorf("remove the archive: %+v, %v; want %s", gone, err, outcome)
		}
	}
	if _, err := os.Stat(receipt.Details["file"]); !os.IsNotExist(err) {
		t.Errorf("the archive is still there: %v", err)
	}
}

func TestWhatLostItsMarkerGoesOnlyWhenTheLedgerHoldsIt(t *testing.T) {
	folder, want := t.TempDir(), wanted(t, "acme", `{}`)
	exec(t, provision(t, folder, want), "DELETE FROM tenant_provider_meta WHERE key = 'marker'")
	b := open(t, folder)
	removal := backend.Removal{Target: want.Target}
	if _, err := b.Disable(t.Context(), want.Target, ""); !fault.Is(err, fault.Conflict) {
		t.Errorf("disable what nobody recorded: got %v, want a Conflict", err)
	}
	removal.ExternalID, removal.TakeUnmarked = want.Name+".db", true
	if _, err := b.Disable(t.Context(), removal.Target, ""); err != nil {
		t.Errorf("disable what the ledger holds: %v", err)
	}
	if receipt, err := b.Remove(t.Context(), removal); err != nil || receipt.Outcome != "deleted" {
		t.Errorf("remove what the ledger holds: %+v, %v", receipt, err)
	}
}

func TestDisableTakesTheFileOutOfTheApplicationsWay(t *testing.T) {
	folder, want := t.TempDir(), wanted(t, "acme", `{}`)
	file := provision(t, folder, want)
	exec(t, file, "CREATE TABLE t (n int)")
	b := open(t, folder)
	if _, err := b.Disable(t.Context(), want.Target, ""); err != nil {
		t.Fatal(err)
	}
	if _, err := os.Stat(file); !os.IsNotExist(err) {
		t.Errorf("the application still finds its file: %v", err)
	}
	// The application makes a new file, not knowing better.
	if err := os.WriteFile(file, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	if seen, err := b.Observe(t.Context(), want.Target); err != nil || !seen.Disabled {
		t.Errorf("observe: %+v, %v; want the disabled file", seen, err)
	}
	if _, err := b.Ensure(t.Context(), want); !fault.Is(err, fault.Conflict) {
		t.Errorf("enable over another file: got %v, want a Conflict", err)
	}
}

func TestABusyFileIsNotMovedAway(t *testing.T) {
	folder, want := t.TempDir(), wanted(t, "acme", `{}`)
	file := provision(t, folder, want)
	db, err := sql.Open("sqlite", "file:"+file+"?_txlock=immediate")
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	tx, err := db.Begin()
	if err != nil {
		t.Fatal(err)
	}
	defer tx.Rollback()
	b, _ := sqlite.Driver().Open(backend.Settings{Options: map[string]string{"path": folder}, Timeout: 300 * time.Millisecond})
	if _, err := b.(backend.Disabler).Disable(t.Context(), want.Target, ""); !fault.Is(err, fault.Retryable) {
		t.Errorf("got %v, want a Retryable fault", err)
	}
	if _, err := os.Stat(file); err != nil {
		t.Errorf("the file was moved: %v", err)
	}
}

func TestASeedThatFailsLeavesNothing(t *testing.T) {
	for name, script := range map[string]string{
		"a syntax error": "CREATE TABLE t (n int); INSRT",
		"a COMMIT":       "COMMIT; SELECT 1",
	} {
		folder := t.TempDir()
		seeds, err := json.Marshal(map[string]any{"seed": []map[string]string{{"name": "s.sql", "sql": script}}})
		if err != nil {
			t.Fatal(err)
		}
		_, err = open(t, folder).Ensure(t.Context(), wanted(t, "acme", string(seeds)))
		if !fault.Is(err, fault.Terminal) || fault.From(err).Path != "database.seed[0]" {
			t.Errorf("%s: got %v, want a Terminal fault at database.seed[0]", name, err)
		}
	}
}

func TestWorkersThatMakeOneTenantAtOnceMakeItOnce(t *testing.T) {
	folder := filepath.Join(t.TempDir(), "new")
	want := wanted(t, "race", `{"seed":[{"name":"s","sql":"CREATE TABLE s (n int); INSERT INTO s VALUES (1)"}]}`)
	var wg sync.WaitGroup
	for range 8 {
		b := open(t, folder)
		wg.Go(func() {
			if _, err := b.Ensure(t.Context(), want); err != nil {
				t.Errorf("%v", err)
			}
		})
	}
	wg.Wait()
	if n := number(t, filepath.Join(folder, want.Name+".db"), "SELECT count(*) FROM s"); n != 1 {
		t.Errorf("the seed ran %d times", n)
	}
}

func TestNeitherACorruptFileNorAMissingFolderIsAbsence(t *testing.T) {
	folder, want := t.TempDir(), wanted(t, "acme", `{}`)
	file := provision(t, folder, want)
	if err := os.WriteFile(file, []byte(strings.Repeat("not a database ", 100)), 0o600); err != nil {
		t.Fatal(err)
	}
	want.ExternalID = want.Name + ".db"
	gone := open(t, filepath.Join(folder, "unmounted"))
	for name, b := range map[string]*sqlite.Backend{"a corrupt file": open(t, folder), "a missing folder": gone} {
		_, observed := b.Observe(t.Context(), want.Target)
		_, removed := b.Remove(t.Context(), backend.Removal{Target: want.Target, Data: tenant.DeleteData})
		for _, err := range []error{observed, removed} {
			if f := fault.From(err); f == nil || f.Kind != fault.Terminal || f.Action == "" {
				t.Errorf("%s: got %v, want a Terminal fault", name, err)
			}
		}
	}
	if info, err := os.Stat(file); err != nil || info.Size() == 0 {
		t.Errorf("the corrupt file was touched: %v", err)
	}
}

func TestFilesAreForTheOwnerAlone(t *testing.T) {
	folder := filepath.Join(t.TempDir(), "new")
	file := provision(t, folder, wanted(t, "acme", `{}`))
	info, err := os.Stat(file)
	if err != nil {
		t.Fatal(err)
	}
	if info.Mode().Perm() != 0o600 {
		t.Errorf("the file has mode %v, want 0600", info.Mode().Perm())
	}
}

func TestAnEmptyMountPointProvesNoAbsence(t *testing.T) {
	folder, want := t.TempDir(), wanted(t, "user", `{}`)
	b := open(t, folder)
	recorded := want.Target
	recorded.ExternalID = want.Name + ".db"
	if _, err := b.Observe(t.Context(), recorded); err == nil || fault.Is(err, fault.NotFound) {
		t.Errorf("observe: got %v, want an error that is not absence", err)
	}
	if receipt, err := b.Remove(t.Context(), backend.Removal{Target: recorded, Data: tenant.DeleteData}); err == nil {
		t.Errorf("remove reported %+v", receipt)
	}
	provision(t, folder, wanted(t, "another", `{}`))
	if _, err := b.Observe(t.Context(), recorded); !fault.Is(err, fault.NotFound) {
		t.Errorf("observe where tenants are: got %v, want a NotFound fault", err)
	}
}
