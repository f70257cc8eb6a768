package provider_test

import (
	"testing"
	"time"

	"github.com/tenantplane/terraform-provider-tenant/internal/ledger"
	"github.com/tenantplane/terraform-provider-tenant/internal/provider"
	"github.com/tenantplane/terraform-provider-tenant/internal/sandbox"
)

// Terraform forgets a tenant whose create failed with an error; a sweep that made
// it later would make what is in no state.
func TestAccACreateThatFailedLeavesNothingForASweep(t *testing.T) {
	w := inSandbox(t)
	d := w.acme()
	d.identity, d.database, d.storage, d.domain = "", "", "", ""
	if _, err := w.admin.AddFault(t.Context(), sandbox.Fault{System: "stripe", Method: "POST", Path: "customers", Count: -1, Effect: sandbox.Forbidden}); err != nil {
		t.Fatal(err)
	}
	c := newCLI(t, w.config(d))
	c.run(1, "apply", "-auto-approve")
	c.run(0, "state", "list")
	if err := w.admin.ForgetFaults(t.Context()); err != nil {
		t.Fatal(err)
	}
	store, err := provider.OpenExistingLedger(t.Context(), w.ledger)
	if err != nil {
		t.Fatal(err)
	}
	defer store.Close()
	due, err := store.Due(t.Context(), ledger.DueFilter{At: time.Now().Add(365 * 24 * time.Hour)})
	if err != nil || len(due) != 0 {
		t.Errorf("due within a year: %v (%v)", due, err)
	}
	c.run(0, "apply", "-auto-approve")
	c.run(0, "destroy", "-auto-approve")
	w.mustHold(nothing)
}
