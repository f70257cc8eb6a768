package provider_test

import (
	"io"
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"sync"
	"testing"
)

// proxy stands in front of a real server and can be told to misbehave.
type proxy struct {
	*httptest.Server
	mu     sync.Mutex
	method string
	fail   func(http.ResponseWriter, *http.Request)
}

// inFrontOf starts a proxy that passes everything on.
func inFrontOf(t *testing.T, address string) *proxy {
	t.Helper()
	target, err := url.Parse(address)
	if err != nil {
		t.Fatal(err)
	}
	p := &proxy{}
	real := httputil.NewSingleHostReverseProxy(target)
	p.Server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if fail := p.failure(r.Method); fail != nil {
			fail(w, r)
			return
		}
		real.ServeHTTP(w, r)
	}))
	t.Cleanup(p.Close)
	return p
}

func (p *proxy) failure(method string) func(http.ResponseWriter, *http.Request) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.method != "" && p.method != method {
		return nil
	}
	return p.fail
}

func (p *proxy) misbehave(method string, fail func(http.ResponseWriter, *http.Request)) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.method, p.fail = method, fail
}

// answer answers every call of a method, "" for all, with status and body.
func (p *proxy) answer(method string, status int, body string) {
	p.misbehave(method, func(w http.ResponseWriter, _ *http.Request) {
		w.WriteHeader(status)
		_, _ = io.WriteString(w, body)
	})
}

// hang never answers calls of a method.
func (p *proxy) hang(method string) {
	p.misbehave(method, func(_ http.ResponseWriter, r *http.Request) {
		_, _ = io.Copy(io.Discard, r.Body) // else the server does not see the client go
		<-r.Context().Done()
	})
}

// heal passes everything on again.
func (p *proxy) heal() { p.misbehave("", nil) }
