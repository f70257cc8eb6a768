package keycloak

import (
	"fmt"
	"net/http"
	"net/url"
	"testing"

	"github.com/tenantplane/terraform-provider-tenant/internal/backend"
	"github.com/tenantplane/terraform-provider-tenant/internal/backend/backendtest"
	"github.com/tenantplane/terraform-provider-tenant/internal/component/identity"
)

// server is a Keycloak that tests talk to.
type server struct {
	url, realm, clientID, secret string
}

// open makes a backend on s.
func (s server) open(t *testing.T, transport http.RoundTripper) *Backend {
	t.Helper()
	opened, f := Driver().Open(backend.Settings{
		Path:      "identity.keycloak",
		Transport: transport,
		Options:   map[string]string{"url": s.url, "realm": s.realm, "client_id": s.clientID, "client_secret": s.secret},
	})
	if f != nil {
		t.Fatalf("open: %v", f)
	}
	return opened.(*Backend)
}

// edit changes an organization behind the backend's back.
func (s server) edit(t *testing.T, target backend.Target, change func(*organization)) {
	t.Helper()
	b := s.open(t, nil)
	found, f := b.client.locate(t.Context(), target)
	if f != nil {
		t.Fatalf("edit: %v", f)
	}
	change(&found)
	if _, f := b.client.put(t.Context(), found); f != nil {
		t.Fatalf("edit: %v", f)
	}
}

// conformance describes the backend on s to the suite.
func (s server) conformance() backendtest.Suite {
	return backendtest.Suite{
		Open:      func(t *testing.T, transport http.RoundTripper) backend.Backend { return s.open(t, transport) },
		HTTP:      true,
		Component: identity.Component{},
		Spec:      `{"domains": ["%ID%.example", "Bücher-%ID%.example"], "redirect_url": "https://app.example.com/welcome"}`,
		Changed:   `{"domains": ["%ID%.example", "new-%ID%.example"]}`,
		Edit: func(t *testing.T, target backend.Target) {
			s.edit(t, target, func(o *organization) {
				o.Name, o.RedirectURL, o.Domains = "Renamed "+o.Alias, "", o.Domains[:1]
			})
		},
		Strip: func(t *testing.T, target backend.Target) {
			s.edit(t, target, func(o *organization) { o.Attributes = map[string][]string{"cost-center": {"42"}} })
		},
		Vanish: func(t *testing.T, target backend.Target) {
			b := s.open(t, nil)
			r := request{verb: "vanish", method: http.MethodDelete, path: []string{organizations, target.ExternalID}}
			if _, f := b.client.call(t.Context(), r, http.StatusNoContent); f != nil {
				t.Fatalf("vanish: %v", f)
			}
		},
		Crowd: s.crowd,
	}
}

// crowd makes more organizations than fit on a page.
func (s server) crowd(t *testing.T) {
	b := s.open(t, nil)
	for i := range pageSize + 1 {
		name := fmt.Sprintf("crowd-%s-%03d", url.PathEscape(t.Name()[:4]), i)
		r := request{verb: "crowd", method: http.MethodPost, path: []string{organizations}, body: known{Name: name, Alias: name}}
		if got, f := b.client.call(t.Context(), r, http.StatusCreated); f != nil && got.status != http.StatusConflict {
			t.Fatalf("crowd: %v", f)
		}
	}
}
