package provider_test

import (
	"net/http"
	"regexp"
	"testing"

	"github.com/hashicorp/terraform-plugin-testing/helper/resource"
	"github.com/hashicorp/terraform-plugin-testing/knownvalue"
	"github.com/hashicorp/terraform-plugin-testing/plancheck"
	"github.com/hashicorp/terraform-plugin-testing/statecheck"
	"github.com/hashicorp/terraform-plugin-testing/tfjsonpath"
)

// withoutRecord is a whole tenant whose DNS could not be written.
const withoutRecord = "bucket 1, customer 1, organization 1, role 2, schema 1, subscription 1"

func TestAccACreateThatCannotFinishIsNeverTaintedAndTheNextApplyGoesOn(t *testing.T) {
	for name, trouble := range map[string]struct {
		begin  func(*proxy)
		status string
	}{
		"refused":      {func(p *proxy) { p.answer(http.MethodPatch, http.StatusUnprocessableEntity, `{"error":"no"}`) }, "failed"},
		"out of order": {func(p *proxy) { p.answer(http.MethodPatch, http.StatusInternalServerError, "oops") }, "reconciling|waiting|failed"},
		"silent":       {func(p *proxy) { p.hang(http.MethodPatch) }, "reconciling|waiting|failed"},
	} {
		t.Run(name, func(t *testing.T) {
			w := onRealServers(t)
			dns := inFrontOf(t, w.powerDNS.URL)
			w.dnsURL = dns.URL
			tenant := w.acme()
			tenant.timeouts = `{ create = "4s", update = "15s", delete = "15s" }`
			run(t,
				resource.TestStep{ // exits 0 although PowerDNS refuses every change
					PreConfig: func() { trouble.begin(dns) },
					Config:    w.config(tenant), ExpectNonEmptyPlan: true,
					ConfigStateChecks: []statecheck.StateCheck{
						statecheck.ExpectKnownValue(acme, tfjsonpath.New("status"), knownvalue.StringRegexp(regexp.MustCompile(trouble.status))),
					},
					ConfigPlanChecks: resource.ConfigPlanChecks{PostApplyPostRefresh: []plancheck.PlanCheck{
						plancheck.ExpectResourceAction(acme, plancheck.ResourceActionUpdate), // a tainted one would be replaced
					}},
					Check: w.holdsNow(withoutRecord),
				},
				resource.TestStep{ // heals, and the apply goes on where it stopped
					PreConfig: dns.heal,
					Config:    w.config(tenant) + gate,
					ConfigPlanChecks: resource.ConfigPlanChecks{
						PreApply:             []plancheck.PlanCheck{plancheck.ExpectResourceAction(acme, plancheck.ResourceActionUpdate)},
						PostApplyPostRefresh: []plancheck.PlanCheck{plancheck.ExpectEmptyPlan()},
					},
					ConfigStateChecks: []statecheck.StateCheck{ready(), noDifferencesLeft()},
					Check:             w.holdsNow(wholeTenant),
				},
			)
			w.mustHold(nothing)
		})
	}
}

func TestAccTheGateFailsTheRunOfATenantThatIsNotReady(t *testing.T) {
	w := onRealServers(t)
	dns := inFrontOf(t, w.powerDNS.URL)
	w.dnsURL = dns.URL
	run(t,
		resource.TestStep{
			PreConfig:   func() { dns.answer(http.MethodPatch, http.StatusUnprocessableEntity, `{"error":"no"}`) },
			Config:      w.config(w.acme()) + gate,
			ExpectError: regexp.MustCompile(`(?s)Tenant is not ready.*tenant_id`),
		},
		resource.TestStep{
			PreConfig: dns.heal,
			Config:    w.config(w.acme()) + gate,
			ConfigPlanChecks: resource.ConfigPlanChecks{
				PreApply: []plancheck.PlanCheck{plancheck.ExpectResourceAction(acme, plancheck.ResourceActionUpdate)},
			},
			ConfigStateChecks: []statecheck.StateCheck{ready()},
		},
	)
	w.mustHold(nothing)
}

func TestAccACreateOfWhichNothingExistsIsAnErrorAndLeavesNoState(t *testing.T) {
	w := onRealServers(t)
	dns := inFrontOf(t, w.powerDNS.URL)
	w.dnsURL = dns.URL
	tenant := declaration{id: "acme", name: "Acme", region: w.region, domain: w.acme().domain}
	run(t,
		resource.TestStep{
			PreConfig:   func() { dns.answer(http.MethodPatch, http.StatusUnprocessableEntity, `{"error":"no"}`) },
			Config:      w.config(tenant),
			ExpectError: regexp.MustCompile(`(?s)domain.*422|domain.*refused|domain.hostname`),
		},
		resource.TestStep{
			PreConfig: dns.heal,
			Config:    w.config(tenant),
			ConfigPlanChecks: resource.ConfigPlanChecks{
				PreApply: []plancheck.PlanCheck{plancheck.ExpectResourceAction(acme, plancheck.ResourceActionCreate)},
			},
			Check: w.holdsNow("record 1"),
		},
	)
	w.mustHold(nothing)
}
