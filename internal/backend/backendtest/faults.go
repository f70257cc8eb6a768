package backendtest

import (
	"errors"
	"io"
	"net/http"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/tenantplane/terraform-provider-tenant/internal/backend"
	"github.com/tenantplane/terraform-provider-tenant/internal/fault"
)

// faulty is a transport that can be told to misbehave. Zero misbehaves never.
type faulty struct {
	mode atomic.Pointer[func(*http.Request) (*http.Response, error)]
}

// RoundTrip implements http.RoundTripper.
func (f *faulty) RoundTrip(r *http.Request) (*http.Response, error) {
	if mode := f.mode.Load(); mode != nil {
		return (*mode)(r)
	}
	return http.DefaultTransport.RoundTrip(r)
}

func (f *faulty) set(mode func(*http.Request) (*http.Response, error)) { f.mode.Store(&mode) }
func (f *faulty) heal()                                                { f.mode.Store(nil) }

// errLost is what a client sees when the connection breaks.
var errLost = errors.New("connection reset by peer (injected)")

// loseAnswer lets mutating requests take effect and drops the answer.
func loseAnswer(r *http.Request) (*http.Response, error) {
	response, err := http.DefaultTransport.RoundTrip(r)
	if err != nil || r.Method == http.MethodGet || r.Method == http.MethodHead || strings.HasSuffix(r.URL.Path, "/token") {
		return response, err
	}
	_, _ = io.Copy(io.Discard, response.Body)
	_ = response.Body.Close()
	return nil, errLost
}

// answer replies without asking the server.
func answer(status int, contentType, body string, headers ...string) func(*http.Request) (*http.Response, error) {
	return func(r *http.Request) (*http.Response, error) {
		if r.Body != nil {
			_, _ = io.Copy(io.Discard, r.Body)
			_ = r.Body.Close()
		}
		header := http.Header{"Content-Type": {contentType}}
		for i := 0; i+1 < len(headers); i += 2 {
			header.Set(headers[i], headers[i+1])
		}
		return &http.Response{
			StatusCode: status, Status: http.StatusText(status), Proto: "HTTP/1.1", ProtoMajor: 1, ProtoMinor: 1,
			Header: header, Body: io.NopCloser(strings.NewReader(body)), ContentLength: int64(len(body)), Request: r,
		}, nil
	}
}

func runFaults(t *testing.T, s Suite) {
	t.Run("a lost answer is ambiguous and probing finds the one object", func(t *testing.T) { lostAnswer(t, s) })
	for name, mode := range map[string]func(*http.Request) (*http.Response, error){
		"a 503":                 answer(http.StatusServiceUnavailable, "application/json", `{"error":"unavailable"}`, "Retry-After", "0"),
		"a throttled call":      answer(http.StatusTooManyRequests, "application/json", `{"error":"slow down"}`, "Retry-After", "0"),
		"refused credentials":   answer(http.StatusUnauthorized, "application/json", `{"error":"unauthorized"}`),
		"a proxy's HTML 404":    answer(http.StatusNotFound, "text/html", "<html><body>no such page</body></html>"),
		"an empty 404":          answer(http.StatusNotFound, "text/plain", ""),
		"an HTML page":          answer(http.StatusOK, "text/html", "<html><body>please log in</body></html>"),
		"a truncated answer":    answer(http.StatusOK, "application/json", `{"id": "x", "data": [`),
		"a broken connection":   func(*http.Request) (*http.Response, error) { return nil, errLost },
		"an unauthorized proxy": answer(http.StatusForbidden, "text/html", "<html>forbidden</html>"),
	} {
		t.Run(name+" is not absence", func(t *testing.T) { notAbsence(t, s, mode) })
	}
}

func lostAnswer(t *testing.T, s Suite) {
	transport := &faulty{}
	w := newWorld(t, s, transport)
	for _, want := range w.wants(s.Spec) {
		transport.set(loseAnswer)
		if _, err := w.ensure(want, nil); !fault.Is(err, fault.Ambiguous) {
			t.Errorf("ensure %s with the answer lost: got %v, want an Ambiguous fault", key(want.Target), err)
		}
		transport.heal()
		again := w.mustEnsure(resumed(want), nil)
		delete(w.ids, key(want.Target))
		found := w.mustObserve(want)
		w.check("observe", want, found)
		if found.ExternalID != again.ExternalID {
			t.Errorf("%s exists twice: %s and %s", key(want.Target), found.ExternalID, again.ExternalID)
		}
		w.ids[key(want.Target)] = again.ExternalID
	}
}

// resumed marks a want as the executor does when an intent for it was open.
func resumed(want backend.Want) backend.Want {
	inputs := map[string]string{backend.ResumeInput: "true"}
	for name, value := range want.Inputs {
		inputs[name] = value
	}
	want.Inputs = inputs
	return want
}

func notAbsence(t *testing.T, s Suite, mode func(*http.Request) (*http.Response, error)) {
	transport := &faulty{}
	w := newWorld(t, s, transport)
	wants := w.makeAll()
	transport.set(mode)
	for _, want := range wants {
		_, err := w.backend.Observe(t.Context(), w.target(want))
		if err == nil || fault.Is(err, fault.NotFound) {
			t.Errorf("observe %s: got %v, want an error that is not absence", key(want.Target), err)
		}
		if _, err := w.backend.Remove(t.Context(), w.removal(want, "")); err == nil {
			t.Errorf("remove %s: reported success", key(want.Target))
		}
	}
	transport.heal()
	for _, want := range wants {
		w.check("observe", want, w.mustObserve(want))
	}
}
