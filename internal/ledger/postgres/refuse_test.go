package postgres_test

import (
	"crypto/rand"
	"errors"
	"net"
	"strings"
	"testing"

	"github.com/tenantplane/terraform-provider-tenant/internal/acctest"
	"github.com/tenantplane/terraform-provider-tenant/internal/fault"
	"github.com/tenantplane/terraform-provider-tenant/internal/ledger"
	"github.com/tenantplane/terraform-provider-tenant/internal/ledger/postgres"
)

// Each case makes what is found behind a URL, and returns the URL.
var refusals = []struct {
	name, code string
	kind       fault.Kind
	make       func(t *testing.T) string
}{
	{"no URL at all", "ledger.url", fault.Terminal, func(*testing.T) string { return "postgres://user:s3cret-word@host:port/x" }},
	{"a password with an unescaped slash", "ledger.url", fault.Terminal, func(*testing.T) string {
		return "postgres://user:s3cret-word/2@host/x"
	}},
	{"nobody listens", "ledger.unreachable", fault.Retryable, func(t *testing.T) string {
		s := acctest.Postgres(t)
		s.Port = acctest.FreePort(t)
		return s.DatabaseURL(s.Superuser, s.Password, "postgres")
	}},
	{"a listener that says nothing", "ledger.unreachable", fault.Retryable, silence},
	{"a wrong password", "ledger.login", fault.Terminal, func(t *testing.T) string {
		s := acctest.Postgres(t)
		return s.DatabaseURL(s.Superuser, "s3cret-word", "postgres")
	}},
	{"a user nobody knows", "ledger.login", fault.Terminal, func(t *testing.T) string {
		return acctest.Postgres(t).DatabaseURL("nobody", "s3cret-word", "postgres")
	}},
	{"a database that is not there", "ledger.no_database", fault.Terminal, func(t *testing.T) string {
		s := acctest.Postgres(t)
		return s.DatabaseURL(s.Superuser, s.Password, "not_there")
	}},
	{"a schema that is not there", "ledger.schema", fault.Terminal, func(t *testing.T) string {
		return newDatabase(t) + "&search_path=not_there"
	}},
	{"a user who may not create tables", "ledger.privilege", fault.Terminal, func(t *testing.T) string {
		url := newDatabase(t)
		execute(t, url, "CREATE ROLE looker LOGIN PASSWORD 'looker-word'")
		return as(t, url, "looker", "looker-word")
	}},
	{"a user whose transactions are read-only", "ledger.read_only", fault.Terminal, func(t *testing.T) string {
		url := newDatabase(t)
		execute(t, url, "CREATE ROLE reader SUPERUSER LOGIN PASSWORD 'reader-word'; ALTER ROLE reader SET default_transaction_read_only = on")
		return as(t, url, "reader", "reader-word")
	}},
	{"a user whose commits may be forgotten", "ledger.unsafe", fault.Terminal, func(t *testing.T) string {
		url := newDatabase(t)
		execute(t, url, "CREATE ROLE hasty SUPERUSER LOGIN PASSWORD 'hasty-word'; ALTER ROLE hasty SET synchronous_commit = off")
		return as(t, url, "hasty", "hasty-word")
	}},
	{"another encoding", "ledger.encoding", fault.Terminal, func(t *testing.T) string {
		s := acctest.Postgres(t)
		execute(t, s.URL, "CREATE DATABASE latin ENCODING 'LATIN1' TEMPLATE template0")
		return s.DatabaseURL(s.Superuser, s.Password, "latin")
	}},
	{"tables of another program", "ledger.foreign", fault.Terminal, func(t *testing.T) string {
		url := newDatabase(t)
		execute(t, url, "CREATE TABLE tenants (id uuid PRIMARY KEY, name text)")
		return url
	}},
	{"a ledger of a newer version", "ledger.newer", fault.Terminal, func(t *testing.T) string {
		url := newDatabase(t)
		open(t, url)
		execute(t, url, "INSERT INTO tenant_ledger_version (version_id, is_applied) VALUES (9999, true)")
		return url
	}},
	{"a pooler that splits transactions", "ledger.statement_pooling", fault.Terminal, func(t *testing.T) string {
		return acctest.PgBouncer(t, acctest.StatementPooling)(newDatabase(t))
	}},
}

func TestWhatCannotBeALedgerIsExplained(t *testing.T) {
	for _, c := range refusals {
		t.Run(c.name, func(t *testing.T) {
			url := c.make(t)
			_, err := postgres.Open(t.Context(), url, rand.Reader)
			var f *fault.Fault
			if !errors.As(err, &f) {
				t.Fatalf("got %v, want a fault", err)
			}
			if f.Kind != c.kind || f.Code != c.code || f.Action == "" {
				t.Errorf("got %s %s, want %s %s: %v", f.Kind, f.Code, c.kind, c.code, err)
			}
			if errors.Is(err, ledger.ErrNewer) != (c.code == "ledger.newer") {
				t.Errorf("errors.Is ErrNewer is wrong for %v", err)
			}
			saysNoSecret(t, err)
		})
	}
}

// saysNoSecret looks for every password of this file.
func saysNoSecret(t *testing.T, err error) {
	t.Helper()
	for _, secret := range []string{acctest.Postgres(t).Password, "s3cret-word", "looker-word", "reader-word", "hasty-word"} {
		if strings.Contains(err.Error(), secret) {
			t.Errorf("the error holds the password: %v", err)
		}
	}
}

func TestALookMakesNoLedger(t *testing.T) {
	url := newDatabase(t)
	_, err := postgres.OpenExisting(t.Context(), url, rand.Reader)
	var f *fault.Fault
	if !errors.As(err, &f) || f.Code != "ledger.none" {
		t.Fatalf("got %v, want ledger.none", err)
	}
	execute(t, url, "CREATE TABLE tenants (id int)") // the name is still free
	other := newDatabase(t)
	declare(t, open(t, other), acme)
	store, err := postgres.OpenExisting(t.Context(), other, rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	defer store.Close()
	if _, err := store.Tenant(t.Context(), acme); err != nil {
		t.Error(err)
	}
}

// as is the URL with another user.
func as(t *testing.T, url, user, password string) string {
	t.Helper()
	s := acctest.Postgres(t)
	database := url[strings.LastIndex(url, "/")+1 : strings.Index(url, "?")]
	return s.DatabaseURL(user, password, database)
}

// silence accepts connections and never answers.
func silence(t *testing.T) string {
	t.Helper()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = listener.Close() })
	return "postgres://user:s3cret-word@" + listener.Addr().String() + "/ledger?sslmode=disable&connect_timeout=1"
}
