package transport_test

import (
	"context"
	"errors"
	"io"
	"log"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/tenantplane/terraform-provider-tenant/internal/backend/transport"
	"github.com/tenantplane/terraform-provider-tenant/internal/clock"
	"github.com/tenantplane/terraform-provider-tenant/internal/fault"
)

// patient is a client that does not wait between attempts, and whose attempts
// do not time out however busy the machine.
func patient() *http.Client { return clientWith(0) }

func clientWith(timeout time.Duration) *http.Client {
	return transport.NewClient(transport.Options{Timeout: timeout, Clock: clock.NewVirtual(noon)})
}

func TestErrorsSayWhetherSomethingMayHaveHappened(t *testing.T) {
	untrusted := httptest.NewUnstartedServer(answer(200))
	untrusted.Config.ErrorLog = log.New(io.Discard, "", 0)
	untrusted.StartTLS()
	t.Cleanup(untrusted.Close)
	for name, tc := range map[string]struct {
		url              string
		reading, writing fault.Kind
		code             string
		backendWide      bool
	}{
		"refused":      {refusedAddress(t), fault.Retryable, fault.Retryable, "backend.unreachable", true},
		"no such host": {"http://backend.invalid", fault.Retryable, fault.Retryable, "backend.unreachable", true},
		"timeout":      {serve(t, stall(time.Minute)).url, fault.Retryable, fault.Ambiguous, "backend.timeout", false},
		"hung up":      {serve(t, hangUp).url, fault.Retryable, fault.Ambiguous, "backend.connection_lost", false},
		"certificate":  {untrusted.URL, fault.Terminal, fault.Terminal, "backend.tls", true},
		"wrong scheme": {strings.Replace(serve(t, answer(200)).url, "http:", "https:", 1),
			fault.Terminal, fault.Terminal, "backend.tls", true},
	} {
		t.Run(name, func(t *testing.T) {
			client := patient()
			if name == "timeout" {
				client = clientWith(50 * time.Millisecond)
			}
			_, err := send(t, client, "GET", tc.url+"/v1/things?email=someone", "")
			expect(t, transport.FaultFromError("list things", err, false), tc.reading, tc.code, tc.backendWide)
			_, err = send(t, client, "POST", tc.url+"/v1/things?email=someone", "k")
			f := transport.FaultFromError("create thing", err, true)
			expect(t, f, tc.writing, tc.code, tc.backendWide)
			if !strings.HasPrefix(f.Error(), "create thing: ") || strings.Contains(f.Error(), "someone") {
				t.Errorf("text is %q; want the verb and no query", f)
			}
		})
	}
}

func TestAServerThatDiesBetweenAttemptsLeavesTheOutcomeUnknown(t *testing.T) {
	var server *httptest.Server
	server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		_ = server.Listener.Close()
		hangUp(w, r)
	}))
	t.Cleanup(server.Close)
	_, err := send(t, patient(), "POST", server.URL, "k")
	if f := transport.FaultFromError("create thing", err, true); f.Kind != fault.Ambiguous {
		t.Errorf("got %s (%v); the first attempt may have had an effect", f.Kind, f)
	}
}

func TestACallCutShortByItsCallerIsAmbiguousOnlyWhenItWasSent(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	server := serve(t, func(_ http.ResponseWriter, r *http.Request) {
		cancel()
		<-r.Context().Done()
	})
	for _, want := range []fault.Kind{fault.Ambiguous, fault.Retryable} {
		req, err := http.NewRequestWithContext(ctx, "PUT", server.url, nil)
		if err != nil {
			t.Fatal(err)
		}
		_, err = transport.NewClient(transport.Options{}).Do(req)
		f := transport.FaultFromError("replace rrset", err, true)
		expect(t, f, want, "backend.cancelled", false)
		if !errors.Is(f, context.Canceled) {
			t.Errorf("%v does not lead to the cancellation", f)
		}
	}
}

func TestStatusesBecomeFaults(t *testing.T) {
	const object, page = `{"error":"x"}`, "<html>not here</html>"
	for _, tc := range []struct {
		status           int
		body             string
		reading, writing fault.Kind
		code             string
		backendWide      bool
	}{
		{302, page, fault.Terminal, fault.Terminal, "backend.redirect", true},
		{400, object, fault.Terminal, fault.Terminal, "backend.refused", false},
		{401, object, fault.Terminal, fault.Terminal, "backend.credentials", true},
		{403, page, fault.Terminal, fault.Terminal, "backend.credentials", true},
		{404, object, fault.Retryable, fault.Retryable, "backend.not_found_unproven", false},
		{404, page, fault.Retryable, fault.Retryable, "backend.not_found_unproven", true},
		{410, "", fault.Retryable, fault.Retryable, "backend.not_found_unproven", true},
		{408, object, fault.Retryable, fault.Ambiguous, "backend.unavailable", false},
		{409, object, fault.Terminal, fault.Terminal, "backend.refused", false},
		{422, object, fault.Terminal, fault.Terminal, "backend.refused", false},
		{429, object, fault.Retryable, fault.Retryable, "backend.throttled", true},
		{500, object, fault.Retryable, fault.Ambiguous, "backend.unavailable", false},
		{503, page, fault.Retryable, fault.Ambiguous, "backend.unavailable", true},
	} {
		resp := &http.Response{StatusCode: tc.status, Header: http.Header{"Retry-After": {"5"}}}
		reading := transport.FaultFromStatus(resp, []byte(tc.body), false)
		expect(t, reading, tc.reading, tc.code, tc.backendWide)
		expect(t, transport.FaultFromStatus(resp, []byte(tc.body), true), tc.writing, tc.code, tc.backendWide)
		if reading.RetryAfter != 5*time.Second {
			t.Errorf("%d: RetryAfter is %s, want 5s", tc.status, reading.RetryAfter)
		}
	}
}

func TestAThrottledRepetitionDoesNotHideAnUnknownOutcome(t *testing.T) {
	for name, tc := range map[string]struct {
		first http.HandlerFunc
		want  fault.Kind
	}{
		"first attempt lost":      {hangUp, fault.Ambiguous},
		"first attempt 502":       {answer(502), fault.Ambiguous},
		"first attempt throttled": {answer(429), fault.Retryable},
	} {
		server := serve(t, tc.first, answer(429))
		req, err := http.NewRequestWithContext(t.Context(), "PUT", server.url, nil)
		if err != nil {
			t.Fatal(err)
		}
		resp, err := patient().Do(req)
		if err != nil {
			t.Fatal(err)
		}
		body, _ := io.ReadAll(resp.Body)
		_ = resp.Body.Close()
		if f := transport.FaultFromStatus(resp, body, true); f.Kind != tc.want {
			t.Errorf("%s: got %s, want %s", name, f.Kind, tc.want)
		}
	}
}

func TestOnlyWholeJSONIsAnAnswer(t *testing.T) {
	type thing struct {
		Name string `json:"name"`
	}
	var good thing
	if err := transport.DecodeJSON("read thing", []byte(`{"name":"a"}`), false, &good); err != nil || good.Name != "a" {
		t.Fatalf("got %+v, %v", good, err)
	}
	for _, body := range []string{"", "null", `"x"`, "<html>secret</html>", `{"name":"a`, `{"name":1}`, `{"name":"a"}{}`, `[]`} {
		err := transport.DecodeJSON("read thing", []byte(body), false, new(thing))
		if !fault.Is(err, fault.Retryable) {
			t.Errorf("read of %q: %v, want a retryable fault", body, err)
		}
		err = transport.DecodeJSON("create thing", []byte(body), true, new(thing))
		if !fault.Is(err, fault.Ambiguous) || strings.Contains(err.Error(), "secret") {
			t.Errorf("write answered %q: %v, want an ambiguous fault that does not show it", body, err)
		}
	}
}

func expect(t *testing.T, f *fault.Fault, kind fault.Kind, code string, backendWide bool) {
	t.Helper()
	if f.Kind != kind || f.Code != code || f.BackendWide != backendWide {
		t.Errorf("got %s %s backend-wide=%t (%v); want %s %s %t", f.Kind, f.Code, f.BackendWide, f, kind, code, backendWide)
	}
}
