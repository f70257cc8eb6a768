package wake_test

import (
	"context"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/tenantplane/terraform-provider-tenant/internal/clock"
	"github.com/tenantplane/terraform-provider-tenant/internal/ledger"
	"github.com/tenantplane/terraform-provider-tenant/internal/sweep/wake"
	"github.com/tenantplane/terraform-provider-tenant/internal/tenant"
)

var now = time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)

// service knows acme only.
type service struct {
	woken []tenant.ID
	down  error
}

func (s *service) Wake(_ context.Context, id tenant.ID) error {
	switch {
	case s.down != nil:
		return s.down
	case id != "acme":
		return fmt.Errorf("tenant %s: %w", id, ledger.ErrNotFound)
	}
	s.woken = append(s.woken, id)
	return nil
}

func (s *service) Ready(context.Context) error { return s.down }

// call is one request and what is to come of it.
type call struct {
	method, path, body string
	header             map[string]string
	code               int
	woken              int
}

func (c call) run(t *testing.T, s *service, secrets wake.Secrets) string {
	t.Helper()
	h := wake.Handler(wake.Options{
		Service: s, Installation: "prod", Secrets: secrets, Clock: clock.NewVirtual(now), Logger: slog.New(slog.DiscardHandler),
		OwnerOf: func(_ context.Context, external string) (tenant.ID, error) {
			if external == "cus_1" || external == "org-1" || external == "acme/reviews#7" {
				return "acme", nil
			}
			return "", ledger.ErrNotFound
		},
	})
	r := httptest.NewRequestWithContext(t.Context(), c.method, c.path, strings.NewReader(c.body))
	for name, value := range c.header {
		r.Header.Set(name, value)
	}
	w := httptest.NewRecorder()
	h.ServeHTTP(w, r)
	if w.Code != c.code || len(s.woken) != c.woken {
		t.Errorf("%s %s: code %d and %d woken, want %d and %d: %s", c.method, c.path, w.Code, len(s.woken), c.code, c.woken, w.Body)
	}
	return w.Body.String()
}

func TestAWakeUpNeedsAToken(t *testing.T) {
	secrets := wake.Secrets{Tokens: []string{"old", "new"}}
	bearer := func(token string) map[string]string { return map[string]string{"Authorization": "Bearer " + token} }
	for name, c := range map[string]call{
		"the token":         {header: bearer("new"), body: `{"tenant_id":"acme"}`, code: 202, woken: 1},
		"a rotated token":   {header: bearer("old"), body: `{"tenant_id":"acme"}`, code: 202, woken: 1},
		"another token":     {header: bearer("else"), body: `{"tenant_id":"acme"}`, code: 401},
		"part of a token":   {header: bearer("ne"), body: `{"tenant_id":"acme"}`, code: 401},
		"no token":          {body: `{"tenant_id":"acme"}`, code: 401},
		"an empty token":    {header: bearer(""), body: `{"tenant_id":"acme"}`, code: 401},
		"an unknown tenant": {header: bearer("new"), body: `{"tenant_id":"else"}`, code: 404},
		"no tenant":         {header: bearer("new"), body: `{}`, code: 400},
		"no JSON":           {header: bearer("new"), body: `acme`, code: 400},
		"a flood":           {header: bearer("new"), body: `{"tenant_id":"` + strings.Repeat("a", 1<<20) + `"}`, code: 413},
	} {
		t.Run(name, func(t *testing.T) {
			c.method, c.path = http.MethodPost, "/wake"
			c.run(t, &service{}, secrets)
		})
	}
}

func TestARouteWithoutASecretDoesNotExist(t *testing.T) {
	for _, path := range []string{"/wake", "/webhooks/stripe", "/webhooks/github", "/webhooks/keycloak"} {
		call{method: http.MethodPost, path: path, body: `{"tenant_id":"acme"}`, header: map[string]string{"Authorization": "Bearer "}, code: 404}.run(t, &service{}, wake.Secrets{})
	}
}

// seal is the hexadecimal HMAC-SHA256 of a message.
func seal(secret, message string) string {
	mac := hmac.New(sha256.New, []byte(secret))
	mac.Write([]byte(message))
	return hex.EncodeToString(mac.Sum(nil))
}

func stripe(secret, body string, at time.Time) map[string]string {
	return map[string]string{"Stripe-Signature": fmt.Sprintf("t=%d,v1=%s,v0=ffff", at.Unix(), seal(secret, fmt.Sprintf("%d.%s", at.Unix(), body)))}
}

func TestAnEventOfStripeWakesTheTenantItIsAbout(t *testing.T) {
	marked := `{"data":{"object":{"id":"sub_9","metadata":{"tenant-installation":"prod","tenant-id":"acme"}}}}`
	others := `{"data":{"object":{"id":"sub_9","metadata":{"tenant-installation":"staging","tenant-id":"acme"}}}}`
	invoice := `{"data":{"object":{"id":"in_1","customer":"cus_1"}}}`
	expanded := `{"data":{"object":{"id":"in_1","customer":{"id":"cus_1"},"subscription":null}}}`
	stranger := `{"data":{"object":{"id":"in_2","customer":"cus_2"}}}`
	for name, c := range map[string]call{
		"an object with our marker":          {body: marked, header: stripe("new", marked, now), code: 202, woken: 1},
		"signed with the old secret":         {body: marked, header: stripe("old", marked, now), code: 202, woken: 1},
		"another installation's":             {body: others, header: stripe("new", others, now), code: 202},
		"an invoice of our customer":         {body: invoice, header: stripe("new", invoice, now), code: 202, woken: 1},
		"an expanded customer":               {body: expanded, header: stripe("new", expanded, now), code: 202, woken: 1},
		"somebody else's customer":           {body: stranger, header: stripe("new", stranger, now), code: 202},
		"signed by somebody else":            {body: marked, header: stripe("else", marked, now), code: 401},
		"changed on its way":                 {body: others, header: stripe("new", marked, now), code: 401},
		"replayed later":                     {body: marked, header: stripe("new", marked, now.Add(-6*time.Minute)), code: 401},
		"from the future":                    {body: marked, header: stripe("new", marked, now.Add(6*time.Minute)), code: 401},
		"not signed":                         {body: marked, code: 401},
		"signed, and no event":               {body: `[]`, header: stripe("new", `[]`, now), code: 400},
		"a customer that is neither of both": {body: `{"data":{"object":{"customer":7}}}`, header: stripe("new", `{"data":{"object":{"customer":7}}}`, now), code: 400},
	} {
		t.Run(name, func(t *testing.T) {
			c.method, c.path = http.MethodPost, "/webhooks/stripe"
			c.run(t, &service{}, wake.Secrets{Stripe: []string{"new", "old"}})
		})
	}
}

func TestAnEventOfGitHubWakesTheTenantWhoseTicketItIsAbout(t *testing.T) {
	issue := `{"action":"closed","issue":{"number":7,"node_id":"I_7"},"repository":{"full_name":"acme/reviews"}}`
	for name, c := range map[string]call{
		"our ticket":              {body: issue, header: map[string]string{"X-Hub-Signature-256": "sha256=" + seal("s", issue)}, code: 202, woken: 1},
		"no ticket":               {body: `{"zen":"Design for failure."}`, header: map[string]string{"X-Hub-Signature-256": "sha256=" + seal("s", `{"zen":"Design for failure."}`)}, code: 202},
		"signed by somebody else": {body: issue, header: map[string]string{"X-Hub-Signature-256": "sha256=" + seal("x", issue)}, code: 401},
		"signed without a name":   {body: issue, header: map[string]string{"X-Hub-Signature-256": seal("s", issue)}, code: 401},
	} {
		t.Run(name, func(t *testing.T) {
			c.method, c.path = http.MethodPost, "/webhooks/github"
			c.run(t, &service{}, wake.Secrets{GitHub: []string{"s"}})
		})
	}
}

func TestAnEventOfKeycloakWakesTheTenantWhoseOrganizationItIsAbout(t *testing.T) {
	member := `{"operationType":"CREATE","resourceType":"ORGANIZATION_MEMBERSHIP","resourcePath":"organizations/org-1/members/u-1"}`
	user := `{"resourcePath":"users/u-1"}`
	for name, c := range map[string]call{
		"our organization":        {body: member, header: map[string]string{"X-Keycloak-Signature": seal("s", member)}, code: 202, woken: 1},
		"a user":                  {body: user, header: map[string]string{"X-Keycloak-Signature": seal("s", user)}, code: 202},
		"signed by somebody else": {body: member, header: map[string]string{"X-Keycloak-Signature": seal("x", member)}, code: 401},
	} {
		t.Run(name, func(t *testing.T) {
			c.method, c.path = http.MethodPost, "/webhooks/keycloak"
			c.run(t, &service{}, wake.Secrets{Keycloak: []string{"s"}})
		})
	}
}

func TestHealthTellsTheLivingFromTheReady(t *testing.T) {
	s := &service{}
	call{method: http.MethodGet, path: "/healthz", code: 200}.run(t, s, wake.Secrets{})
	call{method: http.MethodGet, path: "/readyz", code: 200}.run(t, s, wake.Secrets{})
	s.down = errors.New("the ledger does not answer")
	call{method: http.MethodGet, path: "/healthz", code: 200}.run(t, s, wake.Secrets{})
	if body := (call{method: http.MethodGet, path: "/readyz", code: 503}).run(t, s, wake.Secrets{}); !strings.Contains(body, "the ledger does not answer") {
		t.Errorf("it does not say why: %s", body)
	}
}

func TestALedgerThatIsDownMakesTheSenderTryAgainAndTellsItNothing(t *testing.T) {
	s := &service{down: errors.New("postgres://user:secret@db refused")}
	body := call{method: http.MethodPost, path: "/wake", body: `{"tenant_id":"acme"}`, header: map[string]string{"Authorization": "Bearer t"}, code: 503}.
		run(t, s, wake.Secrets{Tokens: []string{"t"}})
	if strings.Contains(body, "secret") {
		t.Error(body)
	}
}
