package sandbox_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/tenantplane/terraform-provider-tenant/internal/sandbox"
)

// inventory returns the objects as lines "system/kind name tenant".
func (w *world) inventory(filter sandbox.Filter) []string {
	w.t.Helper()
	found, err := w.admin.Objects(w.t.Context(), filter)
	if err != nil {
		w.t.Fatalf("read inventory: %v", err)
	}
	var lines []string
	for _, o := range found.Objects {
		lines = append(lines, fmt.Sprintf("%s/%s %s %s", o.System, o.Kind, o.Name, o.Tenant))
	}
	return lines
}

func TestTheInventoryShowsEveryObjectAndItsTenant(t *testing.T) {
	w := newWorld(t, "example.org")
	customer, _, _ := w.subscribed()
	w.organization(object{"name": "acme", "attributes": object{"tenant-id": []string{"acme"}, "tenant-installation": []string{"inst"}, "tenant-region": []string{"eu"}}})
	w.pdns("PATCH", "/zones/example.org.", change(`{"name":"a.example.org.","type":"A","changetype":"REPLACE","ttl":60,`+
		`"records":[{"content":"192.0.2.1"}],"comments":[{"content":"tenant:inst/acme/eu","account":"tenant"}]}`).body).expect(t, 204)

	want := []string{
		"stripe/customer Acme acme", "stripe/subscription " + customer + " ",
		"keycloak/organization acme acme", "powerdns/rrset a.example.org. A acme",
	}
	if got := w.inventory(sandbox.Filter{}); strings.Join(got, "|") != strings.Join(want, "|") {
		t.Errorf("the inventory is\n%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
	if got := w.inventory(sandbox.Filter{System: "powerdns", Fixtures: true}); len(got) != 4 {
		t.Errorf("with fixtures PowerDNS has %v, want the zone, SOA, NS and a record", got)
	}
	if got := w.inventory(sandbox.Filter{Kind: "price", Fixtures: true, Gone: true}); len(got) != 4 {
		t.Errorf("with gone ones there are prices %v, want 4", got)
	}
}

func TestObjectsAreChangedBehindTheClientsBack(t *testing.T) {
	w := newWorld(t)
	ctx := t.Context()
	customer, subscription, item := w.subscribed()
	organization := w.organization(object{"name": "acme", "alias": "acme", "domains": []object{{"name": "acme.example"}}})
	if err := w.admin.ForgetRequests(ctx); err != nil {
		t.Fatal(err)
	}
	w.addFault(sandbox.Fault{Count: -1, Effect: sandbox.Unavailable}) // does not touch the back door

	steps := map[string]error{
		"put records":    w.admin.PutRecords(ctx, "example.org", "a.example.org", "A", sandbox.RecordSet{TTL: 301, Contents: []string{"192.0.2.2", "192.0.2.1"}}),
		"edit customer":  w.admin.EditStripe(ctx, "customers", customer, object{"name": "Other", "metadata": object{"tenant-id": "x"}}),
		"edit quantity":  w.admin.EditStripe(ctx, "subscription_items", item, object{"quantity": 7}),
		"second item":    w.admin.EditStripe(ctx, "subscriptions", subscription, object{"items": []object{{"price": "price_sandbox_pro"}}}),
		"archive price":  w.admin.EditStripe(ctx, "prices", "price_sandbox_pro", object{"active": false}),
		"disable org":    w.admin.EditOrganization(ctx, organization, object{"enabled": false}),
		"new org":        w.admin.CreateOrganization(ctx, object{"name": "stranger"}),
		"absent records": w.admin.DeleteRecords(ctx, "example.org", "nothing.example.org", "A"),
	}
	for step, err := range steps {
		if err != nil {
			t.Errorf("%s: %v", step, err)
		}
	}
	if err := w.admin.ForgetFaults(ctx); err != nil {
		t.Fatal(err)
	}
	if lines, err := w.admin.Requests(ctx, 0); err != nil || len(lines) != 0 {
		t.Errorf("the log has %d lines, %v, want none", len(lines), err)
	}
	rrset := w.pdns("GET", "/zones/example.org.?rrset_name=a.example.org.", "").json(t)
	if at(rrset, "rrsets", 0, "ttl") != 301.0 || at(rrset, "rrsets", 0, "records", 1, "content") != "192.0.2.2" {
		t.Errorf("the records are %v", rrset)
	}
	items := at(w.stripe("GET", "/v1/subscriptions/"+subscription).json(t), "items", "data")
	if at(items, 0, "quantity") != 7.0 || at(items, 1, "price", "id") != "price_sandbox_pro" {
		t.Errorf("the items are %v", items)
	}
	if name := at(w.stripe("GET", "/v1/customers/"+customer).json(t), "name"); name != "Other" {
		t.Errorf("the customer is named %v", name)
	}
	read := w.keycloak("GET", "/organizations/"+organization, nil).json(t)
	if at(read, "enabled") != false || at(read, "domains", 0, "name") != "acme.example" {
		t.Errorf("the organization is %v", read)
	}
}

func TestObjectsAreDeletedBehindTheClientsBack(t *testing.T) {
	w := newWorld(t)
	ctx := t.Context()
	customer, subscription, _ := w.subscribed()
	organization := w.organization(object{"name": "acme"})
	w.pdns("PATCH", "/zones/example.org.", change(replace("*.example.org.", "A", "60", "192.0.2.1")).body).expect(t, 204)
	for step, err := range map[string]error{
		"records":      w.admin.DeleteRecords(ctx, "example.org.", "*.example.org.", "A"),
		"customer":     w.admin.DeleteStripe(ctx, "customers", customer),
		"organization": w.admin.DeleteOrganization(ctx, organization),
	} {
		if err != nil {
			t.Errorf("%s: %v", step, err)
		}
	}
	if got := w.inventory(sandbox.Filter{}); len(got) != 0 {
		t.Errorf("there is still %v", got)
	}
	if status := at(w.stripe("GET", "/v1/subscriptions/"+subscription).json(t), "status"); status != "canceled" {
		t.Errorf("the subscription is %v", status)
	}
	err := w.admin.DeleteOrganization(ctx, organization)
	if err == nil || !strings.Contains(err.Error(), "404") || !strings.Contains(err.Error(), "Organization not found.") {
		t.Errorf("deleting twice says %v, want the vendor's 404", err)
	}
}

func TestTheLogNamesRequestsAndNoSecret(t *testing.T) {
	w := newWorld(t)
	w.post("/v1/customers", "inst/acme/billing.customer/e1", "name", "Acme").expect(t, 200)
	w.post("/v1/customers", "inst/acme/billing.customer/e1", "name", "Acme").expect(t, 200)
	w.askToken().expect(t, 200)
	w.stripe("GET", "/v1/customers?limit=1").expect(t, 200)

	lines, err := w.admin.Requests(t.Context(), 0)
	if err != nil || len(lines) != 4 {
		t.Fatalf("the log has %d lines, %v, want 4", len(lines), err)
	}
	got := lines[1]
	if got.System != "stripe" || got.Method != "POST" || got.Path != "/v1/customers" || got.Status != 200 || !got.Replayed ||
		got.IdempotencyKey != "inst/acme/billing.customer/e1" || !got.At.Equal(start) {
		t.Errorf("the second line is %+v", got)
	}
	if lines[3].Query != "limit=1" {
		t.Errorf("the fourth line's query is %q", lines[3].Query)
	}
	raw := w.do("GET", w.AdminURL()+"/requests", nil, "").body + w.do("GET", w.AdminURL()+"/objects?fixtures=true", nil, "").body
	c := w.Credentials
	for _, secret := range []string{c.StripeAPIKey, c.KeycloakClientSecret, c.PowerDNSAPIKey, "sandbox-token-"} {
		if strings.Contains(raw, secret) {
			t.Errorf("the admin endpoint shows the secret %q", secret)
		}
	}
	later, err := w.admin.Requests(t.Context(), lines[2].ID)
	if err != nil || len(later) != 1 || later[0].ID != lines[3].ID {
		t.Errorf("after line 3 come %+v, %v", later, err)
	}
}

func TestAResetBringsBackTheBeginning(t *testing.T) {
	w := newWorld(t)
	w.subscribed()
	w.addFault(sandbox.Fault{Count: -1, Effect: sandbox.Unavailable})
	before := len(w.inventory(sandbox.Filter{Fixtures: true, Gone: true}))
	if err := w.admin.Reset(t.Context()); err != nil {
		t.Fatal(err)
	}
	if after := len(w.inventory(sandbox.Filter{Fixtures: true, Gone: true})); after != before-2 {
		t.Errorf("after the reset there are %d objects, want %d", after, before-2)
	}
	w.pdns("GET", "/zones/example.com.", "").expect(t, 200)
	if n := w.count("stripe/customer"); n != 0 {
		t.Errorf("there are %d customers, want none", n)
	}
}
