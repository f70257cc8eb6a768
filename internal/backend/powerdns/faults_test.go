package powerdns

import (
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/tenantplane/terraform-provider-tenant/internal/backend"
	"github.com/tenantplane/terraform-provider-tenant/internal/component/domain"
	"github.com/tenantplane/terraform-provider-tenant/internal/fault"
	"github.com/tenantplane/terraform-provider-tenant/internal/tenant"
)

const canary = "canary-key-4711"

// brittle is an API that answers every request of one method in one way, and
// serves one empty zone otherwise.
type brittle struct {
	method string
	answer http.HandlerFunc
	hits   atomic.Int64
}

func (b *brittle) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	w.Header().Set("Content-Type", "application/json")
	switch {
	case r.Method == b.method:
		b.hits.Add(1)
		b.answer(w, r)
	case strings.HasSuffix(r.URL.Path, "/zones"):
		_, _ = w.Write([]byte(`[{"id":"c12.example.","name":"c12.example."}]`))
	case strings.HasSuffix(r.URL.Path, "/search-data"):
		_, _ = w.Write([]byte(`[]`))
	default:
		_, _ = w.Write([]byte(`{"id":"c12.example.","name":"c12.example.","rrsets":[]}`))
	}
}

func status(code int, body string) http.HandlerFunc {
	return func(w http.ResponseWriter, _ *http.Request) {
		w.WriteHeader(code)
		_, _ = w.Write([]byte(body))
	}
}

func hang(_ http.ResponseWriter, r *http.Request) {
	_, _ = io.Copy(io.Discard, r.Body) // only then does the server notice that the client left
	select {
	case <-r.Context().Done():
	case <-time.After(10 * time.Second):
	}
}

// c12 opens the driver on a brittle server and returns a want for it.
func c12(t *testing.T, server *brittle, options ...string) (backend.Backend, backend.Want) {
	t.Helper()
	listener := httptest.NewServer(server)
	t.Cleanup(listener.Close)
	settings := backend.Settings{
		Options: map[string]string{"url": listener.URL, "api_key": canary}, Path: "domain.powerdns", Timeout: 500 * time.Millisecond,
	}
	for i := 0; i+1 < len(options); i += 2 {
		settings.Options[options[i]] = options[i+1]
	}
	opened, f := Driver().Open(settings)
	if f != nil {
		t.Fatalf("open: %v", f)
	}
	subject := tenant.Subject{Installation: "itest", ID: "northstar", Region: "test"}
	objects, faults := domain.Component{}.Compile(subject, tenant.Deletion{}, json.RawMessage(`{"hostname":"acme.c12.example","target":"edge.example.net"}`))
	if len(faults) > 0 {
		t.Fatalf("compile: %v", faults)
	}
	return opened, backend.Want{
		Target: backend.Target{Subject: subject, Component: "domain", Object: "record", Name: objects[0].Name, Path: objects[0].Path},
		Fields: objects[0].Fields,
	}
}

// NOTAUTH and REFUSED are RFC 2136 words, and no backend speaks it yet: what an
// API over HTTP says instead is 401, 403 and 404. SERVFAIL is its 500, NXDOMAIN
// a zone without the name.
func TestC12_RefusalsOfAReadAreSorted(t *testing.T) {
	for name, tc := range map[string]struct {
		answer      http.HandlerFunc
		options     []string
		kind        fault.Kind
		code        string
		backendWide bool
	}{
		"wrong key":            {status(401, "Unauthorized"), nil, fault.Terminal, "backend.credentials", true},
		"address not admitted": {status(403, "Forbidden"), nil, fault.Terminal, "backend.credentials", true},
		"unknown server id":    {status(404, "Not Found"), nil, fault.Terminal, "domain.server_unknown", true},
		"unknown zone":         {status(404, `{"error":"Could not find domain 'c12.example.'"}`), []string{"zone", "c12.example"}, fault.Terminal, "domain.zone_unknown", true},
		"a proxy's 404":        {status(404, "<html>nothing here</html>"), []string{"zone", "c12.example"}, fault.Retryable, "backend.not_found_unproven", true},
		"SERVFAIL within":      {status(500, `{"error":"backend failed"}`), nil, fault.Retryable, "backend.unavailable", false},
		"503":                  {status(503, ""), nil, fault.Retryable, "backend.unavailable", true},
		"timeout":              {hang, nil, fault.Retryable, "backend.timeout", false},
		"a null":               {status(200, "null"), nil, fault.Retryable, "backend.malformed", false},
		"no rrsets":            {status(200, `{"name":"c12.example."}`), []string{"zone", "c12.example"}, fault.Retryable, "backend.malformed", false},
		"null rrsets":          {status(200, `{"name":"c12.example.","rrsets":null}`), []string{"zone", "c12.example"}, fault.Retryable, "backend.malformed", false},
		"another zone":         {status(200, `{"name":"other.example.","rrsets":[]}`), []string{"zone", "c12.example"}, fault.Retryable, "backend.malformed", false},
		"NXDOMAIN":             {status(200, `{"name":"c12.example.","rrsets":[]}`), []string{"zone", "c12.example"}, fault.NotFound, "domain.absent", false},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			opened, want := c12(t, &brittle{method: http.MethodGet, answer: tc.answer}, tc.options...)
			_, err := opened.Observe(t.Context(), want.Target)
			f := fault.From(err)
			if f == nil || f.Kind != tc.kind || f.Code != tc.code || f.BackendWide != tc.backendWide {
				t.Fatalf("observe: got %+v, want %s %s backend-wide=%t", f, tc.kind, tc.code, tc.backendWide)
			}
			if !strings.HasPrefix(err.Error(), "powerdns: observe domain.record: ") || strings.Contains(err.Error(), canary) {
				t.Errorf("the text is %q", err)
			}
			if tc.kind == fault.NotFound {
				return
			}
			if _, err := opened.Remove(t.Context(), backend.Removal{Target: want.Target}); err == nil || fault.Is(err, fault.NotFound) {
				t.Errorf("remove: got %v, want an error that is not absence", err)
			}
			if faults := opened.(backend.Checker).Check(t.Context(), []backend.Want{want, want}); len(faults) == 0 || faults[0].Kind != tc.kind || tc.backendWide && len(faults) > 1 {
				t.Errorf("check: got %v", faults)
			}
		})
	}
}

func TestC12_RefusalsOfAWriteAreSortedAndNeverRepeated(t *testing.T) {
	for name, tc := range map[string]struct {
		answer http.HandlerFunc
		kind   fault.Kind
		code   string
		says   string
	}{
		"refused":       {status(422, `{"error":"RRset acme.c12.example. IN CNAME: Conflicts with pre-existing RRset"}`), fault.Terminal, "domain.refused", "domain.hostname: PowerDNS refuses the change: RRset acme.c12.example. IN CNAME: Conflicts"},
		"wrong key":     {status(401, "Unauthorized"), fault.Terminal, "backend.credentials", "domain.powerdns.api_key"},
		"zone vanished": {status(404, "Not Found"), fault.Terminal, "domain.zone_unknown", "c12.example."},
		"throttled":     {status(429, ""), fault.Retryable, "backend.throttled", ""},
		"500":           {status(500, `{"error":"boom"}`), fault.Ambiguous, "backend.unavailable", "boom"},
		"503":           {status(503, ""), fault.Ambiguous, "backend.unavailable", ""},
		"timeout":       {hang, fault.Ambiguous, "backend.timeout", ""},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			server := &brittle{method: http.MethodPatch, answer: tc.answer}
			opened, want := c12(t, server)
			_, err := opened.Ensure(t.Context(), want)
			f := fault.From(err)
			if f == nil || f.Kind != tc.kind || f.Code != tc.code || !strings.Contains(err.Error(), tc.says) || strings.Contains(err.Error(), canary) {
				t.Errorf("ensure: got %+v (%v), want %s %s saying %q", f, err, tc.kind, tc.code, tc.says)
			}
			if n := server.hits.Load(); n != 1 {
				t.Errorf("the write was sent %d times", n)
			}
		})
	}
}

func TestAnUnreachableServerPausesTheBackend(t *testing.T) {
	opened, want := c12(t, &brittle{}, "url", "http://127.0.0.1:1")
	_, err := opened.Observe(t.Context(), want.Target)
	if f := fault.From(err); f == nil || f.Kind != fault.Retryable || !f.BackendWide {
		t.Errorf("got %+v, want a backend-wide Retryable fault", f)
	}
}

func TestSettingsThatCannotWorkAreRefusedWithoutAnyCall(t *testing.T) {
	good := map[string]string{"url": "https://dns.example.com:8081", "api_key": canary}
	for name, tc := range map[string]struct{ option, value, path string }{
		"no url":            {"url", "", "domain.powerdns.url"},
		"not a url":         {"url", "dns.example.com:8081", "domain.powerdns.url"},
		"another scheme":    {"url", "ftp://dns.example.com", "domain.powerdns.url"},
		"broken url":        {"url", "http://dns example\x7f", "domain.powerdns.url"},
		"password in url":   {"url", "https://admin:" + canary + "@dns.example.com", "domain.powerdns.url"},
		"no key":            {"api_key", "", "domain.powerdns.api_key"},
		"not a zone's name": {"zone", "a..example", "domain.powerdns.zone"},
	} {
		options := map[string]string{tc.option: tc.value}
		for option, value := range good {
			if option != tc.option {
				options[option] = value
			}
		}
		_, f := Driver().Open(backend.Settings{Options: options, Path: "domain.powerdns"})
		if f == nil || f.Kind != fault.Terminal || f.Path != tc.path || f.Action == "" || strings.Contains(f.Error(), canary) {
			t.Errorf("%s: got %v, want a Terminal fault at %s", name, f, tc.path)
		}
	}
	for _, url := range []string{"https://dns.example.com:8081", "https://dns.example.com:8081/", "https://dns.example.com:8081/api/v1/"} {
		good["url"] = url
		b := openTest(t, good, nil)
		if b.api.server != "https://dns.example.com:8081/api/v1/servers/localhost" {
			t.Errorf("url %s became %s", url, b.api.server)
		}
	}
}
