package provider_test

import (
	"fmt"
	"regexp"
	"testing"

	"github.com/hashicorp/terraform-plugin-testing/helper/resource"
	"github.com/hashicorp/terraform-plugin-testing/knownvalue"
	"github.com/hashicorp/terraform-plugin-testing/statecheck"
	"github.com/hashicorp/terraform-plugin-testing/tfjsonpath"

	"github.com/tenantplane/terraform-provider-tenant/internal/sandbox"
)

func TestAccTheTenantsOfALedgerCanBeListed(t *testing.T) {
	w := inSandbox(t)
	other := declaration{label: "other", id: "northstar", name: "Northstar", region: "eu-west", billing: `{ plan = "pro", email = "ap@northstar.example" }`}
	lists := `
data "tenant_list" "all" {
  depends_on = [tenant.acme, tenant.other]
}
data "tenant_list" "european" {
  region     = "eu-west"
  statuses   = ["ready"]
  depends_on = [tenant.acme, tenant.other]
}
data "tenant_list" "failed" {
  statuses   = ["failed"]
  depends_on = [tenant.acme, tenant.other]
}
`
	ids := func(name string, want ...knownvalue.Check) statecheck.StateCheck {
		return statecheck.ExpectKnownValue("data.tenant_list."+name, tfjsonpath.New("ids"), knownvalue.ListExact(want))
	}
	run(t,
		resource.TestStep{
			Config: w.config(w.acme(), other) + lists,
			ConfigStateChecks: []statecheck.StateCheck{
				ids("all", knownvalue.StringExact("acme"), knownvalue.StringExact("northstar")),
				ids("european", knownvalue.StringExact("northstar")), ids("failed"),
			},
		},
	)
}

func TestAccAListByAStatusThatDoesNotExistIsRefused(t *testing.T) {
	w := inSandbox(t)
	run(t, resource.TestStep{
		Config:      w.config() + "data \"tenant_list\" \"x\" { statuses = [\"lost\"] }\n",
		ExpectError: regexp.MustCompile(`(?s)statuses.*lost`),
	})
}

// The tenant is named by its id: a data source that depends on a resource with
// pending changes is read after them, when there is no drift left.
func TestAccDriftCanBeAskedForInACheck(t *testing.T) {
	w := inSandbox(t)
	look := "data \"tenant_drift\" \"acme\" {\n  tenant_id  = \"acme\"\n}\n"
	value := func(attribute string, want knownvalue.Check) statecheck.StateCheck {
		return statecheck.ExpectKnownValue("data.tenant_drift.acme", tfjsonpath.New(attribute), want)
	}
	run(t,
		resource.TestStep{Config: w.config(w.acme())},
		resource.TestStep{
			Config: w.config(w.acme()) + look,
			ConfigStateChecks: []statecheck.StateCheck{
				value("complete", knownvalue.Bool(true)), value("drifted", knownvalue.Bool(false)), value("drifts", knownvalue.ListSizeExact(0)),
			},
		},
		resource.TestStep{
			PreConfig: func() {
				w.must(w.admin.PutRecords(t.Context(), w.zone+".", "acme."+w.zone+".", "CNAME", sandbox.RecordSet{TTL: 300, Contents: []string{"stray.example.net."}}))
			},
			Config: w.config(w.acme()) + look, // the plan sees the drift, the apply mends it
			Check: resource.ComposeAggregateTestCheckFunc(
				resource.TestCheckResourceAttr("data.tenant_drift.acme", "drifted", "true"),
				resource.TestCheckResourceAttr("data.tenant_drift.acme", "drifts.0.object", "domain.record"),
				resource.TestCheckResourceAttr("data.tenant_drift.acme", "drifts.0.observed.0", "stray.example.net."),
			),
		},
		resource.TestStep{Config: w.config(w.acme())}, // the tenant must be there for the look to be read
	)
}

func TestAccDriftOfATenantNobodyKnowsIsAnError(t *testing.T) {
	w := inSandbox(t)
	run(t, resource.TestStep{
		Config:      w.config() + fmt.Sprintf("data \"tenant_drift\" \"x\" { tenant_id = %q }\n", "nobody"),
		ExpectError: regexp.MustCompile(`(?s)no living tenant "nobody"`),
	})
}
