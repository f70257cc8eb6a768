package sweep_test

import (
	"context"
	"crypto/rand"
	"database/sql"
	"fmt"
	"log/slog"
	"os"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/tenantplane/terraform-provider-tenant/internal/acctest"
	"github.com/tenantplane/terraform-provider-tenant/internal/clock"
	"github.com/tenantplane/terraform-provider-tenant/internal/ledger"
	"github.com/tenantplane/terraform-provider-tenant/internal/ledger/postgres"
	"github.com/tenantplane/terraform-provider-tenant/internal/ledger/sqlite"
	"github.com/tenantplane/terraform-provider-tenant/internal/sweep"
	"github.com/tenantplane/terraform-provider-tenant/internal/tenant"
)

func TestMain(m *testing.M) {
	if place := os.Getenv(childVariable); place != "" {
		hang(place)
		return
	}
	os.Exit(acctest.Main(m))
}

// places are the ledgers that sweeps work on.
var places = map[string]func(t *testing.T) string{
	"sqlite":   func(t *testing.T) string { return t.TempDir() + "/ledger.db" },
	"postgres": func(t *testing.T) string { return acctest.Postgres(t).NewDatabase(t) },
	"postgres behind a transaction pooler": func(t *testing.T) string {
		return acctest.PgBouncer(t, acctest.TransactionPooling)(acctest.Postgres(t).NewDatabase(t))
	},
}

// open opens the ledger at a place, and its database for the jobs.
func open(ctx context.Context, place string) (ledger.Store, sweep.Database, error) {
	if strings.HasPrefix(place, "postgres") {
		store, err := postgres.Open(ctx, place, rand.Reader)
		if err != nil {
			return nil, sweep.Database{}, err
		}
		db := store.(interface{ DB() *sql.DB }).DB()
		db.SetMaxOpenConns(12)
		return store, sweep.Database{DB: db, Postgres: true, Lock: func(ctx context.Context) (func(), error) { return postgres.Lock(ctx, db) }}, nil
	}
	store, err := sqlite.Open(ctx, place, clock.System{}, rand.Reader)
	if err != nil {
		return nil, sweep.Database{}, err
	}
	return store, sweep.Database{
		DB:   store.(interface{ DB() *sql.DB }).DB(),
		Lock: func(ctx context.Context) (func(), error) { return sqlite.Lock(ctx, place) },
	}, nil
}

// fleet is a ledger with tenants, and who visits them.
type fleet struct {
	t        *testing.T
	place    string
	store    ledger.Store
	database sweep.Database
	mu       sync.Mutex
	visits   []tenant.ID
	passes   atomic.Int64
	// fails tells which tenants are not as their spec says after a visit.
	fails func(tenant.ID) bool
	// during is called in each visit, under the tenant's lease.
	during func(ctx context.Context, id tenant.ID)
}

func newFleet(t *testing.T, place string) *fleet {
	t.Helper()
	store, database, err := open(t.Context(), place)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = store.Close() })
	return &fleet{t: t, place: place, store: store, database: database, fails: func(tenant.ID) bool { return false }, during: func(context.Context, tenant.ID) {}}
}

// declare declares tenants name0, name1…
func (f *fleet) declare(name string, count int) {
	f.t.Helper()
	for i := range count {
		id := tenant.ID(fmt.Sprintf("%s%d", name, i))
		_, err := f.store.Declare(f.t.Context(), ledger.Declaration{
			Spec:  tenant.Spec{Subject: tenant.Subject{Installation: "test", ID: id, Region: "r"}},
			Claim: "c", EventID: "declared " + string(id),
		})
		if err != nil {
			f.t.Fatal(err)
		}
	}
}

// visit does what the executor's does to the ledger: it takes the lease, and
// dates the next visit.
func (f *fleet) visit(ctx context.Context, id tenant.ID) (int, error) {
	lease, err := f.store.Acquire(ctx, id, fmt.Sprintf("worker-%d/%d", os.Getpid(), f.passes.Add(1)), 3*time.Second)
	if err != nil {
		return 0, err
	}
	ctx = context.WithoutCancel(ctx)
	defer func() { _ = f.store.Release(ctx, lease) }()
	row, err := f.store.Tenant(ctx, id)
	if err != nil {
		return 0, err
	}
	f.mu.Lock()
	f.visits = append(f.visits, id)
	f.mu.Unlock()
	f.during(ctx, id)
	p := ledger.Progress{Generation: row.DesiredGeneration, Status: ledger.Ready, Observed: true, NextReconcileAt: time.Now().Add(time.Hour)}
	if f.fails(id) {
		p.Status, p.Observed, p.FailureCount, p.NextReconcileAt = ledger.Reconciling, false, row.FailureCount+1, time.Now()
		return 1, f.store.Advance(ctx, lease, p)
	}
	return 0, f.store.Advance(ctx, lease, p)
}

func (f *fleet) work(workers int) sweep.Work {
	return sweep.Work{Ledger: f.store, Visit: f.visit, Workers: workers, Clock: clock.System{}, Logger: slog.New(slog.NewTextHandler(f.t.Output(), nil))}
}

func (f *fleet) settings(workers int) sweep.Settings {
	return sweep.Settings{Work: f.work(workers), Database: f.database, Tick: time.Second, Round: 2 * time.Second, Grace: 20 * time.Second}
}

// serve runs a service until the test or the returned function ends it.
func (f *fleet) serve(s sweep.Settings) (service *sweep.Service, stop func()) {
	f.t.Helper()
	service, err := sweep.New(f.t.Context(), s)
	if err != nil {
		f.t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(context.Background())
	ended := make(chan error, 1)
	go func() { ended <- service.Run(ctx) }()
	stop = sync.OnceFunc(func() {
		cancel()
		if err := <-ended; err != nil {
			f.t.Error(err)
		}
	})
	f.t.Cleanup(stop)
	return service, stop
}

// visited counts the visits by tenant.
func (f *fleet) visited() map[tenant.ID]int {
	f.mu.Lock()
	defer f.mu.Unlock()
	counts := map[tenant.ID]int{}
	for _, id := range f.visits {
		counts[id]++
	}
	return counts
}

// await waits for a condition; what says what was waited for.
func (f *fleet) await(what string, condition func() bool) {
	f.t.Helper()
	for deadline := time.Now().Add(time.Minute); !condition(); {
		if time.Now().After(deadline) {
			f.t.Fatalf("waited in vain for %s: %d visits", what, len(f.visited()))
		}
		time.Sleep(50 * time.Millisecond)
	}
}

// silent is work that logs nothing.
func (f *fleet) silent() sweep.Work {
	return sweep.Work{Ledger: f.store, Visit: f.visit, Workers: 4, Clock: clock.System{}, Logger: slog.New(slog.DiscardHandler)}
}
