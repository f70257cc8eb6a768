package keycloak

import (
	"crypto/rand"
	"strings"
	"sync"
	"testing"

	"github.com/tenantplane/terraform-provider-tenant/internal/backend"
	"github.com/tenantplane/terraform-provider-tenant/internal/component/identity"
	"github.com/tenantplane/terraform-provider-tenant/internal/fault"
	"github.com/tenantplane/terraform-provider-tenant/internal/tenant"
)

// customer wants an organization for a tenant nobody used before.
func customer(domain string) backend.Want {
	id := tenant.ID("live-" + strings.ToLower(rand.Text()[:10]))
	subject := tenant.Subject{Installation: "live1", ID: id, DisplayName: "Live " + string(id), Region: `eu "west": 1\`}
	alias := tenant.OrganizationName.Name(subject.Installation, id)
	return backend.Want{
		Target: backend.Target{Subject: subject, Component: identity.Name, Object: identity.Organization, Name: alias, Path: identity.Name},
		Fields: identity.Content(alias, subject.DisplayName, []string{domain}, ""),
	}
}

// live runs the field cases against s.
func (s server) live(t *testing.T) {
	t.Run("C34 an alias never changes and no second organization appears", s.aliasStays)
	t.Run("C35 a domain leads to one organization", s.domainIsTaken)
	t.Run("C35 a domain leads to one organization also when two ask at once", s.domainRace)
	t.Run("C39 a display name in use is named", s.nameIsTaken)
	t.Run("C52 what is unset is cleared", s.unsetClears)
	t.Run("disable keeps everything but sign-in", s.disableKeeps)
	t.Run("wrong settings are told apart", s.wrongSettings)
}

func (s server) mustEnsure(t *testing.T, want backend.Want) backend.Observation {
	t.Helper()
	got, err := s.open(t, nil).Ensure(t.Context(), want)
	if err != nil {
		t.Fatal(err)
	}
	if changes := got.Fields.Diff(want.Fields); len(changes) > 0 || got.Marker != want.Marker() {
		t.Fatalf("stored %+v under %+v", changes, got.Marker)
	}
	return got
}

func (s server) aliasStays(t *testing.T) {
	w := customer("alias-" + strings.ToLower(rand.Text()[:8]) + ".example")
	made := s.mustEnsure(t, w)
	renamed := w
	renamed.Fields = w.Fields.Clone()
	renamed.Fields.Set(identity.FieldAlias, "other-"+w.Name[:20])
	for _, observed := range []*backend.Observation{nil, &made} {
		renamed.Observed = observed
		_, err := s.open(t, nil).Ensure(t.Context(), renamed)
		if f := fault.From(err); f.Kind != fault.Terminal || f.Path != identity.PathAlias {
			t.Errorf("changed alias: %v", err)
		}
	}
	if found, f := s.open(t, nil).client.byMarker(t.Context(), w.Marker()); f != nil || len(found) != 1 {
		t.Errorf("%d organizations, %v; want 1", len(found), f)
	}
}

func (s server) domainIsTaken(t *testing.T) {
	domain := "taken-" + strings.ToLower(rand.Text()[:8]) + ".example"
	a := customer(domain)
	made := s.mustEnsure(t, a)
	b := customer(domain)
	if faults := s.open(t, nil).Check(t.Context(), []backend.Want{b}); len(faults) != 1 || faults[0].Code != "identity.domain_taken" {
		t.Errorf("at plan: %v", faults)
	}
	_, err := s.open(t, nil).Ensure(t.Context(), b)
	if f := fault.From(err); f.Kind != fault.Terminal || f.Path != identity.PathDomains || !strings.Contains(f.Found, domain) || !strings.Contains(f.Found, a.Name) {
		t.Errorf("at apply: %v", err)
	}
	if _, err := s.open(t, nil).Observe(t.Context(), b.Target); !fault.Is(err, fault.NotFound) {
		t.Errorf("a refused create left something: %v", err)
	}
	a.ExternalID = made.ExternalID
	if again, err := s.open(t, nil).Observe(t.Context(), a.Target); err != nil || len(again.Fields.Diff(a.Fields)) > 0 {
		t.Errorf("the owner was touched: %+v, %v", again, err)
	}
}

func (s server) domainRace(t *testing.T) {
	domain := "race-" + strings.ToLower(rand.Text()[:8]) + ".example"
	var creates sync.WaitGroup
	for range 4 {
		creates.Go(func() { _, _ = s.open(t, nil).Ensure(t.Context(), customer(domain)) })
	}
	creates.Wait()
	if found, f := s.open(t, nil).client.byDomain(t.Context(), domain); f != nil || len(found) > 1 {
		t.Errorf("%d organizations own the domain, %v; want one at most", len(found), f)
	}
}

func (s server) nameIsTaken(t *testing.T) {
	a, b := customer("name-a-"+strings.ToLower(rand.Text()[:8])+".example"), customer("name-b-"+strings.ToLower(rand.Text()[:8])+".example")
	s.mustEnsure(t, a)
	b.Fields.Set(identity.FieldName, a.Fields.Get(identity.FieldName))
	_, err := s.open(t, nil).Ensure(t.Context(), b)
	if f := fault.From(err); f.Kind != fault.Conflict || f.Path != "display_name" {
		t.Errorf("got %v", err)
	}
}

func (s server) unsetClears(t *testing.T) {
	w := customer("unset-" + strings.ToLower(rand.Text()[:8]) + ".example")
	w.Fields.Set(identity.FieldRedirectURL, "https://app.example.com/welcome")
	made := s.mustEnsure(t, w)
	w.Observed, w.ExternalID = &made, made.ExternalID
	w.Fields = identity.Content(w.Name, w.Subject.DisplayName, nil, "")
	if got := s.mustEnsure(t, w); len(got.Fields[identity.FieldDomains]) != 0 || got.Fields.Get(identity.FieldRedirectURL) != "" {
		t.Errorf("stored %v", got.Fields)
	}
}

func (s server) disableKeeps(t *testing.T) {
	w := customer("off-" + strings.ToLower(rand.Text()[:8]) + ".example")
	made := s.mustEnsure(t, w)
	w.ExternalID = made.ExternalID
	receipt, err := s.open(t, nil).Disable(t.Context(), w.Target, "")
	if err != nil || receipt.Outcome != "disabled" {
		t.Fatalf("got %+v, %v", receipt, err)
	}
	got, err := s.open(t, nil).Observe(t.Context(), w.Target)
	if err != nil || !got.Disabled || got.Marker != w.Marker() || len(got.Fields.Diff(w.Fields)) > 0 {
		t.Errorf("got %+v, %v", got, err)
	}
}

func (s server) wrongSettings(t *testing.T) {
	type change func(*server)
	for code, wrong := range map[string][]change{
		"keycloak.credentials":   {func(s *server) { s.secret = "wrong" }, func(s *server) { s.clientID = "nobody" }},
		"keycloak.realm_unknown": {func(s *server) { s.realm = "nowhere" }},
	} {
		for _, edit := range wrong {
			other := s
			edit(&other)
			faults := other.open(t, nil).Check(t.Context(), []backend.Want{customer("x.example")})
			if len(faults) != 1 || faults[0].Code != code || faults[0].Kind != fault.Terminal || !faults[0].BackendWide {
				t.Errorf("%s: got %v", code, faults)
				continue
			}
			if strings.Contains(faults[0].Error(), s.secret) {
				t.Errorf("%s: %v shows the secret", code, faults[0])
			}
		}
	}
}
