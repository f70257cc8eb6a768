package provider_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/tenantplane/terraform-provider-tenant/internal/sandbox"
)

// These tests are about tenants that must survive what Terraform is asked to
// do to their addresses.

// living is a world with one applied tenant and a command line on it.
func living(t *testing.T, change func(*declaration)) (*world, *cli, declaration) {
	t.Helper()
	w := inSandbox(t)
	d := w.acme()
	if change != nil {
		change(&d)
	}
	c := newCLI(t, w.config(d))
	c.run(0, "apply", "-auto-approve")
	w.mustHold(wholeTenantInSandbox)
	return w, c, d
}

// refuses runs terraform, wants it to fail with words, and the tenant to be
// untouched.
func refuses(w *world, c *cli, words []string, args ...string) {
	c.t.Helper()
	if output := c.run(1, args...); !inOrder(words).MatchString(output) {
		c.t.Errorf("terraform %v does not say %q:\n%s", args, words, output)
	}
	w.mustHold(wholeTenantInSandbox)
}

func TestAccAForcedReplacementOfATenantIsRefused(t *testing.T) {
	w, c, _ := living(t, nil)
	elsewhere := []string{"managed at another address", "replacement is being forced", "terraform untaint"}
	refuses(w, c, elsewhere, "apply", "-auto-approve", "-replace=tenant.acme")
	c.run(0, "taint", "tenant.acme")
	refuses(w, c, elsewhere, "apply", "-auto-approve")
	c.run(0, "untaint", "tenant.acme")
	c.run(0, "plan", "-detailed-exitcode")
}

func TestAccAProtectedTenantSurvivesAForcedReplacementThatNoRefreshGaveAway(t *testing.T) {
	w, c, _ := living(t, func(d *declaration) { d.deletion = `{ protection = true, data = "delete" }` })
	c.run(0, "taint", "tenant.acme")
	refuses(w, c, []string{"deletion.protection"}, "apply", "-auto-approve", "-refresh=false")
}

func TestAccCreateBeforeDestroyNeverEndsTheLivingTenant(t *testing.T) {
	w, c, _ := living(t, func(d *declaration) { d.rest = "lifecycle {\n  create_before_destroy = true\n}" })
	c.run(0, "taint", "tenant.acme")
	refuses(w, c, []string{"managed at another address"}, "apply", "-auto-approve")
	// Without a refresh the plan cannot tell; the claim does when it comes to it.
	refuses(w, c, []string{"managed at another address"}, "apply", "-auto-approve", "-refresh=false")
	output := c.run(0, "apply", "-auto-approve", "-refresh=false")
	if !strings.Contains(output, "was not destroyed") {
		t.Errorf("the leftover address left without a word:\n%s", output)
	}
	w.mustHold(wholeTenantInSandbox)
	c.run(0, "plan", "-detailed-exitcode")
}

func TestAccASecondAddressAndARenameAreRefusedAndAMoveIsNothing(t *testing.T) {
	w, c, d := living(t, nil)
	again := d
	again.label = "again"
	c.configure(w.config(d, again))
	refuses(w, c, []string{"managed at another address", "id of its own"}, "apply", "-auto-approve")
	c.configure(w.config(again))
	refuses(w, c, []string{"managed at another address", "moved block"}, "apply", "-auto-approve")
	c.configure(w.config(again) + "moved {\n  from = tenant.acme\n  to   = tenant.again\n}\n")
	c.run(0, "apply", "-auto-approve")
	w.mustHold(wholeTenantInSandbox)
}

func TestAccAnotherRegionIsAReplacementThatLeavesNothingBehind(t *testing.T) {
	w, c, d := living(t, nil)
	moved := d
	moved.region = "eu-west"
	moved.rest = "lifecycle {\n  create_before_destroy = true\n}"
	c.configure(w.config(moved))
	refuses(w, c, []string{"lives in region", "us-east", "create_before_destroy"}, "apply", "-auto-approve")
	moved.rest = ""
	c.configure(w.config(moved))
	c.run(0, "apply", "-auto-approve")
	w.mustHold(wholeTenantInSandbox)
	if left, _ := filepath.Glob(filepath.Join(w.settings.sandbox, "databases", "us-east", "tnt*")); len(left) > 0 {
		t.Errorf("the old region still holds %v", left)
	}
	c.run(0, "plan", "-detailed-exitcode")
}

func TestAccATenantWhoseRecordWasRefusedCanStillBeDestroyed(t *testing.T) {
	w := inSandbox(t)
	c := newCLI(t, w.config(w.acme()))
	if _, err := w.admin.AddFault(t.Context(), sandbox.Fault{System: "powerdns", Method: "PATCH", Count: -1, Effect: sandbox.Forbidden}); err != nil {
		t.Fatal(err)
	}
	if output := c.run(0, "apply", "-auto-approve"); !strings.Contains(output, "Tenant acme is not ready: failed") {
		t.Errorf("the tenant did not fail:\n%s", output)
	}
	w.mustHold(strings.Replace(wholeTenantInSandbox, "record 1, ", "", 1))
	c.run(0, "destroy", "-auto-approve")
	w.mustHold(nothing)
}

func TestAccARecordThatSomebodyElseHasIsRefusedBeforeAnythingIsMade(t *testing.T) {
	w := inSandbox(t)
	c := newCLI(t, w.config(w.acme()))
	c.run(0, "plan", "-out", "saved.plan")
	w.must(w.admin.PutRecords(t.Context(), w.zone+".", "acme."+w.zone+".", "CNAME",
		sandbox.RecordSet{TTL: 300, Contents: []string{"stranger.example.net."}}))
	if output := c.run(1, "apply", "saved.plan"); !inOrder([]string{"domain.hostname", "stranger.example.net.", "edge.example.net."}).MatchString(output) {
		t.Errorf("the refusal does not show both values:\n%s", output)
	}
	w.mustHold("record 1") // the stranger's
}

func TestAccTwoTenantsWithOneHostNameAreRefusedAtPlan(t *testing.T) {
	w := inSandbox(t)
	second := w.acme()
	second.label, second.id, second.name, second.identity = "second", "second", "Second", ""
	c := newCLI(t, w.config(w.acme(), second))
	if output := c.run(1, "plan"); !inOrder([]string{"domain.hostname", "is wanted by tenant"}).MatchString(output) {
		t.Errorf("the plan does not say who wants the name:\n%s", output)
	}
	w.mustHold(nothing)
}

func TestAccDroppingDataFromAProtectedTenantIsRefused(t *testing.T) {
	w, c, d := living(t, func(d *declaration) { d.deletion = `{ protection = true, data = "delete" }` })
	d.database = ""
	c.configure(w.config(d))
	refuses(w, c, []string{"database", "data away", "deletion.protection"}, "apply", "-auto-approve")
	d.deletion = `{ data = "delete" }`
	whole := d
	whole.database = `{}`
	c.configure(w.config(whole))
	c.run(0, "apply", "-auto-approve")
	c.configure(w.config(d))
	if output := c.run(0, "apply", "-auto-approve"); !strings.Contains(output, "delete database.schema") {
		t.Errorf("the plan does not tell what goes:\n%s", output)
	}
	w.mustHold(strings.Replace(wholeTenantInSandbox, ", schema 1", "", 1))
}

func TestAccAnOddWorkspaceNameOwnsItsTenants(t *testing.T) {
	w := inSandbox(t)
	w.workspace = `C:\team "one"`
	c := newCLI(t, w.config(w.acme()))
	c.run(0, "apply", "-auto-approve")
	changed := w.acme()
	changed.name = "Acme Machines"
	c.configure(w.config(changed))
	c.run(0, "apply", "-auto-approve")
	c.run(0, "destroy", "-auto-approve")
	w.mustHold(nothing)
}

func TestAccALedgerThatOnlyAnApplyWillKnowIsRefusedAtPlan(t *testing.T) {
	w := inSandbox(t)
	config := strings.Replace(w.config(w.acme()), "path = "+quote(w.ledger), "path = terraform_data.ledger.output", 1)
	c := newCLI(t, config+"resource \"terraform_data\" \"ledger\" {\n  input = \"x.db\"\n}\n")
	if output := c.run(1, "plan"); !inOrder([]string{"Not known at plan", "ledger"}).MatchString(output) {
		t.Errorf("the plan does not refuse:\n%s", output)
	}
	if _, err := os.Stat(filepath.Join(c.folder, "tenant-ledger.db")); err == nil {
		t.Error("a stray ledger was made")
	}
}

func TestAccAHostNameThatOnlyAnApplyKnowsIsAppliedAsPlanned(t *testing.T) {
	w := inSandbox(t)
	d := w.acme()
	d.domain = `{ hostname = "${terraform_data.name.output}.` + w.zone + `", target = "edge.example.net" }`
	with := func(name string) string {
		return w.config(d) + "resource \"terraform_data\" \"name\" {\n  input = " + quote(name) + "\n}\n"
	}
	c := newCLI(t, with("first"))
	c.run(0, "apply", "-auto-approve")
	c.configure(with("second"))
	c.run(0, "apply", "-auto-approve")
	c.run(0, "plan", "-detailed-exitcode")
	w.mustHold(wholeTenantInSandbox)
}

func TestAccAnImportTakesTheTenantOver(t *testing.T) {
	w, old, d := living(t, nil)
	w.workspace = "new owner"
	fresh := newCLI(t, w.config(d))
	fresh.run(0, "import", "tenant.acme", "acme")
	fresh.run(0, "apply", "-auto-approve")
	refuses(w, old, []string{"belongs to another state", "new owner"}, "destroy", "-auto-approve")
	fresh.run(0, "destroy", "-auto-approve")
	w.mustHold(nothing)
}
