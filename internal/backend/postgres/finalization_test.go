package postgres_test

import (
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/tenantplane/terraform-provider-tenant/internal/fault"
	"github.com/tenantplane/terraform-provider-tenant/internal/tenant"
)

func TestDisableShutsOutTheApplicationAndEnsureLetsItIn(t *testing.T) {
	for _, isolation := range []string{"schema", "database"} {
		w := newWorld(t, "off")
		want := w.provision(`{"isolation":"` + isolation + `"}`)
		schema, name := want.Name, databaseOf(t, w.url)
		if isolation == "database" {
			schema, name = "public", want.Name
		}
		url := w.appLogin(want, name)
		app := session(t, url)
		run(t, app, "CREATE TABLE "+schema+".t (n int)")

		receipt, err := w.backend.Disable(t.Context(), want.Target, "")
		if err != nil || receipt.Outcome != "disabled" || receipt.Details["sessions_ended"] != "1" {
			t.Fatalf("%s: disable: %+v, %v; want one session ended", isolation, receipt, err)
		}
		if app.Ping(t.Context()) == nil {
			t.Errorf("%s: the application's session goes on", isolation)
		}
		if reaches(t, url, schema) {
			t.Errorf("%s: the application still reaches its table", isolation)
		}

		seen := w.observe(want)
		want.Observed = &seen
		if _, err := w.backend.Ensure(t.Context(), want); err != nil {
			t.Fatalf("%s: enable: %v", isolation, err)
		}
		if !reaches(t, url, schema) {
			t.Errorf("%s: the application does not reach its table any more", isolation)
		}
	}
}

// reaches tells whether a user of the URL can read the table t of a schema.
func reaches(t *testing.T, url, schema string) bool {
	t.Helper()
	conn, err := connect(t, url)
	if err != nil {
		return false
	}
	_, err = conn.Exec(t.Context(), "TABLE "+schema+".t")
	return err == nil
}

func TestDisableSparesSessionsThatServeOtherTenants(t *testing.T) {
	w := newWorld(t, "one")
	first := w.provision(`{}`)
	w.subject.ID = "two"
	second := w.provision(`{}`)
	app := session(t, w.appLogin(first, databaseOf(t, w.url)))
	run(t, w.admin(), "GRANT "+second.Name+"_owner TO "+app.Config().User)
	w.subject.ID = "one"
	receipt, err := w.backend.Disable(t.Context(), first.Target, "")
	if err != nil || receipt.Details["sessions_ended"] != "0" {
		t.Fatalf("disable: %+v, %v; want no session ended", receipt, err)
	}
	run(t, app, "CREATE TABLE "+second.Name+".t ()")
	if _, err := app.Exec(t.Context(), "CREATE TABLE "+first.Name+".t ()"); err == nil {
		t.Error("the session still reaches the disabled tenant")
	}
}

func TestALoginGivenByHandComesBackWithAccess(t *testing.T) {
	w := newWorld(t, "login")
	want := w.provision(`{}`)
	owner := want.Name + "_owner"
	admin := w.admin()
	run(t, admin, "ALTER ROLE "+owner+" LOGIN")
	canLogin := func() int64 {
		return number(t, admin, "SELECT count(*) FROM pg_roles WHERE rolcanlogin AND rolname = $1", owner)
	}
	for range 2 {
		if _, err := w.backend.Disable(t.Context(), want.Target, ""); err != nil {
			t.Fatal(err)
		}
	}
	if canLogin() != 0 {
		t.Error("the role can log in while access is off")
	}
	seen := w.observe(want)
	want.Observed = &seen
	if _, err := w.backend.Ensure(t.Context(), want); err != nil {
		t.Fatal(err)
	}
	if canLogin() != 1 {
		t.Error("the role's login did not come back")
	}
}

func TestOffIsOffForRolesThatWereLetInByHand(t *testing.T) {
	w := newWorld(t, "bi")
	want := w.provision(`{}`)
	guest := "bi_" + string(w.subject.Installation)
	admin := w.admin()
	run(t, admin, "CREATE ROLE "+guest, "GRANT USAGE ON SCHEMA "+want.Name+" TO "+guest)
	w.same(want, w.observe(want))
	if _, err := w.backend.Disable(t.Context(), want.Target, ""); err != nil {
		t.Fatal(err)
	}
	if n := number(t, admin, "SELECT has_schema_privilege($1::name, $2, 'USAGE')::int", guest, want.Name); n != 0 {
		t.Error("a role that was let in by hand still gets in")
	}
}

func TestAnArchivedDatabaseIsClosedAndKept(t *testing.T) {
	w := newWorld(t, "arc")
	want := w.provision(`{"isolation":"database","seed":[{"name":"s.sql","sql":"CREATE TABLE s (n int); INSERT INTO s VALUES (1), (2)"}]}`)
	receipt, err := w.backend.Archive(t.Context(), w.removal(want, tenant.ArchiveData))
	if err != nil {
		t.Fatalf("archive: %v", err)
	}
	archive := receipt.Details["archive"]
	if receipt.Details["rows"] != "2" || !strings.HasPrefix(archive, want.Name+"_until_2027") {
		t.Errorf("receipt is %+v", receipt)
	}
	admin := w.admin()
	if n := number(t, admin, "SELECT count(*) FROM pg_database WHERE datname = $1 AND NOT datallowconn", archive); n != 1 {
		t.Error("the archive is not there, or takes connections")
	}
	if left := w.rolesLeft(want); left != 0 {
		t.Errorf("%d roles are left", left)
	}
	run(t, admin, "ALTER DATABASE "+archive+" ALLOW_CONNECTIONS true")
	kept := session(t, w.server.DatabaseURL(w.server.Superuser, w.server.Password, archive))
	if n := number(t, kept, "SELECT count(*) FROM s"); n != 2 {
		t.Errorf("the archive has %d rows, want 2", n)
	}
}

func TestAnArchiveThatWasCutShortSaysAgainWhereTheDataIs(t *testing.T) {
	for _, isolation := range []string{"schema", "database"} {
		w := newWorld(t, "replay")
		want := w.provision(`{"isolation":"` + isolation + `","seed":[{"name":"s.sql","sql":"CREATE TABLE s (n int); INSERT INTO s VALUES (1)"}]}`)
		removal := w.removal(want, tenant.ArchiveData)
		removal.Key = "life-1"
		first, err := w.backend.Archive(t.Context(), removal)
		if err != nil {
			t.Fatalf("%s: archive: %v", isolation, err)
		}
		removal.RetainUntil = removal.RetainUntil.Add(time.Minute) // a later pass counts from its own now
		again, err := w.backend.Archive(t.Context(), removal)
		if err != nil || again.Outcome != "archived" {
			t.Errorf("%s: again: %+v, %v", isolation, again, err)
		}
		if diff := cmp.Diff(first.Details, again.Details); diff != "" {
			t.Errorf("%s: the second receipt differs (-first +second):\n%s", isolation, diff)
		}
		removal.Key = "life-2"
		if other, err := w.backend.Archive(t.Context(), removal); err != nil || other.Outcome != "already absent" {
			t.Errorf("%s: another life: %+v, %v; want already absent", isolation, other, err)
		}
	}
}

func TestAnArchiveGoesByItsOwnNameWhenItsTimeHasCome(t *testing.T) {
	for _, isolation := range []string{"schema", "database"} {
		w := newWorld(t, "expired")
		want := w.provision(`{"isolation":"` + isolation + `","seed":[{"name":"s.sql","sql":"CREATE TABLE s (n int)"}]}`)
		removal := w.removal(want, tenant.ArchiveData)
		receipt, err := w.backend.Archive(t.Context(), removal)
		if err != nil {
			t.Fatalf("%s: archive: %v", isolation, err)
		}
		w.provision(`{"isolation":"` + isolation + `"}`)
		removal.Name, removal.Data = receipt.Details["archive"], tenant.DeleteData
		if gone, err := w.backend.Remove(t.Context(), removal); err != nil || gone.Outcome != "deleted" {
			t.Errorf("%s: remove the archive: %+v, %v", isolation, gone, err)
		}
		w.observe(want) // the next life is still there
		if gone, err := w.backend.Remove(t.Context(), removal); err != nil || gone.Outcome != "already absent" {
			t.Errorf("%s: remove the archive again: %+v, %v", isolation, gone, err)
		}
	}
}

func TestWhatLostItsMarkerGoesOnlyWhenTheLedgerHoldsIt(t *testing.T) {
	w := newWorld(t, "stripped")
	want := w.provision(`{}`)
	run(t, w.admin(), "COMMENT ON SCHEMA "+want.Name+" IS 'mine'", "COMMENT ON ROLE "+want.Name+"_reader IS NULL")
	removal := w.removal(want, tenant.DeleteData)
	if _, err := w.backend.Disable(t.Context(), want.Target, ""); !fault.Is(err, fault.Conflict) {
		t.Errorf("disable what nobody recorded: got %v, want a Conflict", err)
	}
	if _, err := w.backend.Remove(t.Context(), removal); !fault.Is(err, fault.Conflict) {
		t.Errorf("remove what nobody recorded: got %v, want a Conflict", err)
	}
	removal.ExternalID, removal.TakeUnmarked = "schema/"+want.Name, true
	if _, err := w.backend.Disable(t.Context(), removal.Target, ""); err != nil {
		t.Errorf("disable what the ledger holds: %v", err)
	}
	if receipt, err := w.backend.Remove(t.Context(), removal); err != nil || receipt.Outcome != "deleted" {
		t.Errorf("remove what the ledger holds: %+v, %v", receipt, err)
	}
	if left := w.rolesLeft(want); left != 0 {
		t.Errorf("%d roles are left", left)
	}
}

func TestATenantCanLiveAgainAfterItsArchive(t *testing.T) {
	w := newWorld(t, "again")
	want := w.provision(`{}`)
	removal := w.removal(want, tenant.ArchiveData)
	if _, err := w.backend.Archive(t.Context(), removal); err != nil {
		t.Fatal(err)
	}
	w.provision(`{}`)
	if _, err := w.backend.Archive(t.Context(), removal); !fault.Is(err, fault.Terminal) {
		t.Errorf("a second archive of one name and date: got %v, want a Terminal fault", err)
	}
	w.same(want, w.observe(want))
	removal.RetainUntil = removal.RetainUntil.AddDate(0, 0, 1)
	if _, err := w.backend.Archive(t.Context(), removal); err != nil {
		t.Fatal(err)
	}
	if n := number(t, w.admin(), "SELECT count(*) FROM pg_namespace WHERE nspname LIKE $1", want.Name+"_until_%"); n != 2 {
		t.Errorf("%d archives, want both lives", n)
	}
}

// Somebody may close a tenant's database and overwrite its comment; that makes
// it no half-made one.
func TestAClosedDatabaseThatWasRecordedIsNeverTakenForAnEmptyOne(t *testing.T) {
	w := newWorld(t, "acme")
	want := w.provision(`{"isolation":"database"}`)
	in := w.inside(want)
	if _, err := in.Exec(t.Context(), "CREATE TABLE public.precious AS SELECT 1"); err != nil {
		t.Fatal(err)
	}
	if err := in.Close(t.Context()); err != nil {
		t.Fatal(err)
	}
	want.ExternalID = w.observe(want).ExternalID
	admin := w.admin()
	for _, sql := range []string{"COMMENT ON DATABASE " + want.Name + " IS 'frozen'", "ALTER DATABASE " + want.Name + " ALLOW_CONNECTIONS false"} {
		if _, err := admin.Exec(t.Context(), sql); err != nil {
			t.Fatal(err)
		}
	}
	if receipt, err := w.backend.Remove(t.Context(), w.removal(want, tenant.RetainData)); !fault.Is(err, fault.Terminal) {
		t.Errorf("remove under retain: %+v, %v", receipt, err)
	}
	var left int
	if err := admin.QueryRow(t.Context(), "SELECT count(*) FROM pg_database WHERE datname = $1", want.Name).Scan(&left); err != nil || left != 1 {
		t.Errorf("%d databases are left, %v", left, err)
	}
}

// A stranger's unmarked database of the recorded schema's name is another
// object.
func TestADatabaseThatTookTheNameOfARecordedSchemaIsAStrangers(t *testing.T) {
	w := newWorld(t, "acme")
	want := w.provision(`{"isolation":"schema"}`)
	want.ExternalID = w.observe(want).ExternalID
	admin := w.admin()
	for _, sql := range []string{"DROP SCHEMA " + want.Name + " CASCADE", "CREATE DATABASE " + want.Name} {
		if _, err := admin.Exec(t.Context(), sql); err != nil {
			t.Fatal(err)
		}
	}
	removal := w.removal(want, tenant.DeleteData)
	removal.TakeUnmarked = true
	if receipt, err := w.backend.Remove(t.Context(), removal); !fault.Is(err, fault.Conflict) {
		t.Errorf("remove: %+v, %v", receipt, err)
	}
	if receipt, err := w.backend.Disable(t.Context(), removal.Target, ""); !fault.Is(err, fault.Conflict) {
		t.Errorf("disable: %+v, %v", receipt, err)
	}
}
