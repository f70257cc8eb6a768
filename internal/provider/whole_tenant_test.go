package provider_test

import (
	"context"
	"fmt"
	"testing"

	"github.com/hashicorp/terraform-plugin-testing/helper/resource"
	"github.com/hashicorp/terraform-plugin-testing/knownvalue"
	"github.com/hashicorp/terraform-plugin-testing/plancheck"
	"github.com/hashicorp/terraform-plugin-testing/statecheck"
	"github.com/hashicorp/terraform-plugin-testing/terraform"
	"github.com/hashicorp/terraform-plugin-testing/tfjsonpath"
)

func TestAccAWholeTenantLivesOnRealServersFromCreateToDestroy(t *testing.T) {
	w := onRealServers(t)
	whole := w.acme()
	changed := whole
	changed.name = "Acme Robotics Inc."
	changed.billing = `{ plan = "pro", email = "ap@acme.example", seats = 8 }`
	changed.storage = `{ versioning = true }`
	changed.domain = fmt.Sprintf(`{ hostname = "acme.%s", target = "edge.example.net", ttl = 60 }`, w.zone)
	without := changed
	without.storage, without.domain = "", ""
	run(t,
		resource.TestStep{
			Config: w.config(whole) + gate,
			ConfigPlanChecks: resource.ConfigPlanChecks{
				PreApply: []plancheck.PlanCheck{
					plancheck.ExpectResourceAction(acme, plancheck.ResourceActionCreate),
					plancheck.ExpectUnknownValue(acme, tfjsonpath.New("billing").AtMapKey("customer_id")),
					plancheck.ExpectUnknownValue(acme, tfjsonpath.New("identity").AtMapKey("organization_id")),
					plancheck.ExpectKnownValue(acme, tfjsonpath.New("domain").AtMapKey("fqdn"), knownvalue.StringExact("acme."+w.zone+".")),
					plancheck.ExpectKnownValue(acme, tfjsonpath.New("storage").AtMapKey("bucket"), knownvalue.StringExact("tnt-acme-"+w.installation)),
				},
				PostApplyPostRefresh: []plancheck.PlanCheck{plancheck.ExpectEmptyPlan()},
			},
			ConfigStateChecks: []statecheck.StateCheck{ready(), noDifferencesLeft()},
			Check:             w.holdsNow(wholeTenant),
		},
		resource.TestStep{
			ResourceName: acme, ImportState: true, ImportStateId: "acme", ImportStateVerify: true,
			ImportStateVerifyIdentifierAttribute: "tenant_id",
			// How long this configuration wants to wait is no fact about the tenant.
			ImportStateVerifyIgnore: []string{"timeouts"},
		},
		resource.TestStep{
			Config: w.config(changed) + gate,
			ConfigPlanChecks: resource.ConfigPlanChecks{
				PreApply: []plancheck.PlanCheck{
					plancheck.ExpectResourceAction(acme, plancheck.ResourceActionUpdate),
					plancheck.ExpectKnownValue(acme, tfjsonpath.New("billing").AtMapKey("customer_id"), knownvalue.NotNull()),
				},
				PostApplyPostRefresh: []plancheck.PlanCheck{plancheck.ExpectEmptyPlan()},
			},
			ConfigStateChecks: []statecheck.StateCheck{ready()},
			Check: resource.ComposeAggregateTestCheckFunc(w.holdsNow(wholeTenant), func(*terraform.State) error {
				versioning, err := w.minio().GetBucketVersioning(context.Background(), "tnt-acme-"+w.installation)
				if err != nil || !versioning.Enabled() {
					return fmt.Errorf("versioning is %v: %w", versioning, err)
				}
				return w.recordIs("acme."+w.zone+". CNAME", "60 edge.example.net.")
			}),
		},
		resource.TestStep{
			Config:           w.config(without) + gate,
			ConfigPlanChecks: resource.ConfigPlanChecks{PostApplyPostRefresh: []plancheck.PlanCheck{plancheck.ExpectEmptyPlan()}},
			Check:            w.holdsNow("customer 1, organization 1, role 2, schema 1, subscription 1"),
		},
		resource.TestStep{
			Config:           w.config(whole) + gate,
			ConfigPlanChecks: resource.ConfigPlanChecks{PostApplyPostRefresh: []plancheck.PlanCheck{plancheck.ExpectEmptyPlan()}},
			Check:            w.holdsNow(wholeTenant),
		},
	)
	w.mustHold(nothing)
}

// ready checks that state says so.
func ready() statecheck.StateCheck {
	return statecheck.ExpectKnownValue(acme, tfjsonpath.New("status"), knownvalue.StringExact("ready"))
}

func noDifferencesLeft() statecheck.StateCheck {
	return statecheck.ExpectKnownValue(acme, tfjsonpath.New("differences"), knownvalue.SetSizeExact(0))
}

// holdsNow checks what the servers hold after an apply.
func (w *world) holdsNow(want string) resource.TestCheckFunc {
	return func(*terraform.State) error {
		if got := w.holds(); got.String() != want {
			return fmt.Errorf("the servers hold %q, want %q: %v", got.String(), want, map[string][]string(got))
		}
		return nil
	}
}

// recordIs compares a record set of the world's zone; "" means absent.
func (w *world) recordIs(name, want string) error {
	if got := w.records()[name]; got != want {
		return fmt.Errorf("record set %s is %q, want %q", name, got, want)
	}
	return nil
}
