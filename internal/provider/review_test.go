package provider_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/tenantplane/terraform-provider-tenant/internal/sandbox"
)

// protected makes a declaration's tenant a protected one.
func protected(d *declaration) { d.deletion = `{ protection = true, data = "delete" }` }

func TestAccAProtectedTenantSurvivesReplaceWithoutARefresh(t *testing.T) {
	w, c, _ := living(t, protected)
	refuses(w, c, []string{"replacement is being forced"}, "apply", "-auto-approve", "-refresh=false", "-replace=tenant.acme")
	c.run(0, "plan", "-detailed-exitcode")
}

func TestAccAProtectedTenantDoesNotMoveToAnotherRegion(t *testing.T) {
	w, c, d := living(t, protected)
	d.region = "eu-west"
	c.configure(w.config(d))
	refuses(w, c, []string{"region: changing", "us-east", "eu-west", "deletion.protection"}, "apply", "-auto-approve")
}

// The order in which Terraform plans two resources is only certain when one
// depends on the other.
func TestAccASecondAddressIsRefusedWhicheverIsPlannedFirst(t *testing.T) {
	w, c, first := living(t, nil)
	second := first
	second.label = "again"
	later := first
	later.rest = "depends_on = [tenant.again]"
	c.configure(w.config(later, second))
	refuses(w, c, []string{"managed at another address"}, "plan")
	second.rest = "depends_on = [tenant.acme]"
	c.configure(w.config(first, second))
	refuses(w, c, []string{"managed at another address"}, "plan")
}

func TestAccAnUpdateThatRunsIntoItsTimeoutFailsAndHoldsBackWhatDependsOnIt(t *testing.T) {
	w, c, d := living(t, nil)
	if _, err := w.admin.AddFault(t.Context(), sandbox.Fault{System: "powerdns", Method: "PATCH", Count: -1, Effect: sandbox.Unavailable}); err != nil {
		t.Fatal(err)
	}
	d.domain = strings.Replace(d.domain, "edge.", "other.", 1)
	d.timeouts = `{ create = "30s", update = "3s", delete = "15s" }`
	c.configure(w.config(d) + "resource \"terraform_data\" \"after\" {\n  depends_on = [tenant.acme]\n}\n")
	refuses(w, c, []string{"Interrupted", "run it again"}, "apply", "-auto-approve")
	if state := c.run(0, "state", "list"); strings.Contains(state, "terraform_data.after") {
		t.Errorf("what depends on the tenant was applied:\n%s", state)
	}
	w.must(w.admin.ForgetFaults(t.Context()))
	c.run(0, "apply", "-auto-approve")
	c.run(0, "plan", "-detailed-exitcode")
	if state := c.run(0, "state", "list"); !strings.Contains(state, "terraform_data.after") {
		t.Errorf("the next apply did not finish:\n%s", state)
	}
	w.mustHold(wholeTenantInSandbox)
}

func TestAccAWorkspaceThatOnlyAnApplyWillKnowIsRefusedAtPlan(t *testing.T) {
	w := inSandbox(t)
	w.workspace = "later"
	config := strings.Replace(w.config(w.acme()), quote("later"), "terraform_data.workspace.output", 1)
	c := newCLI(t, config+"resource \"terraform_data\" \"workspace\" {\n  input = \"x\"\n}\n")
	if output := c.run(1, "plan"); !inOrder([]string{"Not known at plan", "workspace"}).MatchString(output) {
		t.Errorf("the plan does not refuse:\n%s", output)
	}
	if _, err := os.Stat(filepath.Join(c.folder, "tenant-ledger.db")); err == nil {
		t.Error("a stray ledger was made")
	}
	w.mustHold(nothing)
}
