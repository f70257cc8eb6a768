package provider_test

import "testing"

// Field case C62: a targeted destruction takes what was aimed at, and what
// depends on it, and nothing else of the tenant.
func TestC62_AccATargetedDestroyTakesTheGateAloneOrTheWholeTenant(t *testing.T) {
	w := inSandbox(t)
	c := newCLI(t, w.config(w.acme())+gate)
	c.run(0, "apply", "-auto-approve")
	c.run(0, "destroy", "-auto-approve", "-target=tenant_ready.acme")
	w.mustHold(wholeTenantInSandbox)
	c.run(0, "apply", "-auto-approve")
	c.run(0, "plan", "-detailed-exitcode")
	c.run(0, "destroy", "-auto-approve", "-target=tenant.acme")
	w.mustHold(nothing)
	c.run(2, "plan", "-detailed-exitcode") // both are to be made again
}
