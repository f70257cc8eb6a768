package crash_test

import (
	"syscall"
	"testing"
	"time"
)

// downtime is how long a killed server stays away.
const downtime = 300 * time.Millisecond

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
		// The announcement of a ledger write passes; the write meets the loss.
		return strike{at: at, goesOn: l.victim == theLedger, kill: func() error {
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
