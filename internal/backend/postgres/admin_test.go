package postgres_test

import (
	"context"
	"strings"
	"testing"

	"github.com/jackc/pgx/v5"

	"github.com/tenantplane/terraform-provider-tenant/internal/backend"
	"github.com/tenantplane/terraform-provider-tenant/internal/fault"
	"github.com/tenantplane/terraform-provider-tenant/internal/tenant"
)

func connect(t *testing.T, url string) (*pgx.Conn, error) {
	t.Helper()
	conn, err := pgx.Connect(context.Background(), url)
	if err == nil {
		t.Cleanup(func() { _ = conn.Close(context.Background()) })
	}
	return conn, err
}

// asPlainAdmin lets the world's backend work as an admin who is no superuser.
func (w *world) asPlainAdmin(attributes string) (name string) {
	w.t.Helper()
	name = "admin_" + string(w.subject.Installation)
	run(w.t, w.admin(), "CREATE ROLE "+name+" LOGIN PASSWORD 'admin' "+attributes)
	w.backend = open(w.t, w.server.DatabaseURL(name, "admin", databaseOf(w.t, w.url)))
	return name
}

func TestAnAdminWhoIsNoSuperuserDoesItAllAndKeepsNoMembership(t *testing.T) {
	for _, isolation := range []string{"schema", "database"} {
		w := newWorld(t, "plain")
		name := w.asPlainAdmin("CREATEROLE CREATEDB")
		run(t, w.admin(), "GRANT CREATE ON DATABASE "+databaseOf(t, w.url)+" TO "+name)
		want := w.provision(`{"isolation":"` + isolation + `","seed":[{"name":"s.sql","sql":"CREATE TABLE s (n int); INSERT INTO s VALUES (1)"}]}`)
		memberships := func() int64 {
			return number(t, w.admin(), "SELECT count(*) FROM pg_auth_members WHERE member = $1::regrole", name)
		}
		if n := memberships(); n != 0 {
			t.Errorf("%s: the admin is left with %d memberships", isolation, n)
		}
		if _, err := w.backend.Disable(t.Context(), want.Target, ""); err != nil {
			t.Errorf("%s: disable: %v", isolation, err)
		}
		if _, err := w.backend.Remove(t.Context(), w.removal(want, "")); !fault.Is(err, fault.Terminal) || !strings.Contains(err.Error(), "1 rows") {
			t.Errorf("%s: remove under retain: %v", isolation, err)
		}
		if n := memberships(); n != 0 {
			t.Errorf("%s: the admin is left with %d memberships after a refusal", isolation, n)
		}
		seen := w.observe(want)
		want.Observed = &seen
		if _, err := w.backend.Ensure(t.Context(), want); err != nil {
			t.Errorf("%s: enable: %v", isolation, err)
		}
		receipt, err := w.backend.Archive(t.Context(), w.removal(want, tenant.ArchiveData))
		if err != nil || receipt.Details["rows"] != "1" {
			t.Errorf("%s: archive: %+v, %v", isolation, receipt, err)
		}
		again := w.provision(`{"isolation":"` + isolation + `"}`)
		if _, err := w.backend.Remove(t.Context(), w.removal(again, tenant.DeleteData)); err != nil {
			t.Errorf("%s: remove: %v", isolation, err)
		}
		if left := w.rolesLeft(want); left != 0 {
			t.Errorf("%s: %d roles are left", isolation, left)
		}
	}
}

func TestCheckNamesTheRightsThatAreMissing(t *testing.T) {
	for _, c := range []struct {
		isolation, attributes string
		lacks                 []string
	}{
		{"schema", "SUPERUSER", nil},
		{"schema", "CREATEROLE", []string{"GRANT CREATE ON DATABASE"}},
		{"schema", "", []string{"CREATEROLE", "GRANT CREATE ON DATABASE"}},
		{"database", "CREATEROLE CREATEDB", nil},
		{"database", "CREATEROLE", []string{"CREATEDB"}},
	} {
		w := newWorld(t, "check")
		w.asPlainAdmin(c.attributes)
		faults := w.backend.Check(t.Context(), []backend.Want{w.want(`{"isolation":"` + c.isolation + `"}`)})
		if len(faults) != len(c.lacks) {
			t.Errorf("%s with %q: got %v, want %v", c.isolation, c.attributes, faults, c.lacks)
			continue
		}
		for i, f := range faults {
			if f.Kind != fault.Terminal || f.Path != "regions.database.postgres.url" || !strings.Contains(f.Action, c.lacks[i]) {
				t.Errorf("%s with %q: got %v, want a Terminal fault about %s", c.isolation, c.attributes, f, c.lacks[i])
			}
		}
	}
}

func TestARightThatIsMissingDuringACallIsNamed(t *testing.T) {
	w := newWorld(t, "norights")
	w.asPlainAdmin("CREATEROLE")
	_, err := w.backend.Ensure(t.Context(), w.want(`{}`))
	if !fault.Is(err, fault.Terminal) || !strings.Contains(err.Error(), "42501") || !strings.Contains(err.Error(), "database") {
		t.Errorf("got %v, want a Terminal fault with 42501 that names the database", err)
	}
}

func TestTheIsolationOfATenantIsFixed(t *testing.T) {
	for here, there := range map[string]string{"schema": "database", "database": "schema"} {
		w := newWorld(t, "fixed")
		w.provision(`{"isolation":"` + here + `"}`)
		_, err := w.backend.Ensure(t.Context(), w.want(`{"isolation":"`+there+`"}`))
		if !fault.Is(err, fault.Terminal) || fault.From(err).Path != "database.isolation" {
			t.Errorf("%s to %s: got %v, want a Terminal fault at database.isolation", here, there, err)
		}
	}
}

func TestAStrangersRoleOfOurNameIsNotTaken(t *testing.T) {
	w := newWorld(t, "role")
	want := w.want(`{}`)
	reader := want.Name + "_reader"
	run(t, w.admin(), "CREATE ROLE "+reader)
	_, err := w.backend.Ensure(t.Context(), want)
	if !fault.Is(err, fault.Conflict) || !strings.Contains(err.Error(), reader) {
		t.Errorf("got %v, want a Conflict that names the role", err)
	}
	if _, err := w.backend.Observe(t.Context(), want.Target); !fault.Is(err, fault.NotFound) {
		t.Errorf("the refusal left something behind: %v", err)
	}
}
