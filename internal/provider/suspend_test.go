package provider_test

import (
	"errors"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/hashicorp/terraform-plugin-testing/helper/resource"
	"github.com/hashicorp/terraform-plugin-testing/knownvalue"
	"github.com/hashicorp/terraform-plugin-testing/plancheck"
	"github.com/hashicorp/terraform-plugin-testing/statecheck"
	"github.com/hashicorp/terraform-plugin-testing/terraform"
	"github.com/hashicorp/terraform-plugin-testing/tfjsonpath"

	"github.com/tenantplane/terraform-provider-tenant/internal/executor"
	"github.com/tenantplane/terraform-provider-tenant/internal/ledger"
	"github.com/tenantplane/terraform-provider-tenant/internal/provider"
	"github.com/tenantplane/terraform-provider-tenant/internal/tenant"
)

// visited gives an order about acme and lets a sweep carry it out.
func (w *world) visited(want ledger.Status, order func(*executor.Executor) error) func() {
	return func() {
		w.t.Helper()
		session, err := provider.Program{}.Open(w.t.Context(), provider.Config{
			Ledger: provider.LedgerConfig{Path: w.ledger}, Installation: w.installation,
			Sandbox: &provider.SandboxConfig{Path: w.settings.sandbox, Zones: w.zones, Plans: w.plans},
		})
		if err != nil {
			w.t.Fatal(err)
		}
		defer session.Close()
		if err := order(session.Executor); err != nil {
			w.t.Fatal(err)
		}
		outcome, err := session.Executor.VisitUntil(w.t.Context(), "acme", want, "test")
		if err != nil || outcome.Status != want {
			w.t.Fatal(outcome.Status, outcome.Faults, err)
		}
	}
}

func TestAccASuspensionIsNoChangeToTerraformAndKeepsTheGateOpen(t *testing.T) {
	w := inSandbox(t)
	suspend := func(x *executor.Executor) error {
		_, err := x.Suspend(w.t.Context(), "acme", "unpaid", "test")
		return err
	}
	resume := func(x *executor.Executor) error {
		_, err := x.Resume(w.t.Context(), "acme", "paid", "test")
		return err
	}
	config := w.config(w.acme()) + gate + "data \"tenant_status\" \"acme\" {\n  tenant_id  = \"acme\"\n  depends_on = [tenant.acme]\n}\n"
	moved := w.acme()
	moved.billing = `{ plan = "pro", email = "ap@acme.example", seats = 6 }`
	same := resource.ConfigPlanChecks{PreApply: []plancheck.PlanCheck{plancheck.ExpectEmptyPlan()}}
	shows := func(s ledger.Status) []statecheck.StateCheck {
		return []statecheck.StateCheck{statecheck.ExpectKnownValue(acme, tfjsonpath.New("status"), knownvalue.StringExact(string(s)))}
	}
	run(t,
		resource.TestStep{Config: config},
		resource.TestStep{PreConfig: w.visited(ledger.Suspended, suspend), Config: config, ConfigPlanChecks: same, ConfigStateChecks: append(shows(ledger.Suspended),
			statecheck.ExpectKnownValue("data.tenant_status.acme", tfjsonpath.New("suspend_reason"), knownvalue.StringExact("unpaid")))},
		resource.TestStep{ // what does not let anybody in still changes
			Config: w.config(moved) + gate, ConfigStateChecks: shows(ledger.Suspended),
		},
		resource.TestStep{PreConfig: w.visited(ledger.Ready, resume), Config: w.config(moved) + gate, ConfigPlanChecks: same, ConfigStateChecks: shows(ledger.Ready)},
	)
}

func TestAccADriftPolicyIsStoredAsItIsWritten(t *testing.T) {
	w := inSandbox(t)
	d := w.acme()
	d.rest = `  drift = {
    policy     = "repair"
    components = { billing = "report" }
    ignore     = ["domain.record.ttl"]
  }`
	config := w.config(d)
	run(t,
		resource.TestStep{Config: config, Check: w.hasDrift(tenant.Drift{
			Policy: tenant.RepairDrift, Components: map[string]tenant.DriftPolicy{"billing": tenant.ReportDrift}, Ignore: []string{"domain.record.ttl"},
		})},
		resource.TestStep{Config: config, ConfigPlanChecks: resource.ConfigPlanChecks{PreApply: []plancheck.PlanCheck{plancheck.ExpectEmptyPlan()}}},
		resource.TestStep{
			ResourceName: acme, ImportState: true, ImportStateId: "acme", ImportStateVerify: true, ImportStateVerifyIdentifierAttribute: "tenant_id",
			ImportStateVerifyIgnore: []string{"timeouts"},
		},
	)
}

// hasDrift wants the ledger to hold a drift policy.
func (w *world) hasDrift(want tenant.Drift) resource.TestCheckFunc {
	return func(*terraform.State) error {
		store, err := provider.OpenExistingLedger(w.t.Context(), w.ledger)
		if err != nil {
			return err
		}
		defer store.Close()
		row, err := store.Tenant(w.t.Context(), "acme")
		if err != nil {
			return err
		}
		if diff := cmp.Diff(want, row.Spec.Drift); diff != "" {
			return errors.New(diff)
		}
		return nil
	}
}
