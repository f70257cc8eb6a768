package engine

import "github.com/tenantplane/terraform-provider-tenant/internal/tenant"

// shutOut turns access off through an object of a suspended tenant, if it is
// there, ours and not off already. Everything else about it waits until the
// tenant is resumed: a change would switch access on again.
func shutOut(subject tenant.Subject, o Object, s Sighting) *Action {
	recorded := s.Owner == Unmarked && s.Record.Held() && s.Record.ExternalID == s.ExternalID
	if !s.Present || s.Owner != Ours && !recorded || s.Disabled && !s.Record.IntentOpen {
		return nil
	}
	action := newAction(subject, Disable, StageAccessOff, o, s.Record.aliveEpoch(), s.Record.Attempt, "the tenant is suspended")
	action.TakeUnmarked = s.Owner == Unmarked
	return action
}
