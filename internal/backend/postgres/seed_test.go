package postgres_test

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/tenantplane/terraform-provider-tenant/internal/backend"
	"github.com/tenantplane/terraform-provider-tenant/internal/fault"
)

func seedSpec(t *testing.T, scripts ...string) string {
	t.Helper()
	var seeds []map[string]string
	for i, sql := range scripts {
		seeds = append(seeds, map[string]string{"name": string(rune('a'+i)) + ".sql", "sql": sql})
	}
	text, err := json.Marshal(map[string]any{"seed": seeds})
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

func TestASeedThatFailsLeavesNothingAndSaysWhere(t *testing.T) {
	for _, c := range []struct{ name, script, says string }{
		{"a syntax error", "CREATE TABLE t (n int);\n\nINSRT INTO t VALUES (1);", "line 3"},
		{"a violated constraint", "CREATE TABLE t (n int PRIMARY KEY); INSERT INTO t VALUES (1), (1);", "23505"},
		{"a missing schema", "CREATE TABLE nowhere.t (n int)", "3F000"},
		{"a COMMIT", "CREATE TABLE t (n int); COMMIT; CREATE TABLE u (n int)", "leave BEGIN, COMMIT and ROLLBACK out"},
		{"a step out of the role", "CREATE TABLE t (n int); RESET ROLE; CREATE TABLE public.t (n int)", "changes the role"},
		{"a reach beyond the schema", "CREATE TABLE t (n int); CREATE TABLE public.t (n int)", "42501"},
	} {
		w := newWorld(t, "seed")
		want := w.want(seedSpec(t, "CREATE TABLE first (n int)", c.script))
		_, err := w.backend.Ensure(t.Context(), want)
		if !fault.Is(err, fault.Terminal) || fault.From(err).Path != "database.seed[1]" || !strings.Contains(err.Error(), c.says) {
			t.Errorf("%s: got %v, want a Terminal fault at database.seed[1] that says %q", c.name, err, c.says)
		}
		if _, err := w.backend.Observe(t.Context(), want.Target); !fault.Is(err, fault.NotFound) {
			t.Errorf("%s: something was left behind: %v", c.name, err)
		}
		if left := w.rolesLeft(want); left != 0 {
			t.Errorf("%s: %d roles were left behind", c.name, left)
		}
	}
}

func TestASeedRunsOncePerContent(t *testing.T) {
	w := newWorld(t, "once")
	create, first, second := "CREATE TABLE log (n int)", "INSERT INTO log VALUES (1)", "INSERT INTO log VALUES (2)"
	want := w.provision(seedSpec(t, create, first))
	admin := w.admin()
	for _, step := range []struct {
		spec string
		rows int64
	}{
		{seedSpec(t, create, first), 1},
		{seedSpec(t, create, second), 2},
		{seedSpec(t, create, first), 2},
		{seedSpec(t, create), 2},
		{`{}`, 2},
		{seedSpec(t, create, second), 2},
	} {
		next := w.want(step.spec)
		seen := w.observe(next)
		next.Observed = &seen
		made, err := w.backend.Ensure(t.Context(), next)
		if err != nil {
			t.Fatalf("%s: %v", step.spec, err)
		}
		if got, wanted := made.Fields["seed"], next.Fields["seed"]; strings.Join(got, " ") != strings.Join(wanted, " ") {
			t.Errorf("seeds in force are %v, want %v", got, wanted)
		}
		if rows := number(t, admin, "SELECT count(*) FROM "+want.Name+".log"); rows != step.rows {
			t.Errorf("after %s there are %d rows, want %d", step.spec, rows, step.rows)
		}
	}
}

func TestOurRecordOfSeedsIsNotTheTenantsData(t *testing.T) {
	w := newWorld(t, "empty")
	want := w.provision(seedSpec(t, "SELECT 1"))
	receipt, err := w.backend.Remove(t.Context(), w.removal(want, ""))
	if err != nil || receipt.Outcome != "deleted" || receipt.Details["objects"] != "0" {
		t.Errorf("remove an empty schema under retain: %+v, %v", receipt, err)
	}
}

func TestTheApplicationCannotTouchTheMarkerOrTheRecord(t *testing.T) {
	w := newWorld(t, "app")
	want := w.provision(seedSpec(t, "SELECT 1"))
	app := session(t, w.appLogin(want, databaseOf(t, w.url)))
	for _, sql := range []string{
		"COMMENT ON SCHEMA " + want.Name + " IS NULL",
		"DROP SCHEMA " + want.Name + " CASCADE",
		"DELETE FROM " + want.Name + ".tenant_provider_seed",
		"DROP TABLE " + want.Name + ".tenant_provider_seed",
		"GRANT USAGE ON SCHEMA " + want.Name + " TO PUBLIC",
	} {
		_, _ = app.Exec(t.Context(), sql) // GRANT only warns
	}
	w.same(want, w.observe(want))
}

func TestCommentsOfPeopleAndTheMarkerLiveTogether(t *testing.T) {
	w := newWorld(t, "note")
	want := w.provision(`{}`)
	admin := w.admin()
	run(t, admin, "COMMENT ON SCHEMA "+want.Name+" IS 'ask Ada first\n"+want.Target.Marker().String()+"\nsince 2024'")
	w.same(want, w.observe(want))

	run(t, admin, "COMMENT ON SCHEMA "+want.Name+" IS 'ask Ada''s \\ team'")
	seen := w.observe(want)
	if !seen.Marker.IsZero() {
		t.Fatalf("the marker is gone, but %v was seen", seen.Marker)
	}
	want.Observed = &backend.Observation{}
	if _, err := w.backend.Ensure(t.Context(), want); err != nil {
		t.Fatalf("adopt: %v", err)
	}
	w.same(want, w.observe(want))
	if n := number(t, admin, `SELECT count(*) FROM pg_namespace WHERE nspname = $1 AND obj_description(oid) LIKE '%ask Ada''s \\ team%'`, want.Name); n != 1 {
		t.Error("adopting lost what a person wrote")
	}
}
