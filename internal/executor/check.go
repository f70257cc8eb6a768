package executor

import (
	"context"
	"slices"

	"github.com/tenantplane/terraform-provider-tenant/internal/backend"
	"github.com/tenantplane/terraform-provider-tenant/internal/engine"
	"github.com/tenantplane/terraform-provider-tenant/internal/fault"
)

// Check tells, without changing anything, what would make an apply of this
// view fail: a missing backend, a zone or price that does not exist, wrong
// credentials, an object that belongs to somebody else.
func (x *Executor) Check(ctx context.Context, v View) []*fault.Fault {
	faults := x.CheckBackends(ctx, v)
	plan := engine.Converge(v.Desired, v.Departing, v.Seen, x.Clock.Now())
	for _, f := range plan.Faults {
		if !slices.ContainsFunc(faults, func(known *fault.Fault) bool { return known.Error() == f.Fault.Error() }) {
			faults = append(faults, f.Fault)
		}
	}
	return faults
}

// CheckBackends is Check without a look at the objects that exist.
func (x *Executor) CheckBackends(ctx context.Context, v View) []*fault.Fault {
	var faults []*fault.Fault
	for _, component := range v.components() {
		faults = append(faults, x.checkComponent(ctx, v, component)...)
	}
	return faults
}

// checkComponent asks one component's backend.
func (x *Executor) checkComponent(ctx context.Context, v View, component string) []*fault.Fault {
	b, f := x.Backends(component, v.Desired.Subject.Region)
	if f != nil {
		return []*fault.Fault{f}
	}
	checker, offered := b.(backend.Checker)
	if !offered {
		return nil
	}
	var wants []backend.Want
	for _, o := range v.Desired.Objects {
		if o.ID.Component == component {
			wants = append(wants, backend.Want{Target: v.target(o), Fields: o.Fields, Inputs: o.Inputs})
		}
	}
	var faults []*fault.Fault
	for _, f := range checker.Check(ctx, wants) {
		faults = append(faults, describeFault(f, backend.Target{Component: component, Path: component}))
	}
	return faults
}

// components lists the components in use, in dependency order.
func (v View) components() []string {
	var names []string
	for _, o := range v.Desired.Objects {
		if !slices.Contains(names, o.ID.Component) {
			names = append(names, o.ID.Component)
		}
	}
	return names
}
