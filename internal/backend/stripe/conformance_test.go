package stripe_test

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"path/filepath"
	"strings"
	"testing"

	"github.com/tenantplane/terraform-provider-tenant/internal/backend"
	"github.com/tenantplane/terraform-provider-tenant/internal/backend/backendtest"
	"github.com/tenantplane/terraform-provider-tenant/internal/backend/stripe"
	"github.com/tenantplane/terraform-provider-tenant/internal/component/billing"
	"github.com/tenantplane/terraform-provider-tenant/internal/sandbox"
	"github.com/tenantplane/terraform-provider-tenant/internal/tenant"
)

// desk is somebody who works on the account behind the backend's back.
type desk struct{ url, key string }

func openDesk(t *testing.T) desk {
	t.Helper()
	server, err := sandbox.Open(t.Context(), sandbox.Options{Path: filepath.Join(t.TempDir(), "sandbox.db")})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := server.Close(); err != nil {
			t.Errorf("close sandbox: %v", err)
		}
	})
	return desk{server.StripeURL(), server.Credentials.StripeAPIKey}
}

func (d desk) open(t *testing.T, transport http.RoundTripper) backend.Backend {
	t.Helper()
	b, f := stripe.Driver().Open(backend.Settings{
		Options: map[string]string{"api_key": d.key, "url": d.url}, Transport: transport,
	})
	if f != nil {
		t.Fatal(f)
	}
	return b
}

// call makes a call by hand, with form values in pairs.
func (d desk) call(t *testing.T, method, path string, pairs ...string) []byte {
	t.Helper()
	form := url.Values{}
	for i := 0; i+1 < len(pairs); i += 2 {
		form.Set(pairs[i], pairs[i+1])
	}
	req, err := http.NewRequestWithContext(t.Context(), method, d.url+path, strings.NewReader(form.Encode()))
	if err != nil {
		t.Fatal(err)
	}
	req.Header.Set("Authorization", "Bearer "+d.key)
	req.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = resp.Body.Close() }()
	body, err := io.ReadAll(resp.Body)
	if err != nil || resp.StatusCode != http.StatusOK {
		t.Fatalf("%s %s: %d %s %v", method, path, resp.StatusCode, body, err)
	}
	return body
}

func pathOf(target backend.Target) string {
	return "/v1/" + target.Object + "s/" + target.ExternalID
}

// edit changes the customer's e-mail or the subscription's seats.
func (d desk) edit(t *testing.T, target backend.Target) {
	t.Helper()
	if target.Object == billing.Customer {
		d.call(t, http.MethodPost, pathOf(target), "email", "intruder@example.net", "name", "Intruder")
		return
	}
	var seen struct {
		Items struct{ Data []struct{ ID string } }
	}
	if err := json.Unmarshal(d.call(t, http.MethodGet, pathOf(target)), &seen); err != nil {
		t.Fatal(err)
	}
	d.call(t, http.MethodPost, pathOf(target), "items[0][id]", seen.Items.Data[0].ID, "items[0][quantity]", "7")
}

func (d desk) vanish(t *testing.T, target backend.Target) {
	t.Helper()
	d.call(t, http.MethodDelete, pathOf(target))
}

func (d desk) strip(t *testing.T, target backend.Target) {
	t.Helper()
	d.call(t, http.MethodPost, pathOf(target),
		"metadata["+tenant.MarkerTenant+"]", "", "metadata["+tenant.MarkerInstallation+"]", "", "metadata["+tenant.MarkerRegion+"]", "")
}

// crowd makes more customers than a page holds, some with the same e-mail.
func (d desk) crowd(t *testing.T) {
	t.Helper()
	for i := range 110 {
		d.call(t, http.MethodPost, "/v1/customers", "email", fmt.Sprintf("crowd-%d@example.net", i%3))
	}
}

func TestConformance(t *testing.T) {
	d := openDesk(t)
	backendtest.Run(t, backendtest.Suite{
		Open: d.open, HTTP: true, Component: billing.Component{},
		Spec:    `{"plan":"pro","email":"ap@%ID%.example","seats":100}`,
		Changed: `{"plan":"enterprise","email":"billing@%ID%.example","seats":120}`,
		Edit:    d.edit, Vanish: d.vanish, Strip: d.strip, Crowd: d.crowd,
	})
}

func TestAnArchivedPlanIsFoundAtPlanTime(t *testing.T) {
	b := openDesk(t).open(t, nil)
	for plan, code := range map[string]string{"legacy": "billing.plan_archived", "nosuch": "billing.plan_unknown", "pro": ""} {
		faults := b.(backend.Checker).Check(t.Context(), []backend.Want{wantSubscription(plan, 1)})
		if code == "" && len(faults) != 0 || code != "" && (len(faults) != 1 || faults[0].Code != code || faults[0].Path != "billing.plan") {
			t.Errorf("plan %s: got %v, want %q", plan, faults, code)
		}
	}
}
