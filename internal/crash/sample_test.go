package crash_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/tenantplane/terraform-provider-tenant/internal/acctest"
)

// reruns is within how many runs an operation has to converge.
const reruns = 3

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
	// reruns is how many further runs it took to converge.
	reruns int
	findings
}

// String says what was done and how to do it again.
func (r result) String() string {
	what := fmt.Sprintf("%s without a kill", r.operation)
	if at, planned := r.sample.at[r.operation]; planned {
		what = fmt.Sprintf("%s, %s killed at %s", r.operation, r.sample.victim, at)
	}
	return fmt.Sprintf("sample %d: %s; %s", r.sample.number, what, r.sample.again)
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
		l.place = l.ledgerServer(t).NewDatabase(t)
	}
	for name, script := range seeds {
		l.dir.write(t, name, script)
	}
	return l
}

// ledgerServer is where a PostgreSQL ledger is: a server of its own when that
// is to be killed.
func (l *life) ledgerServer(t *testing.T) acctest.PostgresServer {
	t.Helper()
	if l.victim != theLedger {
		return acctest.Postgres(t)
	}
	server, mortal := acctest.OwnPostgres(t)
	l.mortal = mortal
	t.Cleanup(mortal.End)
	return server
}

// live lives a sample's life.
func (s sample) live(t *testing.T) []result {
	t.Helper()
	l := newLife(t, s)
	var results []result
	for _, op := range operations {
		r := l.operate(t, op)
		if r.any() {
			t.Errorf("%s\n%s", r, strings.Join(r.notes, "\n"))
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
	for r.reruns < reruns {
		r.reruns++
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
