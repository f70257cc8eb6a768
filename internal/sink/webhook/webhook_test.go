package webhook_test

import (
	"encoding/base64"
	"errors"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"time"

	standardwebhooks "github.com/standard-webhooks/standard-webhooks/libraries/go"

	"github.com/tenantplane/terraform-provider-tenant/internal/clock"
	"github.com/tenantplane/terraform-provider-tenant/internal/fault"
	"github.com/tenantplane/terraform-provider-tenant/internal/sink"
	"github.com/tenantplane/terraform-provider-tenant/internal/sink/sinktest"
	"github.com/tenantplane/terraform-provider-tenant/internal/sink/webhook"
)

var (
	current = "whsec_" + base64.StdEncoding.EncodeToString([]byte("the current secret of this test"))
	next    = "whsec_" + base64.StdEncoding.EncodeToString([]byte("the next secret of this test !!"))
)

// receiver checks each signature with the reference library.
type receiver struct {
	t        *testing.T
	server   *httptest.Server
	address  string
	mu       sync.Mutex
	bodies   []string
	refused  string
	answer   int
	header   http.Header
	verifier *standardwebhooks.Webhook
}

func newReceiver(t *testing.T, secret string) *receiver {
	t.Helper()
	verifier, err := standardwebhooks.NewWebhook(secret)
	if err != nil {
		t.Fatal(err)
	}
	r := &receiver{t: t, verifier: verifier, header: http.Header{}}
	r.listen("127.0.0.1:0")
	return r
}

func (r *receiver) listen(address string) {
	r.t.Helper()
	listener, err := (&net.ListenConfig{}).Listen(r.t.Context(), "tcp", address)
	if err != nil {
		r.t.Fatal(err)
	}
	r.server = &httptest.Server{Listener: listener, Config: &http.Server{Handler: http.HandlerFunc(r.take)}}
	r.server.Start()
	r.address = listener.Addr().String()
	r.t.Cleanup(r.server.Close)
}

func (r *receiver) take(w http.ResponseWriter, request *http.Request) {
	body, err := io.ReadAll(request.Body)
	if err == nil {
		err = r.verifier.Verify(body, request.Header)
	}
	if err != nil {
		w.WriteHeader(http.StatusUnauthorized)
		return
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	for name, values := range r.header {
		w.Header()[name] = values
	}
	switch {
	case r.answer != 0:
		w.WriteHeader(r.answer)
	case r.refused != "" && strings.Contains(string(body), r.refused):
		w.WriteHeader(http.StatusUnprocessableEntity)
	default:
		r.bodies = append(r.bodies, string(body))
		w.WriteHeader(http.StatusNoContent)
	}
}

func (r *receiver) sink(secrets ...string) sink.Sink {
	r.t.Helper()
	s, err := webhook.New("http://"+r.address+"/hook", secrets, nil, clock.System{})
	if err != nil {
		r.t.Fatal(err)
	}
	return s
}

func TestConformance(t *testing.T) {
	var r *receiver
	sinktest.Run(t, sinktest.Suite{
		Open:     func(t *testing.T) sink.Sink { r = newReceiver(t, current); return r.sink(current) },
		Received: func(*testing.T) []string { return r.bodies },
		Stop:     func(*testing.T) { r.server.Close() },
		Start:    func(*testing.T) { r.listen(r.address) },
		Refuse:   func(_ *testing.T, word string) { r.refused = word },
	})
}

var message = sink.Message{ID: "msg-1", Tenant: "acme", Type: "tenant.deleted.v1", Body: []byte(`{"id":"msg-1"}`)}

func TestAReceiverMayChangeFromOneSecretToTheNext(t *testing.T) {
	for _, secret := range []string{current, next} {
		r := newReceiver(t, secret)
		if err := r.sink(next, current).Deliver(t.Context(), message); err != nil {
			t.Errorf("a receiver that knows one of two: %v", err)
		}
		if err := r.sink(secret).Deliver(t.Context(), message); err != nil {
			t.Error(err)
		}
	}
	if err := newReceiver(t, next).sink(current).Deliver(t.Context(), message); err == nil {
		t.Error("a receiver took what another secret signed")
	}
}

func TestAnAnswerIsARefusalOrAnOutage(t *testing.T) {
	for code, want := range map[int]fault.Kind{
		400: fault.Terminal, 409: fault.Terminal, 413: fault.Terminal, 422: fault.Terminal,
		301: fault.Retryable, 307: fault.Retryable, 401: fault.Retryable, 403: fault.Retryable, 404: fault.Retryable, 408: fault.Retryable,
		410: fault.Retryable, 425: fault.Retryable, 429: fault.Retryable, 500: fault.Retryable, 503: fault.Retryable,
	} {
		r := newReceiver(t, current)
		r.answer = code
		r.header.Set("Location", "http://"+r.address+"/elsewhere")
		if err := r.sink(current).Deliver(t.Context(), message); !fault.Is(err, want) {
			t.Errorf("%d: got %v, want %s", code, err, want)
		}
	}
}

func TestAReceiverMayAskForTimeWithinBounds(t *testing.T) {
	for header, want := range map[string]time.Duration{
		"30": 30 * time.Second, "999999": time.Hour, "-5": 0, "soon": 0,
		time.Now().Add(-time.Hour).UTC().Format(http.TimeFormat): 0,
	} {
		r := newReceiver(t, current)
		r.answer = http.StatusTooManyRequests
		r.header.Set("Retry-After", header)
		var f *fault.Fault
		if err := r.sink(current).Deliver(t.Context(), message); !errors.As(err, &f) || f.RetryAfter != want {
			t.Errorf("Retry-After %q: %v, want to wait %s", header, err, want)
		}
	}
}

func TestAnErrorDoesNotHoldTheURL(t *testing.T) {
	s, err := webhook.New("http://user:hunter2@127.0.0.1:1/hook?token=hunter3", []string{current}, nil, clock.System{})
	if err != nil {
		t.Fatal(err)
	}
	if err := s.Deliver(t.Context(), message); err == nil || strings.Contains(err.Error(), "hunter") {
		t.Errorf("the error is %v", err)
	}
}

func TestASinkThatCouldNotBeTrustedIsRefused(t *testing.T) {
	for name, c := range map[string]struct {
		url     string
		secrets []string
	}{
		"no URL": {"", []string{current}}, "another scheme": {"ftp://example.com", []string{current}},
		"no secret": {"https://example.com", nil}, "a short secret": {"https://example.com", []string{"whsec_c2hvcnQ="}},
		"no base64": {"https://example.com", []string{"whsec_!"}},
	} {
		if _, err := webhook.New(c.url, c.secrets, nil, clock.System{}); err == nil || strings.Contains(err.Error(), "c2hvcnQ") {
			t.Errorf("%s: %v", name, err)
		}
	}
}
