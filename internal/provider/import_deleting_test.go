package provider_test

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/tenantplane/terraform-provider-tenant/internal/sandbox"
)

func TestAccATenantThatIsDeletingCanBeImportedAndDestroyed(t *testing.T) {
	w := inSandbox(t)
	c := newCLI(t, w.config(w.acme()))
	c.run(0, "apply", "-auto-approve")
	if _, err := w.admin.AddFault(t.Context(), sandbox.Fault{System: "stripe", Method: "DELETE", Path: "customers", Count: -1, Effect: sandbox.Forbidden}); err != nil {
		t.Fatal(err)
	}
	c.run(1, "destroy", "-auto-approve")
	if err := w.admin.ForgetFaults(t.Context()); err != nil {
		t.Fatal(err)
	}
	if err := os.Remove(filepath.Join(c.folder, "terraform.tfstate")); err != nil { // lost
		t.Fatal(err)
	}
	c.run(0, "import", "tenant.acme", "acme")
	c.run(0, "destroy", "-auto-approve")
	w.mustHold(nothing)
}
