package postgres_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/tenantplane/terraform-provider-tenant/internal/acctest"
	"github.com/tenantplane/terraform-provider-tenant/internal/backend"
	"github.com/tenantplane/terraform-provider-tenant/internal/backend/postgres"
	"github.com/tenantplane/terraform-provider-tenant/internal/fault"
	"github.com/tenantplane/terraform-provider-tenant/internal/tenant"
)

func TestWhatIsWrongWithTheServerIsToldApartAndKeepsThePassword(t *testing.T) {
	w := newWorld(t, "faults")
	want := w.want(`{}`)
	s := w.server
	for _, c := range []struct {
		name, url, says string
		kind            fault.Kind
	}{
		{"a wrong password", s.DatabaseURL(s.Superuser, "wr0ng-pass", "postgres"), "28P01", fault.Terminal},
		{"an unknown user", s.DatabaseURL("nobody", "wr0ng-pass", "postgres"), "28P01", fault.Terminal},
		{"an unknown database", s.DatabaseURL(s.Superuser, s.Password, "nowhere"), "3D000", fault.Terminal},
		{"a closed port", fmt.Sprintf("postgres://u:wr0ng-pass@127.0.0.1:%d/postgres?sslmode=disable", acctest.FreePort(t)), "no connection", fault.Retryable},
	} {
		b := open(t, c.url)
		_, observed := b.Observe(t.Context(), want.Target)
		_, ensured := b.Ensure(t.Context(), want)
		_, removed := b.Remove(t.Context(), w.removal(want, ""))
		for _, err := range []error{observed, ensured, removed} {
			f := fault.From(err)
			if f == nil || f.Kind != c.kind || !f.BackendWide || !strings.Contains(f.Found, c.says) || f.Action == "" {
				t.Errorf("%s: got %+v, want a backend-wide %s fault that says %q", c.name, f, c.kind, c.says)
			}
			whole := fmt.Sprintf("%v %v", err, f.Err)
			if strings.Contains(whole, "wr0ng") || strings.Contains(whole, s.Password) {
				t.Errorf("%s: the fault shows the password: %s", c.name, whole)
			}
		}
	}
}

func TestABadURLIsRefusedWithoutRepeatingIt(t *testing.T) {
	for _, text := range []string{"", "postgres://u:s3cr#t@host:5432/db", "postgres://u:s3cr3t@host:port/db", "host=x password='s3cr", "mysql://u:s3cr3t@h/db?x=%zz"} {
		_, f := postgres.Driver().Open(backend.Settings{Options: map[string]string{"url": text}, Path: "regions.database.postgres"})
		if f == nil || f.Kind != fault.Terminal || f.Path != "regions.database.postgres.url" {
			t.Errorf("%q: got %v, want a Terminal fault at the url", text, f)
			continue
		}
		if strings.Contains(f.Error(), "s3cr") || f.Err != nil {
			t.Errorf("%q: the fault repeats the URL: %v, %v", text, f, f.Err)
		}
	}
}

func TestALockedTenantIsWaitedForAndThenRetryable(t *testing.T) {
	w := newWorld(t, "locked")
	want := w.provision(`{}`)
	admin := w.admin()
	run(t, admin, "BEGIN", "GRANT USAGE ON SCHEMA "+want.Name+" TO CURRENT_USER", "LOCK pg_namespace IN ACCESS EXCLUSIVE MODE")
	b, f := postgres.Driver().Open(backend.Settings{Options: map[string]string{"url": w.url}, Timeout: 400 * time.Millisecond})
	if f != nil {
		t.Fatal(f)
	}
	begun := time.Now()
	_, err := b.Ensure(t.Context(), want)
	if !fault.Is(err, fault.Retryable) {
		t.Errorf("got %v, want a Retryable fault", err)
	}
	if took := time.Since(begun); took > 5*time.Second {
		t.Errorf("waited %s with a timeout of 400ms", took)
	}
}

func TestALostCommitIsAmbiguousAndTheNextCallSettlesIt(t *testing.T) {
	w := newWorld(t, "lost")
	want := w.want(seedSpec(t, "CREATE TABLE t (n int); INSERT INTO t VALUES (1)"))
	if _, err := w.flaky("commit").Ensure(t.Context(), want); !fault.Is(err, fault.Ambiguous) {
		t.Fatalf("got %v, want an Ambiguous fault", err)
	}
	// The server may still be committing.
	if _, err := w.backend.Ensure(t.Context(), want); err != nil {
		t.Fatalf("the next call: %v", err)
	}
	w.same(want, w.observe(want))
	if rows := number(t, w.admin(), "SELECT count(*) FROM "+want.Name+".t"); rows != 1 {
		t.Errorf("the seed ran %d times", rows)
	}
}

func TestADatabaseWhoseCreationWasCutShortIsFinished(t *testing.T) {
	t.Parallel() // it mostly waits
	for _, step := range []string{"CREATE DATABASE", "COMMENT ON DATABASE", "ALLOW_CONNECTIONS true", "CREATE TABLE"} {
		w := newWorld(t, "cut")
		want := w.want(`{"isolation":"database","seed":[{"name":"s.sql","sql":"SELECT 1"}]}`)
		if _, err := w.flaky(step).Ensure(t.Context(), want); err == nil {
			t.Fatalf("%s: the connection broke, and nobody noticed", step)
		}
		w.awaitDatabase(want)
		if seen, err := w.backend.Observe(t.Context(), want.Target); err != nil || seen.Marker != w.subject.Marker() {
			t.Errorf("%s: the unfinished database is not known as ours: %+v, %v", step, seen, err)
		}
		made, err := w.backend.Ensure(t.Context(), want)
		if err != nil {
			t.Fatalf("%s: the next call: %v", step, err)
		}
		w.same(want, made)
	}
}

func TestAnUnfinishedDatabaseCanBeRemoved(t *testing.T) {
	t.Parallel() // it mostly waits
	w := newWorld(t, "cut2")
	want := w.want(`{"isolation":"database"}`)
	if _, err := w.flaky("CREATE DATABASE").Ensure(t.Context(), want); !fault.Is(err, fault.Ambiguous) {
		t.Fatalf("got %v, want an Ambiguous fault", err)
	}
	w.awaitDatabase(want)
	receipt, err := w.backend.Remove(t.Context(), w.removal(want, tenant.RetainData))
	if err != nil || receipt.Outcome != "deleted" || w.rolesLeft(want) != 0 {
		t.Errorf("remove: %+v, %v, %d roles left", receipt, err, w.rolesLeft(want))
	}
}
