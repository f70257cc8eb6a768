package provider_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/hashicorp/terraform-plugin-testing/helper/resource"
	"github.com/hashicorp/terraform-plugin-testing/knownvalue"
	"github.com/hashicorp/terraform-plugin-testing/plancheck"
	"github.com/hashicorp/terraform-plugin-testing/statecheck"
	"github.com/hashicorp/terraform-plugin-testing/terraform"
	"github.com/hashicorp/terraform-plugin-testing/tfjsonpath"
)

// pointing is a tenant with nothing but a domain.
func (w *world) pointing(id, domain string) declaration {
	return declaration{
		label: id, id: id, name: id, region: w.region, domain: strings.ReplaceAll(domain, "ZONE", w.zone),
		timeouts: `{ create = "15s", update = "15s", delete = "15s" }`,
	}
}

// emptyAfter checks that nothing is left to plan after an apply.
func emptyAfter() resource.ConfigPlanChecks {
	return resource.ConfigPlanChecks{PostApplyPostRefresh: []plancheck.PlanCheck{plancheck.ExpectEmptyPlan()}}
}

// empty checks that a configuration changes nothing.
func empty() resource.ConfigPlanChecks {
	return resource.ConfigPlanChecks{PreApply: []plancheck.PlanCheck{plancheck.ExpectEmptyPlan()}}
}

// updates checks that a plan changes the tenant in place.
func updates() resource.ConfigPlanChecks {
	return resource.ConfigPlanChecks{
		PreApply:             []plancheck.PlanCheck{plancheck.ExpectResourceAction(acme, plancheck.ResourceActionUpdate)},
		PostApplyPostRefresh: []plancheck.PlanCheck{plancheck.ExpectEmptyPlan()},
	}
}

func TestC01_AccANameInMixedCaseLeavesNoDiffAndNothingBehind(t *testing.T) {
	w := onRealServers(t)
	run(t, resource.TestStep{
		Config:           w.config(w.pointing("acme", `{ hostname = "Acme.`+strings.ToUpper(w.zone)+`", target = "Edge.Example.NET" }`)),
		ConfigPlanChecks: emptyAfter(), Check: w.holdsNow("record 1"),
		ConfigStateChecks: []statecheck.StateCheck{statecheck.ExpectKnownValue(acme,
			tfjsonpath.New("domain").AtMapKey("target"), knownvalue.StringExact("Edge.Example.NET"))},
	})
	w.mustHold(nothing)
}

func TestC02_AccFourSpellingsOfDotsAreOneRecordEachAndNoDiff(t *testing.T) {
	w := onRealServers(t)
	var tenants []declaration
	for i, dots := range [][2]string{{"", ""}, {"", "."}, {".", ""}, {".", "."}} {
		id := fmt.Sprintf("dots-%d", i)
		tenants = append(tenants, w.pointing(id, fmt.Sprintf(`{ hostname = "%s.ZONE%s", target = "edge.example.net%s" }`, id, dots[0], dots[1])))
	}
	run(t, resource.TestStep{
		Config: w.config(tenants...), ConfigPlanChecks: emptyAfter(),
		Check: func(*terraform.State) error {
			for _, d := range tenants {
				if err := w.recordIs(d.id+"."+w.zone+". CNAME", "300 edge.example.net."); err != nil {
					return err
				}
			}
			return nil
		},
		ConfigStateChecks: []statecheck.StateCheck{statecheck.ExpectKnownValue("tenant.dots-3",
			tfjsonpath.New("domain").AtMapKey("hostname"), knownvalue.StringExact("dots-3."+w.zone+"."))},
	})
	w.mustHold(nothing)
}

func TestC03_AccUnicodeAndItsALabelAreOneName(t *testing.T) {
	w := onRealServers(t)
	run(t,
		resource.TestStep{
			Config: w.config(w.pointing("acme", `{ hostname = "bücher.ZONE", target = "edge.example.net" }`)), ConfigPlanChecks: emptyAfter(),
			Check: func(*terraform.State) error {
				return w.recordIs("xn--bcher-kva."+w.zone+". CNAME", "300 edge.example.net.")
			},
		},
		resource.TestStep{
			Config:           w.config(w.pointing("acme", `{ hostname = "xn--bcher-kva.ZONE", target = "edge.example.net" }`)),
			ConfigPlanChecks: emptyAfter(), Check: w.holdsNow("record 1"),
		},
	)
	w.mustHold(nothing)
}

func TestC08_AccTheOrderAndSpellingOfAddressesDoNotMatter(t *testing.T) {
	w := onRealServers(t)
	addresses := func(list string) string {
		return w.config(w.pointing("acme", `{ hostname = "acme.ZONE", addresses = `+list+` }`))
	}
	run(t,
		resource.TestStep{
			Config: addresses(`["192.0.2.3", "192.0.2.1", "192.0.2.2", "2001:DB8:0::1"]`), ConfigPlanChecks: emptyAfter(), Check: w.holdsNow("record 2"),
		},
		resource.TestStep{Config: addresses(`["2001:DB8:0::1", "192.0.2.1", "192.0.2.2", "192.0.2.3"]`), ConfigPlanChecks: empty()},
		resource.TestStep{
			Config: addresses(`["192.0.2.1", "192.0.2.1 "]`), PlanOnly: true,
			ExpectError: inOrder([]string{"domain.addresses"}),
		},
	)
	w.mustHold(nothing)
}

func TestC09_AccAWildcardAndItsSiblingChangeTogetherAndLeaveNoDiff(t *testing.T) {
	w := onRealServers(t)
	config := func(address string) string {
		return w.config(w.pointing("acme", `{ hostname = "acme.ZONE", addresses = ["`+address+`"], wildcard = true }`))
	}
	both := func(address string) resource.TestCheckFunc {
		return func(*terraform.State) error {
			if err := w.recordIs("*.acme."+w.zone+". A", "300 "+address); err != nil {
				return err
			}
			return w.recordIs("acme."+w.zone+". A", "300 "+address)
		}
	}
	run(t,
		resource.TestStep{Config: config("192.0.2.1"), ConfigPlanChecks: emptyAfter(), Check: both("192.0.2.1")},
		resource.TestStep{Config: config("192.0.2.2"), ConfigPlanChecks: updates(), Check: both("192.0.2.2")},
	)
	w.mustHold(nothing)
}

func TestC10_AccATTLChangesInPlace(t *testing.T) {
	w := onRealServers(t)
	config := func(ttl int) string {
		return w.config(w.pointing("acme", fmt.Sprintf(`{ hostname = "acme.ZONE", target = "edge.example.net", ttl = %d }`, ttl)))
	}
	run(t,
		resource.TestStep{Config: config(3600), ConfigPlanChecks: emptyAfter()},
		resource.TestStep{Config: config(-1), PlanOnly: true, ExpectError: inOrder([]string{"domain.ttl"})},
		resource.TestStep{
			Config: config(300), ConfigPlanChecks: updates(),
			Check: func(*terraform.State) error { return w.recordIs("acme."+w.zone+". CNAME", "300 edge.example.net.") },
		},
	)
	w.mustHold(nothing)
}

func TestC14_AccASchemaWithTablesIsKeptUntilThePolicySaysOtherwise(t *testing.T) {
	w := onRealServers(t)
	retained, archived := w.acme(), w.acme()
	retained.deletion, archived.deletion = "", `{ data = "archive", retention_days = 30 }`
	run(t,
		resource.TestStep{Config: w.config(retained)},
		resource.TestStep{
			PreConfig: func() {
				w.execute("SET ROLE " + w.schema() + "_owner; CREATE TABLE " + w.schema() + ".orders AS SELECT 1 AS id; RESET ROLE")
			},
			Config: w.config(retained), Destroy: true, ExpectError: inOrder([]string{"database", "1 (table|object)"}),
		},
		resource.TestStep{
			PreConfig: func() {
				if subscriptions := w.holds()["subscription"]; len(subscriptions) != 0 {
					t.Errorf("billing goes on: %v", subscriptions)
				}
				if rows := w.query("SELECT id::text FROM " + w.schema() + ".orders"); len(rows) != 1 {
					t.Errorf("the refused destroy left %d rows of one", len(rows))
				}
			},
			Config: w.config(archived), PlanOnly: true, ExpectNonEmptyPlan: true,
		},
		resource.TestStep{Config: w.config(archived)},
	)
	if got := w.query("SELECT nspname FROM pg_namespace WHERE nspname LIKE '%" + w.installation + "%'"); len(got) != 1 {
		t.Errorf("the archive is %v, want one schema", got)
	}
}
