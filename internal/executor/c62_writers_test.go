package executor_test

import (
	"context"
	"net/url"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/minio/minio-go/v7"
	"github.com/minio/minio-go/v7/pkg/credentials"

	"github.com/tenantplane/terraform-provider-tenant/internal/acctest"
	"github.com/tenantplane/terraform-provider-tenant/internal/backend"
	"github.com/tenantplane/terraform-provider-tenant/internal/backend/postgres"
	"github.com/tenantplane/terraform-provider-tenant/internal/backend/s3"
	"github.com/tenantplane/terraform-provider-tenant/internal/clock"
	"github.com/tenantplane/terraform-provider-tenant/internal/executor"
	"github.com/tenantplane/terraform-provider-tenant/internal/ledger"
	"github.com/tenantplane/terraform-provider-tenant/internal/tenant"
)

// An application writes to its schema and its bucket, on real servers, before,
// during and after the destroy.
func TestC62_ADestroyEndsAlthoughTheApplicationGoesOnWriting(t *testing.T) {
	s := newStage(t)
	database, files := acctest.Postgres(t), acctest.S3(t).Account(t, "c62-writers")
	databaseURL := database.NewDatabase(t)
	s.replace("database", postgres.Driver(), map[string]string{"url": databaseURL})
	s.replace("storage", s3.Driver(), map[string]string{"endpoint": files.Endpoint, "access_key": files.AccessKey, "secret_key": files.SecretKey})
	want := spec("writers")
	want.Deletion = tenant.Deletion{Data: tenant.DeleteData}
	s.apply(want, ledger.Ready)
	schema, bucket := s.nameOf("writers", "database"), s.nameOf("writers", "storage")

	admin := connect(t, databaseURL)
	sql(t, admin, "CREATE ROLE c62_app LOGIN PASSWORD 'app' IN ROLE "+schema+"_owner")
	parts := strings.Split(databaseURL, "/")
	app := writer{database: database.DatabaseURL("c62_app", "app", strings.Split(parts[len(parts)-1], "?")[0]), schema: schema, bucket: bucket, files: client(t, files)}
	stop := app.start(t)
	app.wait(t, 3)

	x := s.worker("real-time", func(o *executor.Options) { o.Clock = clock.System{} })
	outcome, err := x.Destroy(t.Context(), "writers", claim)
	if err != nil || outcome.Status != ledger.Deleted {
		t.Fatalf("destroy: %s %v, %v", outcome.Status, outcome.Faults, err)
	}
	rows, objects := app.rows.Load(), app.objects.Load()
	time.Sleep(500 * time.Millisecond) // it tries five times more
	stop()
	if app.rows.Load() != rows || app.objects.Load() != objects {
		t.Errorf("after the end %d rows and %d objects more were written", app.rows.Load()-rows, app.objects.Load()-objects)
	}
	var schemas int
	if err := admin.QueryRow(t.Context(), "SELECT count(*) FROM pg_namespace WHERE nspname = $1", schema).Scan(&schemas); err != nil || schemas != 0 {
		t.Errorf("%d schemas are left, %v", schemas, err)
	}
	if there, err := app.files.BucketExists(t.Context(), bucket); err != nil || there {
		t.Errorf("the bucket exists: %t, %v", there, err)
	}
	var steps []string
	for _, e := range s.evidence("writers") {
		steps = append(steps, e.Step)
	}
	off, gone := slices.Index(steps, "disable database.schema"), slices.Index(steps, "delete database.schema")
	if off < 0 || gone < off || slices.Index(steps, "delete storage.bucket") < off || steps[len(steps)-1] != "verify" {
		t.Errorf("the steps are %v, want access off, then the data gone, then the look again", steps)
	}
}

// writer is an application: every 100 ms it adds a table or row and an object.
type writer struct {
	database, schema, bucket string
	files                    *minio.Client
	rows, objects            atomic.Int64
}

func (w *writer) start(t *testing.T) (stop func()) {
	ctx, cancel := context.WithCancel(context.Background())
	var group sync.WaitGroup
	every := func(write func() error, count *atomic.Int64) {
		for ctx.Err() == nil {
			if write() == nil {
				count.Add(1)
			}
			time.Sleep(100 * time.Millisecond)
		}
	}
	group.Go(func() { every(func() error { return w.addRow(ctx) }, &w.rows) })
	group.Go(func() { every(func() error { return w.addObject(ctx) }, &w.objects) })
	stop = sync.OnceFunc(func() { cancel(); group.Wait() })
	t.Cleanup(stop)
	return stop
}

// addRow does what applications do at their start: it makes what is missing.
func (w *writer) addRow(ctx context.Context) error {
	conn, err := pgx.Connect(ctx, w.database)
	if err != nil {
		return err
	}
	defer func() { _ = conn.Close(context.Background()) }()
	_, err = conn.Exec(ctx, "SET ROLE "+w.schema+"_owner; CREATE TABLE IF NOT EXISTS "+w.schema+".log (n int); INSERT INTO "+w.schema+".log VALUES (1)")
	return err
}

func (w *writer) addObject(ctx context.Context) error {
	_, err := w.files.PutObject(ctx, w.bucket, time.Now().Format("150405.000"), strings.NewReader("x"), 1, minio.PutObjectOptions{})
	return err
}

// wait waits until both have been written a few times.
func (w *writer) wait(t *testing.T, times int64) {
	t.Helper()
	for range 200 {
		if w.rows.Load() >= times && w.objects.Load() >= times {
			return
		}
		time.Sleep(50 * time.Millisecond)
	}
	t.Fatalf("the application wrote %d rows and %d objects", w.rows.Load(), w.objects.Load())
}

func client(t *testing.T, server acctest.S3Server) *minio.Client {
	t.Helper()
	endpoint, err := url.Parse(server.Endpoint)
	if err != nil {
		t.Fatal(err)
	}
	made, err := minio.New(endpoint.Host, &minio.Options{Creds: credentials.NewStaticV4(server.AccessKey, server.SecretKey, ""), Region: server.Region})
	if err != nil {
		t.Fatal(err)
	}
	return made
}

func connect(t *testing.T, url string) *pgx.Conn {
	t.Helper()
	conn, err := pgx.Connect(t.Context(), url)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = conn.Close(context.Background()) })
	return conn
}

func sql(t *testing.T, conn *pgx.Conn, statement string) {
	t.Helper()
	if _, err := conn.Exec(t.Context(), statement); err != nil {
		t.Fatalf("%s: %v", statement, err)
	}
}

// replace puts another backend in a component's place.
func (s *stage) replace(component string, driver backend.Driver, options map[string]string) {
	s.t.Helper()
	opened, f := driver.Open(backend.Settings{Options: options, Path: component})
	if f != nil {
		s.t.Fatal(f)
	}
	s.through[component] = func(backend.Backend) backend.Backend { return opened }
}

// nameOf is the derived name of a component's one object.
func (s *stage) nameOf(id tenant.ID, component string) string {
	s.t.Helper()
	rows, err := s.Ledger.Objects(s.t.Context(), id)
	if err != nil {
		s.t.Fatal(err)
	}
	for _, o := range rows {
		if o.Component == component {
			return o.Name
		}
	}
	s.t.Fatalf("the ledger has no %s of %s", component, id)
	return ""
}
