package postgres_test

import (
	"fmt"
	"sync"
	"testing"
	"time"

	"github.com/tenantplane/terraform-provider-tenant/internal/backend"
	"github.com/tenantplane/terraform-provider-tenant/internal/tenant"
)

// Six workers, each with connections of its own, make and remove tenants in one
// database, all at once: four have a tenant each, two of them of another
// installation, and the last two share one with the first.
// An admin who is no superuser also becomes a member of roles and leaves them.
func TestSixWorkersOverOneCatalogNeverSeeEachOther(t *testing.T) {
	t.Run("superuser", func(t *testing.T) {
		w := newWorld(t, "catalog")
		w.raceOverTheCatalog(w.url)
	})
	t.Run("plain admin", func(t *testing.T) {
		w := newWorld(t, "catalog")
		name := w.asPlainAdmin("CREATEROLE")
		run(t, w.admin(), "GRANT CREATE ON DATABASE "+databaseOf(t, w.url)+" TO "+name)
		w.raceOverTheCatalog(w.server.DatabaseURL(name, "admin", databaseOf(t, w.url)))
	})
}

// raceOverTheCatalog lets the workers loose; url is the workers'.
func (w *world) raceOverTheCatalog(url string) {
	const rounds = 10
	t := w.t
	wants := []backend.Want{}
	for i := range 4 {
		other := *w
		other.subject.ID = tenant.ID(fmt.Sprintf("catalog%d", i))
		if i >= 2 {
			other.subject.Installation += "x"
		}
		wants = append(wants, other.want(`{"seed":[{"name":"s.sql","sql":"CREATE TABLE s (n int); INSERT INTO s VALUES (1)"}]}`))
	}
	wants = append(wants, wants[0], wants[0])

	for round := range rounds {
		together(wants, func(want backend.Want) {
			if _, err := open(t, url).Ensure(t.Context(), want); err != nil {
				t.Errorf("round %d: %v", round, err)
			}
		})
		w.wantCatalog(round, 4)
		together(wants, func(want backend.Want) {
			if _, err := open(t, url).Disable(t.Context(), want.Target, ""); err != nil {
				t.Errorf("round %d: %v", round, err)
			}
			if _, err := open(t, url).Remove(t.Context(), w.removal(want, tenant.DeleteData)); err != nil {
				t.Errorf("round %d: %v", round, err)
			}
		})
		w.wantCatalog(round, 0)
	}
}

func together(wants []backend.Want, do func(backend.Want)) {
	var wg sync.WaitGroup
	for _, want := range wants {
		wg.Go(func() { do(want) })
	}
	wg.Wait()
}

// wantCatalog wants exactly so many tenants: their schemas, roles, seeds and
// default privileges, and nobody a member of anything.
func (w *world) wantCatalog(round, tenants int) {
	w.t.Helper()
	admin := w.admin()
	for what, tc := range map[string]struct {
		query string
		each  int
	}{
		"schemas":            {"SELECT count(*) FROM pg_namespace WHERE nspname LIKE 'tnt\\_catalog%'", 1},
		"roles":              {"SELECT count(*) FROM pg_roles WHERE rolname LIKE 'tnt\\_catalog%'", 2},
		"seeded tables":      {"SELECT count(*) FROM pg_class WHERE relname = 's'", 1},
		"default privileges": {"SELECT count(*) FROM pg_default_acl", 2},
		"memberships":        {"SELECT count(*) FROM pg_auth_members WHERE roleid IN (SELECT oid FROM pg_roles WHERE rolname LIKE 'tnt\\_catalog%')", 0},
	} {
		if n := number(w.t, admin, tc.query); n != int64(tc.each*tenants) {
			w.t.Errorf("round %d: %d %s of %d tenants, want %d", round, n, what, tenants, tc.each*tenants)
		}
	}
	_ = admin.Close(w.t.Context())
}

// Somebody else changes the row of the tenant's schema and commits while the
// backend waits to change it: PostgreSQL answers "tuple concurrently updated".
func TestACollisionInTheCatalogIsTriedAgainAndNotReported(t *testing.T) {
	w := newWorld(t, "collide")
	want := w.provision(`{}`)
	rival := w.admin()
	run(t, rival, "BEGIN", "GRANT USAGE ON SCHEMA "+want.Name+" TO PUBLIC")
	ended := make(chan error, 1)
	go func() {
		_, err := w.backend.Ensure(t.Context(), want)
		ended <- err
	}()
	watch := w.admin()
	for range 400 {
		if number(t, watch, "SELECT count(*) FROM pg_stat_activity WHERE wait_event_type = 'Lock' AND datname = current_database()") > 0 {
			break
		}
		time.Sleep(10 * time.Millisecond)
	}
	run(t, rival, "COMMIT")
	if err := <-ended; err != nil {
		t.Errorf("the caller hears of it: %v", err)
	}
	w.same(want, w.observe(want))
}
