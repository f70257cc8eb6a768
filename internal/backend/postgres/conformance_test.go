package postgres_test

import (
	"net/http"
	"testing"

	"github.com/jackc/pgx/v5"

	"github.com/tenantplane/terraform-provider-tenant/internal/acctest"
	"github.com/tenantplane/terraform-provider-tenant/internal/backend"
	"github.com/tenantplane/terraform-provider-tenant/internal/backend/backendtest"
	"github.com/tenantplane/terraform-provider-tenant/internal/component/database"
)

func TestConformanceOfSchemas(t *testing.T) {
	url := acctest.Postgres(t).NewDatabase(t)
	exec := func(t *testing.T, sql ...string) { run(t, session(t, url), sql...) }
	backendtest.Run(t, backendtest.Suite{
		Open:      func(t *testing.T, _ http.RoundTripper) backend.Backend { return open(t, url) },
		Component: database.Component{},
		Spec:      `{"seed":[{"name":"a.sql","sql":"CREATE TABLE a (n int)"}]}`,
		Changed:   `{"seed":[{"name":"a.sql","sql":"CREATE TABLE a (n int)"},{"name":"b.sql","sql":"INSERT INTO a VALUES (1)"}]}`,
		Edit: func(t *testing.T, target backend.Target) {
			exec(t, "REVOKE USAGE ON SCHEMA "+target.Name+" FROM "+target.Name+"_reader")
		},
		Vanish: func(t *testing.T, target backend.Target) { exec(t, "DROP SCHEMA "+target.Name+" CASCADE") },
		Strip: func(t *testing.T, target backend.Target) {
			exec(t, "COMMENT ON SCHEMA "+target.Name+" IS 'made by hand'")
		},
		FillData: func(t *testing.T, target backend.Target) {
			exec(t, "INSERT INTO "+target.Name+".a VALUES (1), (2)")
		},
	})
}

func TestConformanceOfDatabases(t *testing.T) {
	server := acctest.Postgres(t)
	url := server.NewDatabase(t)
	exec := func(t *testing.T, sql ...string) { run(t, session(t, url), sql...) }
	inside := func(t *testing.T, target backend.Target) *pgx.Conn {
		return session(t, server.DatabaseURL(server.Superuser, server.Password, target.Name))
	}
	backendtest.Run(t, backendtest.Suite{
		Open:      func(t *testing.T, _ http.RoundTripper) backend.Backend { return open(t, url) },
		Component: database.Component{},
		Spec:      `{"isolation":"database","seed":[{"name":"a.sql","sql":"CREATE TABLE a (n int)"}]}`,
		Changed:   `{"isolation":"database","seed":[{"name":"a.sql","sql":"CREATE TABLE a (n int)"},{"name":"b.sql","sql":"INSERT INTO a VALUES (1)"}]}`,
		Edit: func(t *testing.T, target backend.Target) {
			exec(t, "GRANT CONNECT, CREATE ON DATABASE "+target.Name+" TO PUBLIC")
		},
		Vanish: func(t *testing.T, target backend.Target) { exec(t, "DROP DATABASE "+target.Name) },
		Strip:  func(t *testing.T, target backend.Target) { exec(t, "COMMENT ON DATABASE "+target.Name+" IS NULL") },
		FillData: func(t *testing.T, target backend.Target) {
			conn := inside(t, target)
			run(t, conn, "INSERT INTO a VALUES (1), (2)")
			if err := conn.Close(t.Context()); err != nil {
				t.Fatal(err)
			}
		},
	})
}
