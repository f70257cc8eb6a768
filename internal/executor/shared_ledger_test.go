package executor_test

import (
	"context"
	"crypto/rand"
	"encoding/json"
	"fmt"
	"os"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/tenantplane/terraform-provider-tenant/internal/acctest"
	"github.com/tenantplane/terraform-provider-tenant/internal/clock"
	"github.com/tenantplane/terraform-provider-tenant/internal/executor"
	"github.com/tenantplane/terraform-provider-tenant/internal/ledger"
	"github.com/tenantplane/terraform-provider-tenant/internal/ledger/postgres"
	"github.com/tenantplane/terraform-provider-tenant/internal/ledger/sqlite"
)

func TestMain(m *testing.M) { os.Exit(acctest.Main(m)) }

// ledgers are the two kinds of ledger that processes share, each as a function
// that opens it once more, as another process does.
var ledgers = map[string]func(t *testing.T) func() (ledger.Store, error){
	"sqlite": func(t *testing.T) func() (ledger.Store, error) {
		path := t.TempDir() + "/shared.db"
		return func() (ledger.Store, error) {
			return sqlite.Open(context.Background(), path, clock.System{}, rand.Reader)
		}
	},
	"postgres": func(t *testing.T) func() (ledger.Store, error) {
		url := acctest.Postgres(t).NewDatabase(t)
		return func() (ledger.Store, error) { return postgres.Open(context.Background(), url, rand.Reader) }
	},
	"postgres behind a transaction pooler": func(t *testing.T) func() (ledger.Store, error) {
		url := acctest.PgBouncer(t, acctest.TransactionPooling)(acctest.Postgres(t).NewDatabase(t))
		return func() (ledger.Store, error) { return postgres.Open(context.Background(), url, rand.Reader) }
	},
}

// Two sweeps go over a tenant all the time while it is applied, changed three
// times and destroyed. Everybody waits for everybody, and no update is lost.
func TestTwoSweepsAndAnApplyAtOnceLoseNothing(t *testing.T) {
	for name, database := range ledgers {
		t.Run(name, func(t *testing.T) {
			s := newStage(t)
			open := database(t)
			apply := s.on(open, "apply")
			if err := apply.Ledger.AdoptInstallation(t.Context(), installation); err != nil {
				t.Fatal(err)
			}
			sweeps := s.sweep(s.on(open, "sweep-1"), s.on(open, "sweep-2"))
			for generation := 1; generation <= 3; generation++ {
				want := spec("acme")
				want.Components["billing"] = json.RawMessage(fmt.Sprintf(`{"plan":"pro","email":"ap@example.org","seats":%d}`, generation))
				outcome, err := apply.Converge(t.Context(), executor.Request{Spec: want, Claim: claim})
				if err != nil || outcome.Status != ledger.Ready {
					t.Fatalf("generation %d: %s %v %v", generation, outcome.Status, outcome.Faults, err)
				}
				sweeps.goOver(t) // also while nothing else happens
				if diff := cmp.Diff(oneOfEach, s.exists("acme")); diff != "" {
					t.Error(diff)
				}
			}
			row, err := apply.Ledger.Tenant(t.Context(), "acme")
			if err != nil || row.ObservedGeneration != 3 || row.DesiredGeneration != 3 {
				t.Errorf("generation %d of %d is observed, want 3 of 3 (%v)", row.ObservedGeneration, row.DesiredGeneration, err)
			}
			wantFirstKeys(t, s)
			if outcome, err := apply.Destroy(t.Context(), "acme", claim); err != nil || outcome.Status != ledger.Deleted {
				t.Errorf("destroy: %s %v %v", outcome.Status, outcome.Faults, err)
			}
			sweeps.stop()
			evidence, err := apply.Ledger.Evidence(t.Context(), "acme")
			if err != nil {
				t.Fatal(err)
			}
			if err := ledger.VerifyChain("acme", evidence); err != nil {
				t.Error(err)
			}
		})
	}
}

// wantFirstKeys wants each of Stripe's objects asked for once.
func wantFirstKeys(t *testing.T, s *stage) {
	t.Helper()
	for _, path := range []string{"/v1/customers", "/v1/subscriptions"} {
		if keys := s.keys(path); len(keys) != 1 {
			t.Errorf("%s was asked for under %v, want one call", path, keys)
		}
	}
}

// on is a worker with a connection to the ledger of its own, by real time.
func (s *stage) on(open func() (ledger.Store, error), name string) *executor.Executor {
	s.t.Helper()
	store, err := open()
	if err != nil {
		s.t.Fatal(err)
	}
	s.t.Cleanup(func() { _ = store.Close() })
	return s.worker(name, func(o *executor.Options) { o.Ledger, o.Clock = store, clock.System{} })
}

// sweeps are workers that go over the tenant until stopped.
type sweeps struct {
	passes atomic.Int64
	cancel context.CancelFunc
	group  sync.WaitGroup
}

// sweep lets workers go over the tenant. Being too early, or in somebody's
// way, is no error.
func (s *stage) sweep(workers ...*executor.Executor) *sweeps {
	ctx, cancel := context.WithCancel(context.Background())
	all := &sweeps{cancel: cancel}
	s.t.Cleanup(all.stop)
	for _, x := range workers {
		all.group.Go(func() {
			for ctx.Err() == nil {
				_, err := x.Pass(ctx, "acme", x.Worker)
				switch {
				case err == nil:
					all.passes.Add(1)
				case ctx.Err() == nil && !executor.Busy(err) && !notYet(err):
					s.t.Errorf("%s heard: %v", x.Worker, err)
				}
				time.Sleep(5 * time.Millisecond)
			}
		})
	}
	return all
}

// goOver waits until the workers have done another two passes.
func (s *sweeps) goOver(t *testing.T) {
	t.Helper()
	want := s.passes.Load() + 2
	for end := time.Now().Add(30 * time.Second); s.passes.Load() < want; time.Sleep(5 * time.Millisecond) {
		if time.Now().After(end) {
			t.Fatal("the sweeps do no passes")
		}
	}
}

func (s *sweeps) stop() {
	s.cancel()
	s.group.Wait()
}
