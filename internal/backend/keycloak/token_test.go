package keycloak

import (
	"net/http"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/tenantplane/terraform-provider-tenant/internal/backend"
	"github.com/tenantplane/terraform-provider-tenant/internal/fault"
)

func TestOpeningSendsNothingAndOneTokenServesManyCalls(t *testing.T) {
	s := play(t, map[string][]reply{listPath: {{status: 200, body: `[]`}}})
	b := s.backend(t, time.Now)
	if len(s.calls) != 0 {
		t.Fatalf("open called %v", s.calls)
	}
	var calls sync.WaitGroup
	for range 8 {
		calls.Go(func() { _, _ = b.Observe(t.Context(), want(nil).Target) })
	}
	calls.Wait()
	if n := s.count(tokenPath); n != 1 {
		t.Errorf("%d tokens were fetched for 8 callers, want 1", n)
	}
}

func TestATokenIsRenewedBeforeItEnds(t *testing.T) {
	s := play(t, map[string][]reply{listPath: {{status: 200, body: `[]`}}})
	now := time.Date(2026, 1, 2, 12, 0, 0, 0, time.UTC)
	b := s.backend(t, func() time.Time { return now })
	for _, step := range []struct {
		wait   time.Duration
		tokens int
	}{{0, 1}, {269 * time.Second, 1}, {2 * time.Second, 2}} {
		now = now.Add(step.wait)
		_, _ = b.Observe(t.Context(), want(nil).Target)
		if got := s.count(tokenPath); got != step.tokens {
			t.Errorf("%s later: %d tokens fetched, want %d", step.wait, got, step.tokens)
		}
	}
}

// A token that ends in mid-run costs one more try and nothing is made twice.
func TestC37_ATokenThatEndsMidRunIsReplacedAndTheCallRepeatedOnce(t *testing.T) {
	s := play(t, map[string][]reply{
		listPath:                              {{status: 200, body: `[]`}},
		"POST " + strings.Fields(listPath)[1]: {{status: 401, body: `{"error": "HTTP 401 Unauthorized"}`}, {status: 201, header: map[string]string{"Location": "http://kc/organizations/o1"}}},
		"GET " + onePath:                      {{status: 200, body: stored("o1", "northstar", "Northstar", northstar.Marker(), "northstar.example")}},
	})
	got, err := s.backend(t, time.Now).Ensure(t.Context(), want(nil))
	if err != nil || got.ExternalID != "o1" {
		t.Fatalf("got %+v, %v", got, err)
	}
	if wanted := []string{"token-1", "token-1", "token-2", "token-2", "token-2"}; !slices.Equal(s.bearers, wanted) {
		t.Errorf("calls were made with %v, want %v", s.bearers, wanted)
	}
}

func TestC37_CredentialsThatAreTrulyBadPauseTheBackend(t *testing.T) {
	unauthorized := []reply{{status: 401, body: `{"error": "unauthorized_client", "error_description": "Invalid client ` + canary + `"}`}}
	for name, replies := range map[string]map[string][]reply{
		"refused at sign-in":  {tokenPath: unauthorized},
		"refused at the call": {listPath: unauthorized},
	} {
		s := play(t, replies)
		_, err := s.backend(t, time.Now).Observe(t.Context(), want(nil).Target)
		f := fault.From(err)
		if f.Kind != fault.Terminal || !f.BackendWide || f.Action == "" {
			t.Errorf("%s: %+v, want a Terminal fault of the whole backend", name, f)
		}
		if !strings.Contains(err.Error(), "provisioner") || !strings.Contains(err.Error(), "tenants") {
			t.Errorf("%s: %q names neither client nor realm", name, err)
		}
		if strings.Contains(err.Error(), canary) {
			t.Errorf("%s: %q shows the secret", name, err)
		}
		if n := s.count(tokenPath); n > 2 {
			t.Errorf("%s: %d attempts to sign in", name, n)
		}
	}
}

// The token endpoint failing before a create says nothing about the create.
func TestATokenThatCannotBeFetchedIsNeverAmbiguous(t *testing.T) {
	for _, status := range []int{http.StatusInternalServerError, http.StatusServiceUnavailable, http.StatusTooManyRequests} {
		s := play(t, map[string][]reply{tokenPath: {{status: status, body: `{}`}}})
		_, err := s.backend(t, time.Now).Ensure(t.Context(), want(nil))
		if !fault.Is(err, fault.Retryable) {
			t.Errorf("%d from the token endpoint: %v, want Retryable", status, err)
		}
	}
}

func TestSettingsThatCannotWorkAreRefusedAtOnce(t *testing.T) {
	good := map[string]string{"url": "https://id.example.com/auth", "realm": "r", "client_id": "c", "client_secret": canary}
	if _, f := Driver().Open(backend.Settings{Path: "identity.keycloak", Options: good}); f != nil {
		t.Fatalf("good settings: %v", f)
	}
	for _, c := range []struct{ option, value string }{
		{"url", ""}, {"url", "id.example.com"}, {"url", "ftp://id.example.com"}, {"url", "https://"}, {"url", "https://u:" + canary + "@id.example.com"},
		{"url", "https://id.example.com/?x=1"}, {"url", "https://%zz"}, {"realm", ""}, {"client_id", ""}, {"client_secret", ""},
	} {
		options := map[string]string{}
		for name, value := range good {
			options[name] = value
		}
		options[c.option] = c.value
		_, f := Driver().Open(backend.Settings{Path: "identity.keycloak", Options: options})
		if f == nil || f.Kind != fault.Terminal || f.Path != "identity.keycloak."+c.option || f.Action == "" {
			t.Errorf("%s = %q: %v", c.option, c.value, f)
			continue
		}
		if strings.Contains(f.Error(), canary) {
			t.Errorf("%q shows a secret", f.Error())
		}
	}
}
