package postgres_test

import (
	"crypto/rand"
	"encoding/json"
	"strings"
	"testing"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"github.com/tenantplane/terraform-provider-tenant/internal/acctest"
	"github.com/tenantplane/terraform-provider-tenant/internal/ledger"
	"github.com/tenantplane/terraform-provider-tenant/internal/ledger/postgres"
	"github.com/tenantplane/terraform-provider-tenant/internal/tenant"
)

// acme is the tenant of most tests, and claim the state that owns it.
const (
	acme  = tenant.ID("acme")
	claim = "state-a"
)

func open(t *testing.T, url string) ledger.Store {
	t.Helper()
	store, err := postgres.Open(t.Context(), url, rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := store.Close(); err != nil {
			t.Error(err)
		}
	})
	return store
}

// newDatabase is an empty database on the real server.
func newDatabase(t *testing.T) string {
	t.Helper()
	return acctest.Postgres(t).NewDatabase(t)
}

// newSchema is an empty schema, as the URL that leads into it.
func newSchema(t *testing.T, database string) string {
	t.Helper()
	name := "s" + strings.ReplaceAll(uuid.NewString(), "-", "")
	execute(t, database, "CREATE SCHEMA "+name)
	return database + "&search_path=" + name
}

// execute runs a statement as another client.
func execute(t *testing.T, url, statement string) {
	t.Helper()
	conn, err := pgx.Connect(t.Context(), url)
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close(t.Context())
	if _, err := conn.PgConn().Exec(t.Context(), statement).ReadAll(); err != nil {
		t.Fatalf("%s: %v", statement, err)
	}
}

func declaration(id tenant.ID, name string) ledger.Declaration {
	return ledger.Declaration{
		Spec: tenant.Spec{
			Subject:    tenant.Subject{Installation: "test", ID: id, DisplayName: name, Region: "us-east"},
			Components: map[string]json.RawMessage{},
		},
		Claim: claim, EventID: "registered-" + string(id),
	}
}

func declare(t *testing.T, store ledger.Store, id tenant.ID) {
	t.Helper()
	if _, err := store.Declare(t.Context(), declaration(id, "first")); err != nil {
		t.Fatal(err)
	}
}
