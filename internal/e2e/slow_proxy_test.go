package e2e_test

import (
	"bytes"
	"context"
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"strings"
	"sync"
	"testing"
	"time"
)

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
