package postgres_test

import (
	"context"
	"strings"
	"sync"
	"testing"

	"github.com/tenantplane/terraform-provider-tenant/internal/backend"
	"github.com/tenantplane/terraform-provider-tenant/internal/fault"
	"github.com/tenantplane/terraform-provider-tenant/internal/tenant"
)

// withAppTable provisions a tenant whose application has made one table with
// three rows, and switches access off, as finalization does first.
func withAppTable(t *testing.T) (*world, backend.Want) {
	t.Helper()
	w := newWorld(t, "c14")
	want := w.provision(`{}`)
	app := session(t, w.appLogin(want, databaseOf(t, w.url)))
	run(t, app, "SET ROLE "+want.Name+"_owner",
		"CREATE TABLE "+want.Name+".orders (n int)", "INSERT INTO "+want.Name+".orders VALUES (1), (2), (3)")
	if _, err := w.backend.Disable(t.Context(), want.Target, ""); err != nil {
		t.Fatalf("disable: %v", err)
	}
	return w, want
}

func databaseOf(t *testing.T, url string) string {
	t.Helper()
	return session(t, url).Config().Database
}

func TestC14_ASchemaWithTablesIsKeptUnlessToldOtherwise(t *testing.T) {
	w, want := withAppTable(t)
	for _, policy := range []tenant.DataPolicy{"", tenant.RetainData, tenant.ArchiveData} {
		_, err := w.backend.Remove(t.Context(), w.removal(want, policy))
		if !fault.Is(err, fault.Terminal) {
			t.Fatalf("remove with policy %q: got %v, want a Terminal fault", policy, err)
		}
		for _, part := range []string{"2BP01", "1 objects", "1 tables with 3 rows", "on_destroy"} {
			if !strings.Contains(err.Error(), part) {
				t.Errorf("the fault %q does not say %q", err, part)
			}
		}
	}
	if rows := number(t, w.admin(), "SELECT count(*) FROM "+want.Name+".orders"); rows != 3 {
		t.Errorf("%d rows are left, want all 3", rows)
	}
	if seen := w.observe(want); !seen.Disabled {
		t.Error("access came back with the refusal")
	}
}

func TestC14_ArchiveKeepsTheDataOutOfReach(t *testing.T) {
	w, want := withAppTable(t)
	receipt, err := w.backend.Archive(t.Context(), w.removal(want, tenant.ArchiveData))
	if err != nil {
		t.Fatalf("archive: %v", err)
	}
	archive := want.Name + "_until_20270228_120000"
	if receipt.Outcome != "archived" || receipt.Details["archive"] != archive || receipt.Details["tables"] != "1" ||
		receipt.Details["rows"] != "3" || receipt.Details["retain_until"] != "2027-02-28T12:00:00Z" {
		t.Errorf("receipt is %+v", receipt)
	}
	if rows := number(t, w.admin(), "SELECT count(*) FROM "+archive+".orders"); rows != 3 {
		t.Errorf("the archive has %d rows, want 3", rows)
	}
	if left := w.rolesLeft(want); left != 0 {
		t.Errorf("%d roles are left that reach the archive", left)
	}
	if _, err := w.backend.Observe(t.Context(), want.Target); !fault.Is(err, fault.NotFound) {
		t.Errorf("the name is not free: %v", err)
	}
	again, err := w.backend.Archive(t.Context(), w.removal(want, tenant.ArchiveData))
	if err != nil || again.Outcome != "archived" || again.Details["archive"] != archive {
		t.Errorf("archiving again: %+v, %v; want to hear where the data is", again, err)
	}
	gone, err := w.backend.Remove(t.Context(), w.removal(want, tenant.ArchiveData))
	if err != nil || gone.Outcome != "already absent" {
		t.Errorf("removing what was archived: %+v, %v", gone, err)
	}
}

func TestC14_CascadeDestroysAndCounts(t *testing.T) {
	w, want := withAppTable(t)
	receipt, err := w.backend.Remove(t.Context(), w.removal(want, tenant.DeleteData))
	if err != nil {
		t.Fatalf("remove: %v", err)
	}
	if receipt.Outcome != "deleted" || receipt.Details["tables"] != "1" || receipt.Details["rows"] != "3" {
		t.Errorf("receipt is %+v", receipt)
	}
	if left := w.rolesLeft(want); left != 0 {
		t.Errorf("%d roles are left", left)
	}
	if n := number(t, w.admin(), "SELECT count(*) FROM pg_namespace WHERE nspname LIKE 'tnt%'"); n != 0 {
		t.Errorf("%d schemas are left", n)
	}
}

func TestC16_SeedsLandInTheTenantsSchemaWhateverItsId(t *testing.T) {
	for _, id := range []tenant.ID{"tenant-314", "user", "select", "a", "0", tenant.ID(strings.Repeat("x", 63))} {
		w := newWorld(t, id)
		want := w.provision(`{"seed":[
			{"name":"1.sql","sql":"CREATE TABLE plan (name text); CREATE TABLE \"Mixed-Case\" (n int);"},
			{"name":"2.sql","sql":"INSERT INTO plan VALUES ('it''s; -- $$ E''\\'' %s'), ('b');"}]}`)
		admin := w.admin()
		if rows := number(t, admin, `SELECT count(*) FROM "`+want.Name+`".plan`); rows != 2 {
			t.Errorf("%s: %d seed rows, want 2", id, rows)
		}
		if strays := number(t, admin, "SELECT count(*) FROM pg_class WHERE relnamespace = 'public'::regnamespace"); strays != 0 {
			t.Errorf("%s: %d objects in public, want none", id, strays)
		}
		if _, err := w.backend.Remove(t.Context(), w.removal(want, tenant.DeleteData)); err != nil {
			t.Errorf("%s: remove: %v", id, err)
		}
	}
}

func TestC16_IdsThatPostgresWouldNotStandAreRefusedBeforeItSeesThem(t *testing.T) {
	for _, id := range []string{"TenantA", "pg_x", `a"b; DROP SCHEMA public`} {
		if _, err := tenant.ParseID(id); err == nil {
			t.Errorf("%q is accepted as a tenant id", id)
		}
	}
}

func TestC17_RolesThatOwnThingsInOtherDatabasesGoInOneCall(t *testing.T) {
	w := newWorld(t, "c17")
	want := w.provision(`{}`)
	other := session(t, w.server.NewDatabase(t))
	owner := want.Name + "_owner"
	run(t, other, "CREATE TABLE theirs (n int)", "ALTER TABLE theirs OWNER TO "+owner,
		"ALTER DEFAULT PRIVILEGES FOR ROLE "+owner+" GRANT SELECT ON TABLES TO PUBLIC")
	if _, err := w.backend.Remove(t.Context(), w.removal(want, "")); err != nil {
		t.Fatalf("remove: %v", err)
	}
	if left := w.rolesLeft(want); left != 0 {
		t.Errorf("%d roles are left", left)
	}
	if n := number(t, other, "SELECT count(*) FROM theirs"); n != 0 {
		t.Errorf("the table elsewhere has %d rows, want it kept and empty", n)
	}
}

func TestC18_TheReaderReadsWhatTheOwnerMakesLater(t *testing.T) {
	for _, isolation := range []string{"schema", "database"} {
		w := newWorld(t, "c18")
		want := w.provision(`{"isolation":"` + isolation + `"}`)
		conn, schema := w.admin(), want.Name
		if isolation == "database" {
			conn, schema = w.inside(want), "public"
		}
		run(t, conn, "SET ROLE "+want.Name+"_owner", "CREATE TABLE "+schema+".later (id serial)", "INSERT INTO "+schema+".later DEFAULT VALUES",
			"RESET ROLE", "SET ROLE "+want.Name+"_reader")
		if rows := number(t, conn, "SELECT count(*) FROM "+schema+".later"); rows != 1 {
			t.Errorf("%s: the reader sees %d rows, want 1", isolation, rows)
		}
		if last := number(t, conn, "SELECT last_value FROM "+schema+".later_id_seq"); last != 1 {
			t.Errorf("%s: the reader sees sequence value %d, want 1", isolation, last)
		}
	}
}

func TestC18_LostDefaultPrivilegesAreDriftAndRepairCatchesUp(t *testing.T) {
	w := newWorld(t, "c18b")
	want := w.provision(`{}`)
	owner, reader := want.Name+"_owner", want.Name+"_reader"
	admin := w.admin()
	run(t, admin, "ALTER DEFAULT PRIVILEGES FOR ROLE "+owner+" IN SCHEMA "+want.Name+" REVOKE SELECT ON TABLES FROM "+reader,
		"SET ROLE "+owner, "CREATE TABLE "+want.Name+".dark ()", "RESET ROLE")
	seen := w.observe(want)
	changes := seen.Fields.Diff(want.Fields)
	if len(changes) != 1 || changes[0].Field != "default_privileges" {
		t.Fatalf("drift is %+v, want default_privileges alone", changes)
	}
	want.Observed = &seen
	repaired, err := w.backend.Ensure(t.Context(), want)
	if err != nil {
		t.Fatalf("repair: %v", err)
	}
	w.same(want, repaired)
	run(t, admin, "SET ROLE "+reader, "TABLE "+want.Name+".dark")
}

func TestC20_DatabasesAreMadeWhileTemplate1IsBusy(t *testing.T) {
	w := newWorld(t, "c20")
	session(t, w.server.DatabaseURL(w.server.Superuser, w.server.Password, "template1"))
	var wg sync.WaitGroup
	for _, id := range []tenant.ID{"a", "b", "c", "d", "e", "f", "g", "h"} {
		other := *w
		other.subject.ID = id
		want := other.want(`{"isolation":"database","seed":[{"name":"s.sql","sql":"CREATE TABLE s (n int)"}]}`)
		wg.Go(func() {
			if _, err := other.backend.Ensure(context.WithoutCancel(t.Context()), want); err != nil {
				t.Errorf("tenant %s: %v", id, err)
			}
		})
	}
	wg.Wait()
	made := number(t, w.admin(), "SELECT count(*) FROM pg_database WHERE datallowconn AND datname LIKE 'tnt%'||$1", string(w.subject.Installation))
	if made != 8 {
		t.Errorf("%d databases, want 8", made)
	}
}

func TestC20_OpenSessionsStopADropUnlessDataIsToBeDestroyed(t *testing.T) {
	t.Parallel() // it mostly waits
	w := newWorld(t, "c20b")
	want := w.provision(`{"isolation":"database"}`)
	app := w.inside(want)
	_, err := w.backend.Remove(t.Context(), w.removal(want, tenant.RetainData))
	if !fault.Is(err, fault.Retryable) || !strings.Contains(err.Error(), "55006") {
		t.Fatalf("remove under retain with a session open: got %v, want a Retryable fault with 55006", err)
	}
	if err := app.Ping(t.Context()); err != nil {
		t.Errorf("the session was cut off: %v", err)
	}
	if _, err := w.backend.Remove(t.Context(), w.removal(want, tenant.DeleteData)); err != nil {
		t.Errorf("remove under delete with a session open: %v", err)
	}
	if err := app.Ping(t.Context()); err == nil {
		t.Error("the session outlived its database")
	}
	if left := w.rolesLeft(want); left != 0 {
		t.Errorf("%d roles are left", left)
	}
}
