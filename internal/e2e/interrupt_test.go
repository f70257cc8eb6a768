package e2e_test

import (
	"bytes"
	"context"
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"os/exec"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/tenantplane/terraform-provider-tenant/internal/ledger"
)

// gracePeriod is how soon an interrupted run has to end.
const gracePeriod = 10 * time.Second

// slow stands in front of a server and holds one call back: it passes it on
// after a delay, whether or not the client still waits.
type slow struct {
	url string
	// begun is closed when the call is in flight, ended when it took effect.
	begun, ended chan struct{}
}

func newSlow(t *testing.T, behind, method, path string, delay time.Duration) *slow {
	t.Helper()
	target, err := url.Parse(behind)
	if err != nil {
		t.Fatal(err)
	}
	forward := httputil.NewSingleHostReverseProxy(target)
	s := &slow{begun: make(chan struct{}), ended: make(chan struct{})}
	var once sync.Once
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		first := false
		if r.Method == method && strings.HasSuffix(r.URL.Path, path) {
			once.Do(func() { first = true })
		}
		if !first {
			forward.ServeHTTP(w, r)
			return
		}
		body := new(bytes.Buffer)
		_, _ = body.ReadFrom(r.Body) // all of it has to be here before the client may go
		close(s.begun)
		time.Sleep(delay)
		call := httptest.NewRequestWithContext(context.WithoutCancel(r.Context()), r.Method, r.URL.String(), body)
		call.Header = r.Header.Clone()
		answer := httptest.NewRecorder()
		forward.ServeHTTP(answer, call)
		close(s.ended)
		for name, values := range answer.Header() {
			w.Header()[name] = values
		}
		w.WriteHeader(answer.Code)
		_, _ = w.Write(answer.Body.Bytes())
	}))
	t.Cleanup(server.Close)
	s.url = server.URL
	return s
}

// interrupt is how people and machines stop a run.
type interrupt struct {
	// group: the whole process group hears of it, as with Ctrl-C in a terminal;
	// otherwise terraform alone, as with a runner that is cancelled.
	group bool
	times int
}

var interrupts = map[string]interrupt{
	"once":   {group: true, times: 1},
	"runner": {times: 1},
	"twice":  {group: true, times: 2},
}

// interruptedRun runs terraform until moment, interrupts it, and wants it to end soon.
func (w workdir) interruptedRun(t *testing.T, how interrupt, moment <-chan struct{}, log string, args ...string) string {
	t.Helper()
	cmd, output := w.command(t, log, args...)
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	ended := make(chan error, 1)
	go func() { ended <- cmd.Wait() }()
	select {
	case <-moment:
	case err := <-ended:
		t.Fatalf("terraform ended too early: %v\n%s", err, output)
	case <-time.After(time.Minute):
		t.Fatal("nothing happened within a minute")
	}
	begun := time.Now()
	for range how.times {
		signalTo(t, cmd, how.group)
		time.Sleep(10 * time.Millisecond) // else the kernel makes one signal of two
	}
	select {
	case err := <-ended:
		if took := time.Since(begun); took > gracePeriod {
			t.Errorf("terraform took %s to stop", took)
		}
		if heard := strings.Contains(output.String(), "Two interrupts received"); err == nil || heard != (how.times > 1) {
			t.Errorf("terraform did not hear of %d interrupts: %v\n%s", how.times, err, output)
		}
	case <-time.After(3 * gracePeriod):
		_ = syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL)
		t.Fatalf("terraform does not stop:\n%s", output)
	}
	return output.String()
}

func signalTo(t *testing.T, cmd *exec.Cmd, group bool) {
	t.Helper()
	pid := cmd.Process.Pid
	if group {
		pid = -pid
	}
	if err := syscall.Kill(pid, syscall.SIGINT); err != nil {
		t.Errorf("interrupt terraform: %v", err)
	}
}

// wantRemembered wants the ledger to know the customer or the wish for one.
func (w workdir) wantRemembered(t *testing.T, component, object string) {
	t.Helper()
	if w.ids(t)[component+"."+object] != "" {
		return
	}
	intents, err := w.ledger(t).OpenIntents(t.Context(), "acme")
	if err != nil {
		t.Fatal(err)
	}
	for _, i := range intents {
		if i.Component == component && i.Object == object {
			return
		}
	}
	t.Errorf("the ledger has neither an id nor an intent of %s.%s: %+v", component, object, intents)
}

// TestC56_InterruptedWhileACustomerIsBeingMade interrupts while the billing
// call is in flight; the customer is made 2 s later.
func TestC56_InterruptedWhileACustomerIsBeingMade(t *testing.T) {
	for name, how := range interrupts {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			id := "make" + name
			w := newWorld(t, id)
			stripe := newSlow(t, w.sandbox.StripeURL(), http.MethodPost, "/customers", 2*time.Second)
			dir := newWorkdir(t, strings.Replace(w.config(id, w.dns.URL), w.sandbox.StripeURL(), stripe.url, 1))
			w.watch(t)
			dir.interruptedRun(t, how, stripe.begun, "interrupted.log", "apply", "-auto-approve")
			dir.wantRemembered(t, "billing", "customer")
			dir.wantUntainted(t)
			<-stripe.ended
			dir.run(t, "resume.log", 0, "apply", "-auto-approve")
			w.want(t, "after the resumption", nil)
			dir.wantTenant(t, ledger.Ready, 1)
			dir.wantUntainted(t)
			dir.run(t, "idle.log", 0, "plan", "-detailed-exitcode")
		})
	}
}

// TestC56_InterruptedWhileWaitingForABackend interrupts while an apply waits
// between two tries.
func TestC56_InterruptedWhileWaitingForABackend(t *testing.T) {
	t.Parallel()
	w := newWorld(t, "waiting")
	dns := newGate(t, w.dns.URL)
	dir := newWorkdir(t, w.config("waiting", dns.url))
	w.watch(t)
	said := dir.interruptedRun(t, interrupts["once"], dns.refusals(4), "interrupted.log", "apply", "-auto-approve")
	wantWords(t, said, "Tenant acme is not ready")
	w.want(t, "after the interruption", map[string]int{"rrset": 0})
	if n := dir.wantUntainted(t); n == 0 {
		t.Error("the tenant is not in state")
	}
	for kind, id := range dir.ids(t) {
		if id == "" && kind != "domain.record" {
			t.Errorf("the id of %s is not recorded", kind)
		}
	}
	dns.open()
	dir.run(t, "resume.log", 0, "apply", "-auto-approve")
	w.want(t, "after the resumption", nil)
	dir.wantTenant(t, ledger.Ready, 1)
}

// TestC56_InterruptedWhileItIsDestroyed interrupts a destroy in the middle and
// one that waits for a backend; the next destroy finishes it.
func TestC56_InterruptedWhileItIsDestroyed(t *testing.T) {
	for name, how := range interrupts {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			id := "end" + name
			w := newWorld(t, id)
			dns := newGate(t, w.dns.URL)
			dns.open()
			dir := newWorkdir(t, w.config(id, dns.url))
			w.watch(t)
			dir.run(t, "apply.log", 0, "apply", "-auto-approve")
			dns.shut()
			dir.interruptedRun(t, how, dns.refusals(3), "interrupted.log", "destroy", "-auto-approve")
			row, err := dir.ledger(t).Tenant(t.Context(), "acme")
			if err != nil || row.Status != ledger.Deleting {
				t.Errorf("the tenant is %s (%v), want deleting", row.Status, err)
			}
			dir.wantUntainted(t)
			dns.open()
			dir.run(t, "resume.log", 0, "destroy", "-auto-approve")
			w.want(t, "after the second destroy", noneLeft)
		})
	}
}

// gate stands in front of DNS and cuts every change while it is shut: what is
// read is answered, so that a plan passes.
type gate struct {
	url     string
	mu      sync.Mutex
	passes  bool
	refused int
	waiting map[int]chan struct{}
}

func newGate(t *testing.T, behind string) *gate {
	t.Helper()
	target, err := url.Parse(behind)
	if err != nil {
		t.Fatal(err)
	}
	forward := httputil.NewSingleHostReverseProxy(target)
	g := &gate{waiting: map[int]chan struct{}{}}
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Method == http.MethodPatch && !g.pass() {
			w.WriteHeader(http.StatusServiceUnavailable)
			return
		}
		forward.ServeHTTP(w, r)
	}))
	t.Cleanup(server.Close)
	g.url = server.URL
	return g
}

func (g *gate) pass() bool {
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.passes {
		return true
	}
	g.refused++
	if reached, wanted := g.waiting[g.refused]; wanted {
		close(reached)
	}
	return false
}

func (g *gate) open() { g.set(true) }
func (g *gate) shut() { g.set(false) }

func (g *gate) set(passes bool) {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.passes = passes
}

// refusals is closed at the n-th refusal from now.
func (g *gate) refusals(n int) <-chan struct{} {
	g.mu.Lock()
	defer g.mu.Unlock()
	reached := make(chan struct{})
	g.waiting[g.refused+n] = reached
	return reached
}
