package provider_test

import (
	"context"
	"fmt"
	"net/http"
	"regexp"
	"strings"
	"testing"

	"github.com/hashicorp/terraform-plugin-testing/helper/resource"
	"github.com/hashicorp/terraform-plugin-testing/knownvalue"
	"github.com/hashicorp/terraform-plugin-testing/plancheck"
	"github.com/hashicorp/terraform-plugin-testing/statecheck"
	"github.com/hashicorp/terraform-plugin-testing/terraform"
	"github.com/hashicorp/terraform-plugin-testing/tfjsonpath"

	"github.com/tenantplane/terraform-provider-tenant/internal/sandbox"
)

// drift is one change behind Terraform's back.
type drift struct {
	name string
	// hand makes the change.
	hand func(w *world)
	// says is part of a line in state's differences after a refresh.
	says string
	// where and what state shows of it.
	where tfjsonpath.Path
	what  knownvalue.Check
	// repaired asks the server itself.
	repaired func(w *world) error
}

func drifts() []drift {
	domain, billing, identity := tfjsonpath.New("domain"), tfjsonpath.New("billing"), tfjsonpath.New("identity")
	enabled, privileges := tfjsonpath.New("database").AtMapKey("enabled"), tfjsonpath.New("database").AtMapKey("privileges")
	recordBack := func(w *world) error { return w.recordIs("acme."+w.zone+". CNAME", "300 edge.example.net.") }
	return []drift{
		{
			name: "the DNS record is deleted", says: "domain.record", where: domain, what: knownvalue.Null(),
			hand:     func(w *world) { w.putRecord("acme."+w.zone, "CNAME", 0) },
			repaired: recordBack,
		},
		{
			name: "the TTL is changed", says: "domain.record: ttl is 301, wanted 300",
			where: domain.AtMapKey("ttl"), what: knownvalue.Int64Exact(301),
			hand:     func(w *world) { w.putRecord("acme."+w.zone, "CNAME", 301, "edge.example.net.") },
			repaired: recordBack,
		},
		{
			name: "the wildcard record is changed", says: "domain.wildcard: ",
			where: domain.AtMapKey("hostname"), what: knownvalue.NotNull(),
			hand: func(w *world) { w.putRecord("*.acme."+w.zone, "CNAME", 300, "elsewhere.example.net.") },
			repaired: func(w *world) error {
				return w.recordIs("*.acme."+w.zone+". CNAME", "300 edge.example.net.")
			},
		},
		{
			name: "the organization is disabled", says: "identity.organization: ",
			where: identity.AtMapKey("enabled"), what: knownvalue.Bool(false),
			hand: func(w *world) {
				w.must(w.admin.EditOrganization(context.Background(), w.idOf("organization"), map[string]any{"enabled": false}))
			},
			repaired: func(w *world) error { return w.holdsNow(wholeTenantWithWildcard)(nil) },
		},
		{
			name: "the subscription is cancelled", says: "billing.subscription: ",
			where: billing.AtMapKey("subscription_id"), what: knownvalue.Null(),
			hand: func(w *world) {
				w.must(w.admin.DeleteStripe(context.Background(), "subscriptions", w.idOf("subscription")))
			},
			repaired: func(w *world) error { return w.holdsNow(wholeTenantWithWildcard)(nil) },
		},
		{
			name: "a grant on the schema is revoked", says: "database.schema: ",
			where: privileges, what: knownvalue.SetSizeExact(4),
			hand: func(w *world) {
				w.execute("REVOKE USAGE ON SCHEMA " + w.schema() + " FROM " + w.schema() + "_reader")
			},
			repaired: func(w *world) error {
				w.query("SELECT 1/has_schema_privilege('" + w.schema() + "_reader', '" + w.schema() + "', 'USAGE')::int || ''")
				return nil
			},
		},
		{
			name: "C18: the default privileges are dropped", says: "database.schema: default_privileges ",
			where: enabled, what: knownvalue.Bool(true),
			hand: func(w *world) {
				w.execute("ALTER DEFAULT PRIVILEGES FOR ROLE " + w.schema() + "_owner IN SCHEMA " + w.schema() +
					" REVOKE SELECT ON TABLES FROM " + w.schema() + "_reader")
			},
			repaired: func(w *world) error {
				w.execute("SET ROLE " + w.schema() + "_owner; CREATE TABLE " + w.schema() + ".later (n int); RESET ROLE")
				w.query("SELECT 1/has_table_privilege('" + w.schema() + "_reader', '" + w.schema() + ".later', 'SELECT')::int || ''")
				return nil
			},
		},
	}
}

const wholeTenantWithWildcard = "bucket 1, customer 1, organization 1, record 2, role 2, schema 1, subscription 1"

func TestAccDriftShowsInThePlanAndTheNextApplyRepairsIt(t *testing.T) {
	w := onRealServers(t)
	tenant := w.acme()
	tenant.domain = `{ hostname = "acme.` + w.zone + `", target = "edge.example.net", wildcard = true }`
	config := w.config(tenant)
	steps := []resource.TestStep{{Config: config, ConfigStateChecks: []statecheck.StateCheck{ready()}}}
	for _, d := range drifts() {
		steps = append(steps,
			resource.TestStep{ // only looks
				PreConfig:    func() { t.Log(d.name); d.hand(w) },
				RefreshState: true, ExpectNonEmptyPlan: true,
				RefreshPlanChecks: resource.RefreshPlanChecks{PostRefresh: []plancheck.PlanCheck{
					plancheck.ExpectResourceAction(acme, plancheck.ResourceActionUpdate),
				}},
				Check: differencesSay(d.says),
			},
			resource.TestStep{ // repairs
				Config: config,
				ConfigPlanChecks: resource.ConfigPlanChecks{
					PreApply:             []plancheck.PlanCheck{plancheck.ExpectNonEmptyPlan(), priorValue{d.where, d.what}},
					PostApplyPostRefresh: []plancheck.PlanCheck{plancheck.ExpectEmptyPlan()},
				},
				ConfigStateChecks: []statecheck.StateCheck{ready(), noDifferencesLeft()},
				Check:             func(*terraform.State) error { return d.repaired(w) },
			},
		)
	}
	run(t, steps...)
	w.mustHold(nothing)
}

// differencesSay looks for words in the differences of a degraded tenant.
func differencesSay(words string) resource.TestCheckFunc {
	return func(s *terraform.State) error {
		attributes := s.RootModule().Resources[acme].Primary.Attributes
		var lines []string
		for name, value := range attributes {
			if strings.HasPrefix(name, "differences.") {
				lines = append(lines, value)
			}
		}
		if attributes["status"] != "degraded" || !strings.Contains(strings.Join(lines, "\n"), words) {
			return fmt.Errorf("a %s tenant differs in %q, want a degraded one and %q", attributes["status"], lines, words)
		}
		return nil
	}
}

// priorValue checks what a plan starts from, which is what the refresh saw.
type priorValue struct {
	where tfjsonpath.Path
	want  knownvalue.Check
}

// CheckPlan implements plancheck.PlanCheck.
func (p priorValue) CheckPlan(_ context.Context, req plancheck.CheckPlanRequest, resp *plancheck.CheckPlanResponse) {
	for _, change := range req.Plan.ResourceChanges {
		if change.Address != acme {
			continue
		}
		got, err := tfjsonpath.Traverse(change.Change.Before, p.where)
		if err == nil {
			err = p.want.CheckValue(got)
		}
		resp.Error = err
		return
	}
	resp.Error = fmt.Errorf("the plan does not mention %s", acme)
}

func TestAccABackendThatCannotBeReadIsAnErrorAndStateStays(t *testing.T) {
	w := onRealServers(t)
	proxy := inFrontOf(t, w.powerDNS.URL)
	w.dnsURL = proxy.URL
	config := w.config(w.acme())
	steps := []resource.TestStep{{Config: config}}
	for _, answer := range []struct {
		name   string
		status int
		body   string
		says   string
	}{
		{"unavailable", http.StatusServiceUnavailable, "try later", "503"},
		{"a page of a proxy", http.StatusOK, "<html><body>Sign in</body></html>", "HTML|not JSON"},
		{"credentials refused", http.StatusUnauthorized, "Unauthorized", "401|credentials|api_key|key"},
	} {
		steps = append(steps, resource.TestStep{
			PreConfig: func() { t.Log(answer.name); proxy.answer("", answer.status, answer.body) },
			Config:    config, PlanOnly: true, ExpectError: regexp.MustCompile(`(?is)domain.*(` + answer.says + `)`),
		}, resource.TestStep{ // nothing was lost or made
			PreConfig: proxy.heal,
			Config:    config,
			ConfigPlanChecks: resource.ConfigPlanChecks{
				PreApply: []plancheck.PlanCheck{plancheck.ExpectEmptyPlan()},
			},
			Check: w.holdsNow(wholeTenant),
		})
	}
	for _, effect := range []sandbox.Effect{sandbox.Unavailable, sandbox.HTML, sandbox.Unauthorized, sandbox.Truncated} {
		for _, system := range []string{"keycloak", "stripe"} {
			steps = append(steps, resource.TestStep{
				PreConfig: func() {
					t.Log(system, effect)
					_, err := w.admin.AddFault(context.Background(), sandbox.Fault{System: system, Effect: effect, Count: -1})
					w.must(err)
				},
				Config: config, PlanOnly: true, ExpectError: regexp.MustCompile(`(identity|billing)`),
			}, resource.TestStep{
				PreConfig: func() { w.must(w.admin.ForgetFaults(context.Background())) },
				Config:    config, PlanOnly: true,
			})
		}
	}
	run(t, steps...)
	w.mustHold(nothing)
}
