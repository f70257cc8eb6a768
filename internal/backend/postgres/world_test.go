package postgres_test

import (
	"context"
	"crypto/rand"
	"encoding/json"
	"net/url"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/tenantplane/terraform-provider-tenant/internal/acctest"
	"github.com/tenantplane/terraform-provider-tenant/internal/backend"
	"github.com/tenantplane/terraform-provider-tenant/internal/backend/postgres"
	"github.com/tenantplane/terraform-provider-tenant/internal/component/database"
	"github.com/tenantplane/terraform-provider-tenant/internal/tenant"
)

// world is one tenant on a database of its own in the real server.
type world struct {
	t       *testing.T
	server  acctest.PostgresServer
	url     string
	backend *postgres.Backend
	subject tenant.Subject
}

func newWorld(t *testing.T, id tenant.ID) *world {
	t.Helper()
	server := acctest.Postgres(t)
	url := server.NewDatabase(t)
	installation, err := tenant.NewInstallation(rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	return &world{
		t: t, server: server, url: url, backend: open(t, url),
		subject: tenant.Subject{Installation: installation, ID: id, Region: "us-east"},
	}
}

func open(t *testing.T, url string) *postgres.Backend {
	t.Helper()
	b, f := postgres.Driver().Open(backend.Settings{Options: map[string]string{"url": url}, Path: "regions.database.postgres"})
	if f != nil {
		t.Fatal(f)
	}
	return b.(*postgres.Backend)
}

// want compiles a spec of the database component.
func (w *world) want(spec string) backend.Want {
	w.t.Helper()
	objects, faults := database.Component{}.Compile(w.subject, tenant.Deletion{}, json.RawMessage(spec))
	for _, f := range faults {
		w.t.Fatal(f)
	}
	o := objects[0]
	return backend.Want{
		Target: backend.Target{Subject: w.subject, Component: "database", Object: "schema", Name: o.Name, Path: o.Path},
		Fields: o.Fields, Inputs: o.Inputs,
	}
}

// provision makes the tenant and checks that what is there is what was wanted.
func (w *world) provision(spec string) backend.Want {
	w.t.Helper()
	want := w.want(spec)
	made, err := w.backend.Ensure(w.t.Context(), want)
	if err != nil {
		w.t.Fatalf("provision: %v", err)
	}
	w.same(want, made)
	w.same(want, w.observe(want))
	return want
}

func (w *world) observe(want backend.Want) backend.Observation {
	w.t.Helper()
	seen, err := w.backend.Observe(w.t.Context(), want.Target)
	if err != nil {
		w.t.Fatalf("observe: %v", err)
	}
	return seen
}

func (w *world) same(want backend.Want, got backend.Observation) {
	w.t.Helper()
	if changes := got.Fields.Diff(want.Fields); len(changes) > 0 {
		w.t.Errorf("content differs from the spec: %+v", changes)
	}
	if got.Marker != w.subject.Marker() {
		w.t.Errorf("marker is %v, want %v", got.Marker, w.subject.Marker())
	}
}

func (w *world) removal(want backend.Want, policy tenant.DataPolicy) backend.Removal {
	return backend.Removal{Target: want.Target, Data: policy, RetainUntil: time.Date(2027, 2, 28, 12, 0, 0, 0, time.UTC)}
}

// session opens a connection that ends with the test.
func session(t *testing.T, url string) *pgx.Conn {
	t.Helper()
	conn, err := pgx.Connect(context.Background(), url)
	if err != nil {
		t.Fatalf("connect: %v", err)
	}
	t.Cleanup(func() { _ = conn.Close(context.Background()) })
	return conn
}

// admin is a superuser's session in the database of the URL.
func (w *world) admin() *pgx.Conn { return session(w.t, w.url) }

// inside is a superuser's session in the tenant's own database.
func (w *world) inside(want backend.Want) *pgx.Conn {
	return session(w.t, w.server.DatabaseURL(w.server.Superuser, w.server.Password, want.Name))
}

func run(t *testing.T, conn *pgx.Conn, statements ...string) {
	t.Helper()
	for _, sql := range statements {
		if _, err := conn.Exec(context.Background(), sql); err != nil {
			t.Fatalf("%s: %v", sql, err)
		}
	}
}

// number runs a query that gives one.
func number(t *testing.T, conn *pgx.Conn, query string, arguments ...any) int64 {
	t.Helper()
	var n int64
	if err := conn.QueryRow(t.Context(), query, arguments...).Scan(&n); err != nil {
		t.Fatalf("%s: %v", query, err)
	}
	return n
}

// rolesLeft counts the tenant's roles.
func (w *world) rolesLeft(want backend.Want) int64 {
	w.t.Helper()
	return number(w.t, w.admin(), "SELECT count(*) FROM pg_roles WHERE rolname LIKE $1", want.Name+"%")
}

// flaky is a backend whose connection breaks when it sends a text; the server
// does what the text says. Its sessions outlive it, as after a power cut.
func (w *world) flaky(text string) *postgres.Backend {
	w.t.Helper()
	u, err := url.Parse(w.url)
	if err != nil {
		w.t.Fatal(err)
	}
	u.Host = loseAnswerTo(w.t, u.Host, text)
	b, f := postgres.Driver().Open(backend.Settings{Options: map[string]string{"url": u.String()}, Timeout: 3 * time.Second})
	if f != nil {
		w.t.Fatal(f)
	}
	return b.(*postgres.Backend)
}

// awaitDatabase waits until the tenant's database is there.
func (w *world) awaitDatabase(want backend.Want) {
	w.t.Helper()
	admin := w.admin()
	for range 200 {
		if number(w.t, admin, "SELECT count(*) FROM pg_database WHERE datname = $1", want.Name) == 1 {
			return
		}
		time.Sleep(25 * time.Millisecond)
	}
	w.t.Fatalf("the server never made database %s", want.Name)
}

// appLogin makes a login role that is a member of the tenant's owner role and
// returns its URL to a database.
func (w *world) appLogin(want backend.Want, database string) string {
	w.t.Helper()
	name := "app_" + string(w.subject.Installation)
	run(w.t, w.admin(), "CREATE ROLE "+name+" LOGIN PASSWORD 'app' IN ROLE "+want.Name+"_owner")
	return w.server.DatabaseURL(name, "app", database)
}
