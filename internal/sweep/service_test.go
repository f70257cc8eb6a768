package sweep_test

import (
	"bufio"
	"context"
	"os"
	"os/exec"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/tenantplane/terraform-provider-tenant/internal/ledger"
	"github.com/tenantplane/terraform-provider-tenant/internal/sweep"
	"github.com/tenantplane/terraform-provider-tenant/internal/tenant"
)

func TestTwoServicesVisitEveryDueTenantOnce(t *testing.T) {
	for name, place := range places {
		t.Run(name, func(t *testing.T) {
			const count = 60
			f := newFleet(t, place(t))
			f.declare("t", count)
			other := &fleet{t: t, place: f.place, store: f.store, database: f.database, fails: f.fails, during: f.during}
			f.serve(f.settings(2))
			other.serve(other.settings(2))
			f.await("every tenant", func() bool { return len(f.visited())+len(other.visited()) >= count })
			time.Sleep(3 * time.Second) // two more ticks and a round find nothing to do
			for id, n := range f.visited() {
				if n += other.visited()[id]; n != 1 {
					t.Errorf("%s was visited %d times", id, n)
				}
			}
		})
	}
}

func TestC73_TenThousandWakeUpsMakeOneVisit(t *testing.T) {
	for name, place := range map[string]func(*testing.T) string{"sqlite": places["sqlite"], "postgres": places["postgres"]} {
		t.Run(name, func(t *testing.T) {
			f := newFleet(t, place(t))
			f.declare("t", 1)
			s := f.settings(4)
			s.Spacing = time.Hour
			service, _ := f.serve(s)
			f.await("the first visit", func() bool { return len(f.visits) == 1 })
			var group sync.WaitGroup
			for range 8 {
				group.Go(func() {
					for range 1250 {
						if err := service.Wake(t.Context(), "t0"); err != nil {
							t.Error(err)
							return
						}
					}
				})
			}
			group.Wait()
			time.Sleep(3 * time.Second)
			row, err := f.store.Tenant(t.Context(), "t0")
			if err != nil || !row.NextReconcileAt.Equal(row.LastReconciledAt.Add(time.Hour)) && row.NextReconcileAt.After(row.LastReconciledAt.Add(time.Hour)) {
				t.Errorf("due %s after the last visit (%v)", row.NextReconcileAt.Sub(row.LastReconciledAt), err)
			}
			if n := f.visited()["t0"]; n != 1 {
				t.Errorf("%d visits, want the one before the wake-ups", n)
			}
		})
	}
}

func TestAWakeUpMakesAVisitComeSooner(t *testing.T) {
	f := newFleet(t, places["postgres"](t))
	f.declare("t", 1)
	service, _ := f.serve(f.settings(1))
	f.await("the first visit", func() bool { return len(f.visits) == 1 })
	if err := service.Wake(t.Context(), "t0"); err != nil {
		t.Fatal(err)
	}
	f.await("the second visit", func() bool { return f.visited()["t0"] == 2 })
	f.await("readiness", func() bool { return service.Ready(t.Context()) == nil })
}

func TestAShutdownLetsVisitsEndAndBeginsNone(t *testing.T) {
	f := newFleet(t, places["postgres"](t))
	f.declare("t", 20)
	var begun, ended atomic.Int64
	started := make(chan bool, 20)
	f.during = func(context.Context, tenant.ID) {
		begun.Add(1)
		started <- true
		time.Sleep(2 * time.Second)
		ended.Add(1)
	}
	service, stop := f.serve(f.settings(2))
	<-started
	stop()
	if begun.Load() != ended.Load() || begun.Load() == 0 || begun.Load() > 4 {
		t.Errorf("%d visits began and %d ended", begun.Load(), ended.Load())
	}
	if err := service.Ready(t.Context()); err == nil {
		t.Error("it is ready although it has ended")
	}
}

// childVariable names the ledger of a child process that hangs in its visits.
const childVariable = "SWEEP_TEST_HANG"

// hang is a sweeping process that never ends a visit.
func hang(place string) {
	store, database, err := open(context.Background(), place)
	if err != nil {
		panic(err)
	}
	f := &fleet{place: place, store: store, database: database}
	f.during = func(context.Context, tenant.ID) {
		_, _ = os.Stdout.WriteString("visiting\n")
		select {}
	}
	settings := sweep.Settings{Work: f.silent(), Database: database, Tick: time.Second, Round: 2 * time.Second}
	service, err := sweep.New(context.Background(), settings)
	if err != nil {
		panic(err)
	}
	_ = service.Run(context.Background())
}

func TestTheTenantsOfAKilledWorkerAreVisitedByAnother(t *testing.T) {
	for name, place := range map[string]func(*testing.T) string{"sqlite": places["sqlite"], "postgres": places["postgres"]} {
		t.Run(name, func(t *testing.T) {
			f := newFleet(t, place(t))
			f.declare("t", 4)
			child := exec.CommandContext(t.Context(), os.Args[0])
			child.Env = append(os.Environ(), childVariable+"="+f.place)
			child.Stderr = os.Stderr
			out, err := child.StdoutPipe()
			if err != nil {
				t.Fatal(err)
			}
			if err := child.Start(); err != nil {
				t.Fatal(err)
			}
			lines := bufio.NewScanner(out)
			for visiting := 0; visiting < 3 && lines.Scan(); { // its three workers for tenants in good health
				if strings.Contains(lines.Text(), "visiting") {
					visiting++
				}
			}
			_ = child.Process.Kill()
			_ = child.Wait()
			f.serve(f.settings(4))
			f.await("all tenants", func() bool { return len(f.visited()) == 4 })
		})
	}
}

func TestATenantThatBecomesDueDuringItsVisitIsNotVisitedTwiceAtOnce(t *testing.T) {
	f := newFleet(t, places["sqlite"](t))
	f.declare("t", 1)
	var now, most atomic.Int64
	begun := make(chan bool, 9)
	f.during = func(context.Context, tenant.ID) {
		most.Store(max(most.Load(), now.Add(1)))
		begun <- true
		time.Sleep(2 * time.Second)
		now.Add(-1)
	}
	service, stop := f.serve(f.settings(4))
	<-begun
	spec := tenant.Spec{Subject: tenant.Subject{Installation: "test", ID: "t0", DisplayName: "new", Region: "r"}}
	if _, err := f.store.Declare(t.Context(), ledger.Declaration{Spec: spec, Claim: "c", EventID: "x"}); err != nil {
		t.Fatal(err)
	}
	if err := service.Told(t.Context(), "t0"); err != nil {
		t.Fatal(err)
	}
	<-begun // the change gets a visit of its own
	stop()
	if most.Load() > 1 {
		t.Errorf("%d visits of one tenant at once", most.Load())
	}
}
