package transport_test

import (
	"bytes"
	"context"
	"errors"
	"io"
	"log/slog"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/tenantplane/terraform-provider-tenant/internal/backend/transport"
	"github.com/tenantplane/terraform-provider-tenant/internal/clock"
	"github.com/tenantplane/terraform-provider-tenant/internal/fault"
)

var noon = time.Date(2026, 1, 2, 12, 0, 0, 0, time.UTC)

// script is a server that answers each request with the next of its handlers
// and keeps the bodies it was sent.
type script struct {
	url    string
	mu     sync.Mutex
	steps  []http.HandlerFunc
	bodies []string
}

func serve(t *testing.T, steps ...http.HandlerFunc) *script {
	t.Helper()
	s := &script{steps: steps}
	server := httptest.NewServer(s)
	t.Cleanup(server.Close)
	s.url = server.URL
	return s
}

func (s *script) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	body, _ := io.ReadAll(r.Body)
	s.mu.Lock()
	step := s.steps[min(len(s.bodies), len(s.steps)-1)]
	s.bodies = append(s.bodies, string(body))
	s.mu.Unlock()
	step(w, r)
}

func (s *script) received() []string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return append([]string(nil), s.bodies...)
}

func answer(status int, header ...string) http.HandlerFunc {
	return func(w http.ResponseWriter, _ *http.Request) {
		for i := 0; i+1 < len(header); i += 2 {
			w.Header().Set(header[i], header[i+1])
		}
		w.WriteHeader(status)
		_, _ = io.WriteString(w, `{}`)
	}
}

func stall(d time.Duration) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		select {
		case <-time.After(d):
		case <-r.Context().Done():
		}
		answer(200)(w, r)
	}
}

func hangUp(w http.ResponseWriter, _ *http.Request) {
	conn, _, err := http.NewResponseController(w).Hijack()
	if err == nil {
		_ = conn.Close()
	}
}

// send makes one call with body "payload" and returns its final status.
func send(t *testing.T, client *http.Client, method, url, key string) (int, error) {
	t.Helper()
	req, err := http.NewRequestWithContext(t.Context(), method, url, strings.NewReader("payload"))
	if err != nil {
		t.Fatal(err)
	}
	if key != "" {
		req.Header.Set("Idempotency-Key", key)
	}
	resp, err := client.Do(req)
	if err != nil {
		return 0, err
	}
	defer func() { _ = resp.Body.Close() }()
	return resp.StatusCode, nil
}

func TestC64_OnlyCallsThatCannotDoubleAreRepeated(t *testing.T) {
	for _, tc := range []struct {
		method, key string
		first       http.HandlerFunc
		tries       int
	}{
		{"GET", "", answer(502), 2},
		{"PUT", "", answer(503), 2},
		{"DELETE", "", answer(504), 2},
		{"GET", "", answer(429), 2},
		{"POST", "", answer(502), 1},
		{"PATCH", "", answer(503), 1},
		{"POST", "", answer(429), 1},
		{"POST", "k", answer(502), 2},
		{"PATCH", "k", answer(429), 2},
		{"POST", "k", answer(409), 1},
		{"POST", "k", answer(500), 1},
		{"GET", "", answer(404), 1},
		{"GET", "", answer(401), 1},
		{"GET", "", hangUp, 2},
		{"POST", "k", hangUp, 2},
		{"POST", "", hangUp, 1},
	} {
		server := serve(t, tc.first, answer(200))
		client := transport.NewClient(transport.Options{Clock: clock.NewVirtual(noon)})
		_, _ = send(t, client, tc.method, server.url, tc.key)
		bodies := server.received()
		if len(bodies) != tc.tries {
			t.Errorf("%s with key %q: sent %d times, want %d", tc.method, tc.key, len(bodies), tc.tries)
		}
		for i, body := range bodies {
			if body != "payload" {
				t.Errorf("%s with key %q: attempt %d carried body %q", tc.method, tc.key, i+1, body)
			}
		}
	}
}

func TestC64_ASlowAttemptLeavesTheNextOneItsWholeTime(t *testing.T) {
	const timeout = 500 * time.Millisecond
	server := serve(t, stall(timeout*3/2), stall(timeout/5))
	client := transport.NewClient(transport.Options{Timeout: timeout, Clock: clock.NewVirtual(noon)})
	status, err := send(t, client, "POST", server.url, "k")
	if err != nil || status != 200 {
		t.Fatalf("got %d, %v; want 200 on the second attempt", status, err)
	}
	if bodies := server.received(); len(bodies) != 2 || bodies[1] != "payload" {
		t.Fatalf("server got bodies %q, want the payload twice", bodies)
	}
}

func TestC64_WaitsAreCappedWhateverTheServerAsksFor(t *testing.T) {
	for header, want := range map[string]struct{ least, most time.Duration }{
		"999999":                        {20 * time.Second, 20 * time.Second},
		"99999999999999999999":          {20 * time.Second, 20 * time.Second},
		"7":                             {7 * time.Second, 7 * time.Second},
		"Fri, 02 Jan 2026 12:00:09 GMT": {9 * time.Second, 9 * time.Second},
		"Thu, 01 Jan 1970 00:00:00 GMT": {1, time.Second},
		"-5":                            {1, time.Second},
		"soon":                          {1, time.Second},
		"":                              {1, time.Second},
	} {
		server := serve(t, answer(429, "Retry-After", header), answer(200))
		virtual := clock.NewVirtual(noon)
		client := transport.NewClient(transport.Options{Clock: virtual})
		if status, err := send(t, client, "GET", server.url, ""); err != nil || status != 200 {
			t.Fatalf("Retry-After %q: got %d, %v", header, status, err)
		}
		if waited := virtual.Now().Sub(noon); waited < want.least || waited > want.most {
			t.Errorf("Retry-After %q: waited %s, want %s to %s", header, waited, want.least, want.most)
		}
	}
}

func TestC64_AWaitEndsWithTheCallersContext(t *testing.T) {
	server := serve(t, answer(503, "Retry-After", "20"))
	client := transport.NewClient(transport.Options{})
	ctx, cancel := context.WithTimeout(t.Context(), 50*time.Millisecond)
	defer cancel()
	req, err := http.NewRequestWithContext(ctx, "GET", server.url, nil)
	if err != nil {
		t.Fatal(err)
	}
	begun := time.Now()
	_, err = client.Do(req)
	if !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("error is %v, want the context's", err)
	}
	if took := time.Since(begun); took > 5*time.Second {
		t.Errorf("the wait went on for %s", took)
	}
}

func TestAttemptsEndWithTheLastAnswer(t *testing.T) {
	server := serve(t, answer(503))
	client := transport.NewClient(transport.Options{MaxAttempts: 4, Clock: clock.NewVirtual(noon)})
	if status, err := send(t, client, "GET", server.url, ""); err != nil || status != 503 {
		t.Errorf("got %d, %v; want the last 503", status, err)
	}
	if n := len(server.received()); n != 4 {
		t.Errorf("sent %d times, want 4", n)
	}
}

func TestRedirectsAreNotFollowed(t *testing.T) {
	server := serve(t, answer(302, "Location", "/elsewhere"), answer(200))
	client := transport.NewClient(transport.Options{})
	status, err := send(t, client, "POST", server.url, "k")
	if err != nil || status != 302 || len(server.received()) != 1 {
		t.Errorf("got %d, %v after %d requests; want the 302 itself", status, err, len(server.received()))
	}
}

func TestBodiesAreBounded(t *testing.T) {
	server := serve(t, func(w http.ResponseWriter, _ *http.Request) { _, _ = w.Write(make([]byte, 2000)) })
	client := transport.NewClient(transport.Options{MaxBody: 1999})
	_, err := send(t, client, "GET", server.url, "")
	f := transport.FaultFromError("list zones", err, false)
	if f.Code != "backend.malformed" || f.Kind != fault.Retryable || len(server.received()) != 1 {
		t.Errorf("got %s %s (%v) after %d requests", f.Kind, f.Code, f, len(server.received()))
	}
}

func TestABodyThatBreaksOffIsReadAgain(t *testing.T) {
	cut := func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Length", "100")
		_, _ = io.WriteString(w, `{"half":`)
	}
	server := serve(t, cut, answer(200))
	client := transport.NewClient(transport.Options{Clock: clock.NewVirtual(noon)})
	if status, err := send(t, client, "GET", server.url, ""); err != nil || status != 200 {
		t.Errorf("got %d, %v", status, err)
	}
}

func TestLogsHoldNoSecrets(t *testing.T) {
	var log bytes.Buffer
	logger := slog.New(slog.NewTextHandler(&log, &slog.HandlerOptions{Level: slog.LevelDebug}))
	server := serve(t, hangUp, answer(200, "X-Echo", "canary"))
	client := transport.NewClient(transport.Options{Logger: logger, Clock: clock.NewVirtual(noon)})
	req, err := http.NewRequestWithContext(t.Context(), "PUT", server.url+"/things?token=canary", strings.NewReader("canary"))
	if err != nil {
		t.Fatal(err)
	}
	req.Header.Set("Authorization", "Bearer canary")
	resp, err := client.Do(req)
	if err != nil {
		t.Fatal(err)
	}
	_ = resp.Body.Close()
	if strings.Contains(log.String(), "canary") {
		t.Errorf("log shows a secret:\n%s", log.String())
	}
	for _, want := range []string{"method=PUT", "path=/things", "status=200", "attempt=2", "duration="} {
		if !strings.Contains(log.String(), want) {
			t.Errorf("log lacks %q:\n%s", want, log.String())
		}
	}
}

func refusedAddress(t *testing.T) string {
	t.Helper()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = listener.Close() }()
	return "http://" + listener.Addr().String()
}
