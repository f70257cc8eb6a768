package postgres_test

import (
	"strings"
	"testing"

	"github.com/tenantplane/terraform-provider-tenant/internal/fault"
	"github.com/tenantplane/terraform-provider-tenant/internal/tenant"
)

func TestC17_ThingsHereAndInAnotherDatabaseGoInOneDestroy(t *testing.T) {
	for _, policy := range []tenant.DataPolicy{tenant.DeleteData, tenant.ArchiveData} {
		w := newWorld(t, "c17both")
		want := w.provision(`{}`)
		owner := want.Name + "_owner"
		otherURL := w.server.NewDatabase(t)
		here, other := w.admin(), session(t, otherURL)
		// Outside the tenant's schema, so that dropping that one is not enough.
		run(t, here, "CREATE TABLE public.ours (n int)", "ALTER TABLE public.ours OWNER TO "+owner)
		run(t, other, "CREATE TABLE theirs (n int)", "ALTER TABLE theirs OWNER TO "+owner,
			"ALTER DEFAULT PRIVILEGES FOR ROLE "+owner+" GRANT SELECT ON TABLES TO PUBLIC")

		finish := w.backend.Remove
		if policy == tenant.ArchiveData {
			finish = w.backend.Archive
		}
		if _, err := finish(t.Context(), w.removal(want, policy)); err != nil {
			t.Fatalf("%s: %v", policy, err)
		}
		if left := w.rolesLeft(want); left != 0 {
			t.Errorf("%s: %d roles are left", policy, left)
		}
		if n := number(t, other, "SELECT count(*) FROM pg_default_acl"); n != 0 {
			t.Errorf("%s: %d default privileges are left elsewhere", policy, n)
		}
		if n := number(t, here, "SELECT count(*) FROM public.ours") + number(t, other, "SELECT count(*) FROM theirs"); n != 0 {
			t.Errorf("%s: the tables outside hold %d rows, want them kept and empty", policy, n)
		}
	}
}

func TestC17_ADatabaseOutOfReachIsNamedAndNothingIsHalfRemoved(t *testing.T) {
	for name, tc := range map[string]struct{ close, open string }{
		"closed":     {"ALTER DATABASE %s ALLOW_CONNECTIONS false", "ALTER DATABASE %s ALLOW_CONNECTIONS true"},
		"no connect": {"REVOKE CONNECT ON DATABASE %s FROM PUBLIC", "GRANT CONNECT ON DATABASE %s TO PUBLIC"},
	} {
		t.Run(name, func(t *testing.T) {
			w := newWorld(t, "c17shut")
			admin := w.asPlainAdmin("CREATEROLE")
			run(t, w.admin(), "GRANT CREATE ON DATABASE "+databaseOf(t, w.url)+" TO "+admin)
			want := w.provision(`{}`)
			otherURL := w.server.NewDatabase(t)
			database := databaseOf(t, otherURL)
			run(t, session(t, otherURL), "CREATE TABLE theirs (n int)", "ALTER TABLE theirs OWNER TO "+want.Name+"_owner")
			do := func(sql string) { run(t, w.admin(), strings.ReplaceAll(sql, "%s", database)) }

			do(tc.close)
			_, err := w.backend.Remove(t.Context(), w.removal(want, tenant.DeleteData))
			f := fault.From(err)
			if f == nil || f.Kind != fault.Terminal || f.Code != "postgres.database_closed" || f.BackendWide {
				t.Fatalf("got %+v, want a Terminal fault of this tenant alone", f)
			}
			if !strings.Contains(f.Found, "database "+database) || !strings.Contains(f.Action, `"`+database+`"`) {
				t.Errorf("the fault %q does not name the database", f)
			}
			if left := w.rolesLeft(want); left != 2 {
				t.Errorf("%d roles are left, want both", left)
			}
			w.observe(want) // still there and still ours: the next destroy finds it

			do(tc.open)
			receipt, err := w.backend.Remove(t.Context(), w.removal(want, tenant.DeleteData))
			if err != nil || receipt.Outcome != "deleted" {
				t.Errorf("once it is open: %+v, %v", receipt, err)
			}
			if left := w.rolesLeft(want); left != 0 {
				t.Errorf("once it is open: %d roles are left", left)
			}
		})
	}
}
