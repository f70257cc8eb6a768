package provider_test

import (
	"context"
	"strings"
	"testing"

	"github.com/tenantplane/terraform-provider-tenant/internal/clock"
	"github.com/tenantplane/terraform-provider-tenant/internal/provider"
)

func TestAccFiftyAppliesInARowLeaveOneOfEachObject(t *testing.T) {
	w := inSandbox(t)
	c := newCLI(t, w.config(w.acme())+gate)
	c.run(0, "apply", "-auto-approve")
	first := w.holds()
	if first.String() != wholeTenantInSandbox {
		t.Fatalf("the first apply made %q", first)
	}
	for n := 2; n <= 50; n++ {
		if output := c.run(0, "apply", "-auto-approve"); !strings.Contains(output, "No changes") {
			t.Fatalf("apply %d changed something:\n%s", n, output)
		}
	}
	w.mustHold(wholeTenantInSandbox)
	c.run(0, "destroy", "-auto-approve")
	w.mustHold(nothing)
}

func TestC53_AccPassesBetweenPlanAndApplyNeitherShowNorDisturb(t *testing.T) {
	w := inSandbox(t)
	tenant := w.acme()
	c := newCLI(t, w.config(tenant))
	c.run(0, "apply", "-auto-approve")
	before := w.reconciled()
	w.sweep()
	if after := w.reconciled(); after == before {
		t.Fatal("the pass did not move the ledger's times, so this shows nothing")
	}
	c.run(0, "plan", "-detailed-exitcode") // 0: empty, although the times moved
	tenant.name = "Acme Robotics Inc."
	c.configure(w.config(tenant))
	planned := c.run(2, "plan", "-detailed-exitcode", "-out", "saved.plan")
	for _, leaf := range []string{"customer_id ", "organization_id ", "bucket ", "fqdn "} {
		if strings.Contains(planned, "~ "+leaf) {
			t.Errorf("the plan of a new name shows %s as changing:\n%s", leaf, planned)
		}
	}
	w.sweep()
	c.run(0, "apply", "saved.plan")
	w.sweep()
	c.run(0, "plan", "-detailed-exitcode")
	c.run(0, "destroy", "-auto-approve")
	w.mustHold(nothing)
}

// sweep runs a pass of another process over the tenant.
func (w *world) sweep() {
	w.t.Helper()
	session := w.session()
	defer func() { _ = session.Close() }()
	if err := (clock.System{}).Sleep(context.Background(), 1100e6); err != nil {
		w.t.Fatal(err)
	}
	if _, err := session.Executor.Pass(context.Background(), "acme", "sweep"); err != nil {
		w.t.Fatal(err)
	}
}

// reconciled is when the ledger says that the last pass ended.
func (w *world) reconciled() string {
	w.t.Helper()
	session := w.session()
	defer func() { _ = session.Close() }()
	row, err := session.Ledger().Tenant(context.Background(), "acme")
	if err != nil {
		w.t.Fatal(err)
	}
	return row.LastReconciledAt.String()
}

// session opens what the provider opens, in this process.
func (w *world) session() *provider.Session {
	w.t.Helper()
	session, err := provider.Program{}.Open(context.Background(), provider.Config{
		Installation: w.installation, Ledger: provider.LedgerConfig{Path: w.ledger},
		Sandbox: &provider.SandboxConfig{Path: w.settings.sandbox, Zones: w.zones, Plans: w.plans},
	})
	if err != nil {
		w.t.Fatal(err)
	}
	return session
}
