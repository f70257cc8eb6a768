package crash_test

import (
	"context"
	"fmt"
	"os"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/tenantplane/terraform-provider-tenant/internal/acctest"
	tenantprovider "github.com/tenantplane/terraform-provider-tenant/internal/provider"
	"github.com/tenantplane/terraform-provider-tenant/internal/sandbox"
	"github.com/tenantplane/terraform-provider-tenant/internal/tenant"
)

var sandboxCredentials = sandbox.KnownCredentials()

// reruns is within how many runs an operation has to converge.
const reruns = 3

// downtime is how long a killed server stays away.
const downtime = 300 * time.Millisecond

// ledgerKind is where a sample's ledger is.
type ledgerKind string

// The ledgers.
const (
	inSQLite   ledgerKind = "sqlite"
	inPostgres ledgerKind = "postgres"
)

var ledgers = []ledgerKind{inSQLite, inPostgres}

// sample is the life of one tenant: created, changed and destroyed, with a
// strike in each.
type sample struct {
	number int
	ledger ledgerKind
	// isolation is the tenant's: a schema or a database of its own.
	isolation string
	victim    victim
	// at says where to strike; an operation without an entry is left alone.
	at map[operation]boundary
	// again is the command that repeats the sample.
	again string
}

// result is what became of one operation of a sample.
type result struct {
	sample    sample
	operation operation
	// passed are the boundaries of the struck run, in order.
	passed []boundary
	// struck is false when the run never came to the boundary.
	struck bool
	// later is how many boundaries it passed after the strike.
	later int
	findings
}

// life is a sample under way.
type life struct {
	sample
	*stage
	dir workdir
	// place is where the ledger is: a path or a URL.
	place string
}

// newLife gives a sample servers and a folder of its own.
func newLife(t *testing.T, s sample) *life {
	t.Helper()
	stage := newStage(t, fmt.Sprintf("s%d", s.number), s.victim)
	l := &life{sample: s, stage: stage, dir: newWorkdir(t, stage.control)}
	l.place = l.dir.path("tenant-ledger.db")
	if s.ledger == inPostgres {
		l.place = acctest.Postgres(t).NewDatabase(t)
	}
	for name, script := range seeds {
		l.dir.write(t, name, script)
	}
	return l
}

// live lives a sample's life.
func (s sample) live(t *testing.T) []result {
	t.Helper()
	l := newLife(t, s)
	var results []result
	for _, op := range operations {
		r := l.operate(t, op)
		if r.any() {
			t.Errorf("%s, %s killed at %s; reproduce it with %s\n%s", op, s.victim, s.at[op], s.again, strings.Join(r.notes, "\n"))
		}
		results = append(results, r)
	}
	return results
}

// operate carries one operation out: struck, and again until it converges.
func (l *life) operate(t *testing.T, op operation) result {
	t.Helper()
	r := result{sample: l.sample, operation: op}
	block := map[ledgerKind]string{inSQLite: "path", inPostgres: "url"}[l.ledger]
	l.dir.write(t, "main.tf", l.config(op, fmt.Sprintf("%s = %q", block, l.place), l.isolation))
	if target, planned := l.at[op]; planned {
		first := l.runStruck(t, op, &r, target)
		l.inspect(t, op, &r, first, false)
	}
	var last execution
	for range reruns {
		last = l.runTerraform(t, op, &r)
		if last.code == 0 {
			l.inspect(t, op, &r, last, true)
			return r
		}
		t.Logf("sample %d did not converge at once: %s", l.number, last)
	}
	r.note(&r.stuck, "%s did not converge: %s", op, last)
	return r
}

// arguments are terraform's for an operation.
func arguments(op operation) []string {
	if op == destroy {
		return []string{"destroy", "-auto-approve"}
	}
	return []string{"apply", "-auto-approve"}
}

// terraformDoes runs terraform undisturbed.
func (l *life) terraformDoes(t *testing.T, args ...string) execution {
	t.Helper()
	l.conductor.begin(strike{})
	_, wait, err := l.dir.start(t.Context(), args...)
	if err != nil {
		t.Fatal(err)
	}
	return wait()
}

// runTerraform runs an operation without a strike. What the first run of a dry
// sample announces is its list of boundaries.
func (l *life) runTerraform(t *testing.T, op operation, r *result) execution {
	t.Helper()
	e := l.terraformDoes(t, arguments(op)...)
	if len(r.passed) == 0 {
		r.passed = l.conductor.current.Load().all()
	}
	return e
}

// runStruck runs an operation and kills the victim at a boundary.
func (l *life) runStruck(t *testing.T, op operation, r *result, target boundary) execution {
	t.Helper()
	started := make(chan int, 1)
	back := make(chan error, 1)
	run := l.conductor.begin(l.strike(target, started, back))
	cmd, wait, err := l.dir.start(t.Context(), arguments(op)...)
	if err != nil {
		t.Fatal(err)
	}
	started <- cmd.Process.Pid
	e := wait()
	if err := run.failure(); err != nil {
		t.Fatalf("kill %s: %v", l.victim, err)
	}
	l.afterStrike(t, r, run, e, back)
	return e
}

// afterStrike waits for what a strike leaves: the provider of a killed
// terraform, a server that comes back.
func (l *life) afterStrike(t *testing.T, r *result, run *run, e execution, back <-chan error) {
	t.Helper()
	if r.struck, _ = run.end(); !r.struck {
		return
	}
	if l.mortal != nil {
		if err := <-back; err != nil {
			t.Fatal(err)
		}
		return
	}
	if e.code == 0 {
		t.Errorf("%s did not notice the death of %s", e, l.victim)
	}
	if l.victim == theTerraform {
		for range leftBehind(l.dir.folder, l.dir.provider) {
			r.note(&r.leftBehind, "a provider process outlived its terraform by %s", patience)
		}
	}
	_, r.later = run.end()
}

// strike prepares the end of the victim.
func (l *life) strike(at boundary, terraform <-chan int, back chan<- error) strike {
	switch {
	case l.mortal != nil:
		return strike{at: at, kill: func() error {
			err := l.mortal.Kill()
			go func() {
				time.Sleep(downtime)
				back <- l.mortal.Restart()
			}()
			return err
		}}
	case l.victim == theTerraform:
		return strike{at: at, goesOn: true, kill: func() error { return syscall.Kill(<-terraform, syscall.SIGKILL) }}
	default:
		return strike{at: at, ends: true, kill: func() error { return killAll(providersIn(l.dir.folder, l.dir.provider)) }}
	}
}

// inspect counts what there is after a run.
func (l *life) inspect(t *testing.T, op operation, r *result, e execution, converged bool) {
	t.Helper()
	state, err := l.dir.state()
	if err != nil {
		t.Fatal(err)
	}
	for range state.tainted() {
		r.note(&r.tainted, "a resource is tainted after %s", e)
	}
	there, err := l.holdings(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	known := l.knowledge(t)
	before := len(r.notes)
	r.countDuplicates(there)
	r.countLost(there, known)
	switch {
	case converged && op == destroy:
		r.countOrphans(there, known, state)
	case converged:
		r.countIncomplete(there, known, state)
		if op == create {
			l.wantNoChanges(t, r)
		}
	}
	if len(r.notes) > before {
		r.notes = append(r.notes, fmt.Sprintf("there is %v; after %s", there, e))
	}
}

// wantNoChanges wants a plan that has nothing to do. One look a life: a run of
// terraform is what a sample's time is made of.
func (l *life) wantNoChanges(t *testing.T, r *result) {
	t.Helper()
	if e := l.terraformDoes(t, "plan", "-detailed-exitcode"); e.code != 0 {
		r.note(&r.stuck, "after %s the plan is not empty: %s", r.operation, e)
	}
}

// knowledge reads the ledger as another process does.
func (l *life) knowledge(t *testing.T) knowledge {
	t.Helper()
	if _, err := os.Stat(l.place); l.ledger == inSQLite && os.IsNotExist(err) {
		return knowledge{} // the provider died before it opened one
	}
	k, err := readLedger(t.Context(), l.place, tenant.ID(l.tenant))
	if err != nil {
		t.Fatal(err)
	}
	return k
}

func readLedger(ctx context.Context, place string, id tenant.ID) (k knowledge, err error) {
	store, err := tenantprovider.OpenLedger(ctx, place)
	if err != nil {
		return k, err
	}
	defer store.Close()
	if k.objects, err = store.Objects(ctx, id); err != nil {
		return k, err
	}
	k.intents, err = store.OpenIntents(ctx, id)
	return k, err
}
