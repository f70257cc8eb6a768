package provider_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/tenantplane/terraform-provider-tenant/internal/acctest"
)

// Two pipelines in containers check out at the same path and share a ledger.
func TestAccAnotherConfigurationAtTheSamePathCannotTakeATenant(t *testing.T) {
	w := inSandbox(t)
	w.ledger = acctest.Postgres(t).NewDatabase(t)
	c := newCLI(t, w.config(w.acme()))
	c.run(0, "apply", "-auto-approve")
	state := filepath.Join(c.folder, "terraform.tfstate")
	if err := os.Rename(state, state+".first"); err != nil {
		t.Fatal(err)
	}
	c.run(0, "apply", "-auto-approve") // the same declaration: its state was lost
	if err := os.Remove(state); err != nil {
		t.Fatal(err)
	}
	other := w.acme()
	other.name = "Another customer"
	c.configure(w.config(other))
	if said := c.run(1, "apply", "-auto-approve"); !strings.Contains(said, "Tenant belongs to another") && !strings.Contains(said, "claim") {
		t.Error(said)
	}
	c.configure(w.config(w.acme()))
	c.run(0, "apply", "-auto-approve")
	c.run(0, "plan", "-detailed-exitcode")
}
