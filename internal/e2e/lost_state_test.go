package e2e_test

import (
	"maps"
	"os"
	"strings"
	"testing"

	"github.com/tenantplane/terraform-provider-tenant/internal/ledger"
	"github.com/tenantplane/terraform-provider-tenant/internal/sandbox"
	"github.com/tenantplane/terraform-provider-tenant/internal/tenant"
)

// aged is a tenant at generation 5, with what Terraform had on file at
// generation 3.
type aged struct {
	*world
	dir workdir
	// config is what the generations have declared, by number.
	config map[tenant.Generation]string
	state3 string
	ids    map[string]string
	since  int64
}

// newAged changes what backends show (seats, target) and what only the ledger
// knows (policies, the display name) from generation to generation.
func newAged(t *testing.T, name string) *aged {
	t.Helper()
	w := newWorld(t, name)
	a := &aged{world: w, config: map[tenant.Generation]string{1: w.config(name, w.dns.URL)}}
	for n, change := range [][2]string{
		{"seats = 5", "seats = 6"},
		{`data = "delete"`, `data = "archive", retention_days = 7`},
		{"seats = 6", "seats = 7"},
		{`data = "archive", retention_days = 7`, `data = "delete", protection = true`},
	} {
		a.config[tenant.Generation(n+2)] = strings.Replace(a.config[tenant.Generation(n+1)], change[0], change[1], 1)
	}
	a.dir = newWorkdir(t, a.config[1])
	w.watch(t)
	for n := tenant.Generation(1); n <= 5; n++ {
		a.dir.configure(t, a.config[n])
		a.dir.run(t, "apply.log", 0, "apply", "-auto-approve")
		if n == 3 {
			a.state3 = a.dir.state(t)
		}
	}
	a.wantGeneration(t, 5)
	a.ids, a.since = a.dir.ids(t), w.lastRequest(t)
	return a
}

// wantGeneration wants the ledger to want, and to have, a generation.
func (a *aged) wantGeneration(t *testing.T, want tenant.Generation) {
	t.Helper()
	row, err := a.dir.ledger(t).Tenant(t.Context(), "acme")
	if err != nil || row.DesiredGeneration != want || row.ObservedGeneration != want || row.Status != ledger.Ready {
		t.Errorf("the tenant is %s at generation %d of %d (%v), want ready at %d",
			row.Status, row.ObservedGeneration, row.DesiredGeneration, err, want)
	}
}

// wantSame wants the very objects of before, and that nothing was made since.
func (a *aged) wantSame(t *testing.T) {
	t.Helper()
	a.want(t, "now", nil)
	if got := a.dir.ids(t); !maps.Equal(got, a.ids) {
		t.Errorf("the ids are %v, want %v", got, a.ids)
	}
	for _, r := range a.requests(t, a.since) {
		if r.Method == "POST" && (strings.HasSuffix(r.Path, "/customers") || strings.HasSuffix(r.Path, "/subscriptions") || strings.HasSuffix(r.Path, "/organizations")) {
			t.Errorf("something was made: %s %s", r.Method, r.Path)
		}
	}
	a.dir.wantUntainted(t)
}

// ids are the external ids in the ledger, by object.
func (w workdir) ids(t *testing.T) map[string]string {
	t.Helper()
	objects, err := w.ledger(t).Objects(t.Context(), "acme")
	if err != nil {
		t.Fatal(err)
	}
	ids := map[string]string{}
	for _, o := range objects {
		ids[o.Component+"."+o.Object] = o.ExternalID
	}
	return ids
}

// requests are the sandbox's log lines after one.
func (w *world) requests(t *testing.T, after int64) []sandbox.Request {
	t.Helper()
	lines, err := sandbox.Admin{BaseURL: w.sandbox.AdminURL()}.Requests(t.Context(), after)
	if err != nil {
		t.Fatal(err)
	}
	return lines
}

func (w *world) lastRequest(t *testing.T) int64 {
	t.Helper()
	lines := w.requests(t, 0)
	return lines[len(lines)-1].ID
}

func TestC59_ALostStateIsRebuiltFromTheLedger(t *testing.T) {
	t.Parallel()
	a := newAged(t, "loststate")
	a.dir.forget(t, "terraform.tfstate", "terraform.tfstate.backup")
	a.dir.run(t, "apply.log", 0, "apply", "-auto-approve")
	a.wantGeneration(t, 5)
	a.wantSame(t)
	a.dir.run(t, "idle.log", 0, "plan", "-detailed-exitcode")
}

// forget deletes files.
func (w workdir) forget(t *testing.T, names ...string) {
	t.Helper()
	for _, name := range names {
		if err := os.Remove(w.path(name)); err != nil {
			t.Fatal(err)
		}
	}
}

func TestC59_AnOlderStateUnderTheCurrentConfigurationChangesNothing(t *testing.T) {
	t.Parallel()
	a := newAged(t, "olderstate")
	a.dir.push(t, a.state3)
	a.dir.run(t, "apply.log", 0, "apply", "-auto-approve")
	a.wantGeneration(t, 5)
	a.wantSame(t)
	a.dir.run(t, "idle.log", 0, "plan", "-detailed-exitcode")
}

// The backends show the seats; that the data would go with the tenant, and that
// the tenant is protected, only the ledger knows.
func TestC59_AnOlderStateUnderAnOlderConfigurationIsAnExplicitRollback(t *testing.T) {
	t.Parallel()
	a := newAged(t, "rollback")
	a.dir.push(t, a.state3)
	a.dir.configure(t, a.config[3])
	said := a.dir.run(t, "plan.log", 2, "plan", "-detailed-exitcode")
	wantWords(t, said, "0 to add, 1 to change, 0 to destroy", "seats = 7 -> 6", `data = "delete" -> "archive"`, "protection = true -> null", "+ retention_days = 7")
	wantWords(t, a.dir.run(t, "destroy.log", 1, "plan", "-destroy"), "deletion.protection")
	a.dir.run(t, "apply.log", 0, "apply", "-auto-approve")
	a.wantGeneration(t, 6)
	a.wantSame(t)
	a.dir.run(t, "idle.log", 0, "plan", "-detailed-exitcode")
}

func TestC59_ALostLedgerIsRebuiltFromTheState(t *testing.T) {
	t.Parallel()
	a := newAged(t, "lostledger")
	a.dir.loseLedger(t)
	a.dir.run(t, "apply.log", 0, "apply", "-auto-approve")
	a.wantGeneration(t, 1)
	a.wantSame(t)
	a.dir.run(t, "idle.log", 0, "plan", "-detailed-exitcode")
}

// The configuration names the installation, which is all it takes.
func TestC59_WithStateAndLedgerLostEverythingIsAdopted(t *testing.T) {
	t.Parallel()
	a := newAged(t, "lostboth")
	a.dir.loseLedger(t)
	a.dir.forget(t, "terraform.tfstate", "terraform.tfstate.backup")
	a.dir.run(t, "apply.log", 0, "apply", "-auto-approve")
	a.wantGeneration(t, 1)
	a.wantSame(t)
	a.dir.run(t, "idle.log", 0, "plan", "-detailed-exitcode")
}

// loseLedger deletes the ledger's file and what SQLite keeps beside it.
func (w workdir) loseLedger(t *testing.T) {
	t.Helper()
	w.forget(t, "tenant-ledger.db")
	for _, rest := range []string{"-wal", "-shm"} {
		if err := os.Remove(w.path("tenant-ledger.db" + rest)); err != nil && !os.IsNotExist(err) {
			t.Fatal(err)
		}
	}
}
