package keycloak

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/tenantplane/terraform-provider-tenant/internal/backend"
	"github.com/tenantplane/terraform-provider-tenant/internal/component/identity"
	"github.com/tenantplane/terraform-provider-tenant/internal/tenant"
)

const (
	canary    = "s3cret-canary"
	listPath  = "GET /admin/realms/tenants/organizations"
	onePath   = "/admin/realms/tenants/organizations/o1"
	tokenPath = "POST /realms/tenants/protocol/openid-connect/token"
)

var northstar = tenant.Subject{Installation: "prod1", ID: "northstar-us", DisplayName: "Northstar", Region: "us-east"}

// reply is one answer of a script.
type reply struct {
	status int
	body   string
	header map[string]string
}

// script plays a Keycloak: each "METHOD path" has replies, of which the last
// repeats. It issues the tokens "token-1", "token-2"… and keeps what it got.
type script struct {
	url     string
	mu      sync.Mutex
	replies map[string][]reply
	calls   []string
	bodies  map[string]string
	bearers []string
	tokens  int
	life    int
}

func play(t *testing.T, replies map[string][]reply) *script {
	t.Helper()
	s := &script{replies: replies, bodies: map[string]string{}, life: 300}
	server := httptest.NewServer(s)
	t.Cleanup(server.Close)
	s.url = server.URL
	return s
}

func (s *script) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	s.mu.Lock()
	defer s.mu.Unlock()
	body, _ := io.ReadAll(r.Body)
	call := r.Method + " " + r.URL.Path
	s.calls = append(s.calls, call)
	s.bodies[call] = string(body)
	queue := s.replies[call]
	if call == tokenPath && len(queue) == 0 {
		s.tokens++
		_, _ = fmt.Fprintf(w, `{"access_token": "token-%d", "expires_in": %d}`, s.tokens, s.life)
		return
	}
	s.bearers = append(s.bearers, strings.TrimPrefix(r.Header.Get("Authorization"), "Bearer "))
	answer := reply{status: 404, body: `{"errorMessage": "Organization not found."}`}
	if len(queue) > 0 {
		answer = queue[0]
		s.replies[call] = queue[min(1, len(queue)-1):]
	}
	if call == listPath && r.URL.Query().Get("max") != "1" && r.URL.Query().Get("briefRepresentation") != "false" {
		answer = reply{status: 400, body: `{"errorMessage": "asked for a list without attributes"}`}
	}
	for name, value := range answer.header {
		w.Header().Set(name, value)
	}
	w.WriteHeader(answer.status)
	_, _ = io.WriteString(w, answer.body)
}

func (s *script) count(call string) int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return len(slices.DeleteFunc(slices.Clone(s.calls), func(c string) bool { return c != call }))
}

// sent decodes the last body of a call.
func (s *script) sent(t *testing.T, call string) map[string]any {
	t.Helper()
	s.mu.Lock()
	defer s.mu.Unlock()
	var body map[string]any
	if err := json.Unmarshal([]byte(s.bodies[call]), &body); err != nil {
		t.Fatalf("%s was sent %q: %v", call, s.bodies[call], err)
	}
	return body
}

// backend opens a backend on the script whose clock is now.
func (s *script) backend(t *testing.T, now func() time.Time) *Backend {
	t.Helper()
	settings := backend.Settings{
		Path: "identity.keycloak", Timeout: time.Second,
		Options: map[string]string{"url": s.url, "realm": "tenants", "client_id": "provisioner", "client_secret": canary},
	}
	base, f := parseBase(settings)
	if f != nil {
		t.Fatal(f)
	}
	return newBackend(base, settings, now)
}

// stored is an organization as Keycloak shows it.
func stored(id, alias, name string, m tenant.Marker, domains ...string) string {
	attributes := map[string][]string{"cost-center": {"42"}}
	if !m.IsZero() {
		for key, value := range m.Pairs() {
			attributes[key] = []string{value}
		}
	}
	var list []map[string]any
	for _, d := range domains {
		list = append(list, map[string]any{"name": d, "verified": true})
	}
	text, err := json.Marshal(map[string]any{
		"id": id, "alias": alias, "name": name, "enabled": true, "description": "by hand",
		"attributes": attributes, "domains": list,
	})
	if err != nil {
		panic(err)
	}
	return string(text)
}

// want asks for the organization of northstar.
func want(observed *backend.Observation) backend.Want {
	w := backend.Want{
		Target:   backend.Target{Subject: northstar, Component: identity.Name, Object: identity.Organization, Name: "northstar", Path: "identity"},
		Fields:   identity.Content("northstar", "Northstar", []string{"northstar.example"}, ""),
		Observed: observed,
	}
	if observed != nil {
		w.ExternalID = observed.ExternalID
	}
	return w
}

func seen(m tenant.Marker) *backend.Observation {
	return &backend.Observation{ExternalID: "o1", Marker: m}
}
