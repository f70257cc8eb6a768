package drift

import (
	"fmt"
	"time"

	"github.com/tenantplane/terraform-provider-tenant/internal/engine"
	"github.com/tenantplane/terraform-provider-tenant/internal/fault"
	"github.com/tenantplane/terraform-provider-tenant/internal/tenant"
)

// Judge turns the engine's plan for a tenant into what is wrong with it. since
// tells when an object's drift was first seen.
//
//	plan                              | verdict
//	----------------------------------+---------------------------------------
//	create                            | critical: the object is missing
//	update, of a shut off object      | critical
//	update, per field that differs    | warning
//	adopt, delete, archive, forget    | notice: a lost mark, a leftover
//	fault: conflict, terminal         | unhealthy: no apply would mend it
//	fault: anything else              | unread: it could not be looked at
//	held                              | nothing: its cause is in the list
//
// What policy ignores is no drift.
func Judge(t Tenant, plan engine.Plan, policy tenant.Drift, since func(engine.ObjectID) time.Time) Tenant {
	for _, a := range plan.Actions {
		a, relevant := withoutIgnored(a, policy)
		if !relevant {
			continue
		}
		t.Drifts = append(t.Drifts, ofAction(a, since(a.Object.ID))...)
	}
	for _, f := range plan.Faults {
		line := fmt.Sprintf("%s: %s", f.Object, f.Fault)
		if f.Fault.Kind == fault.Conflict || f.Fault.Kind == fault.Terminal && !f.Fault.BackendWide {
			t.Unhealthy = append(t.Unhealthy, line)
			continue
		}
		t.Unread = append(t.Unread, line)
	}
	return t
}

// withoutIgnored is an action without the changes that are ignored; relevant is
// false when nothing is left.
func withoutIgnored(a engine.Action, policy tenant.Drift) (_ engine.Action, relevant bool) {
	component, object := a.Object.ID.Component, a.Object.ID.Object
	if policy.Ignores(component, object, "") {
		return a, false
	}
	had := len(a.Changes) > 0
	a.Changes = policy.Relevant(component, object, a.Changes)
	return a, !had || len(a.Changes) > 0
}

func ofAction(a engine.Action, since time.Time) []Drift {
	whole := Drift{Object: a.Object.ID.String(), Reason: a.Reason, Severity: severityOf(a), Since: since}
	if len(a.Changes) == 0 {
		return []Drift{whole}
	}
	var drifts []Drift
	for _, c := range a.Changes {
		d := whole
		d.Field, d.Observed, d.Desired = c.Field, c.From, c.To
		drifts = append(drifts, d)
	}
	return drifts
}

func severityOf(a engine.Action) Severity {
	switch {
	case a.Verb == engine.Create, a.Verb == engine.Update && len(a.Changes) == 0:
		return Critical
	case a.Verb == engine.Update:
		return Warning
	}
	return Notice
}
