package executor

import (
	"context"
	"fmt"
	"slices"
	"time"

	"github.com/tenantplane/terraform-provider-tenant/internal/engine"
	"github.com/tenantplane/terraform-provider-tenant/internal/fault"
	"github.com/tenantplane/terraform-provider-tenant/internal/ledger"
	"github.com/tenantplane/terraform-provider-tenant/internal/tenant"
)

// inspect looks at a tenant that was as its spec says, dates drift, and repairs
// what the policy lets it.
func (p *pass) inspect(ctx context.Context) (Outcome, error) {
	all := p.dueForAll()
	pick := p.Cadence.isCritical
	if all {
		pick = nil
	}
	p.watch(ctx, pick)
	if err := ctx.Err(); err != nil {
		return Outcome{}, fmt.Errorf("look at tenant %s: %w", p.view.Tenant.ID, err)
	}
	found := p.drifted(p.view, p.observed)
	if err := p.dateObjects(ctx, found, p.observed); err != nil {
		return Outcome{}, err
	}
	var note *fault.Fault
	if targets := p.repairable(found); len(targets) > 0 {
		var err error
		if note, err = p.repair(ctx, targets, pick); err != nil {
			return Outcome{Status: p.view.Tenant.Status, View: p.view, Faults: p.faults, acted: p.acted}, err
		}
	}
	return p.conclusion(ctx, all, note)
}

// repairable lists the drifted objects that a sweep may repair. An object that
// holds data and is gone is never made anew: an empty one in its place would
// hide the loss.
func (p *pass) repairable(found map[engine.ObjectID]ledger.Condition) map[engine.ObjectID]ledger.Condition {
	out := map[engine.ObjectID]ledger.Condition{}
	row := p.view.Tenant
	if paused(row, p.now()) {
		return out
	}
	for _, o := range p.view.Desired.Objects {
		condition, drifted := found[o.ID]
		lost := condition == ledger.ConditionMissing && o.Finalization.Data != ""
		if drifted && !lost && row.Spec.Drift.PolicyFor(o.ID.Component) == tenant.RepairDrift {
			out[o.ID] = condition
		}
	}
	return out
}

// repair carries out what the engine plans for the targets, and for nothing
// else. note says what was left out on purpose.
func (p *pass) repair(ctx context.Context, targets map[engine.ObjectID]ledger.Condition, seen func(engine.ObjectID) bool) (note *fault.Fault, err error) {
	if seen != nil { // the plan needs to know what the targets depend on
		p.watch(ctx, func(id engine.ObjectID) bool { return !seen(id) })
	}
	plan := engine.Converge(p.view.Desired, nil, p.view.Seen, p.now())
	var actions []engine.Action
	for _, a := range plan.Actions {
		condition, wanted := targets[a.Object.ID]
		if !wanted {
			continue
		}
		if condition == ledger.ConditionMissing {
			if f, err := p.guardAbsence(ctx, a.Object.ID); err != nil {
				return note, err
			} else if f != nil {
				note = f
				continue
			}
		}
		actions = append(actions, sparing(a, p.view.Tenant.Spec.Drift))
	}
	return note, p.run(ctx, engine.Plan{Actions: actions})
}

// sparing is a repair that leaves the fields alone whose drift is ignored.
func sparing(a engine.Action, policy tenant.Drift) engine.Action {
	fields := a.Object.Fields.Clone()
	for _, c := range a.Changes {
		if policy.Ignores(a.Object.ID.Component, a.Object.ID.Object, c.Field) {
			fields.Set(c.Field, c.From...)
		}
	}
	a.Object.Fields = fields
	return a
}

// guardAbsence counts a missing object that is about to be made anew, and
// refuses when there were too many at this backend of late.
func (p *pass) guardAbsence(ctx context.Context, id engine.ObjectID) (*fault.Fault, error) {
	scope := "absence/" + p.place(id.Component, p.view.Desired.Subject.Region)
	tally, err := p.Ledger.Tally(ctx, scope)
	if err != nil {
		return nil, fmt.Errorf("load the guard %s: %w", scope, err)
	}
	if tallyOf(tally).Open(p.now()) {
		return fault.NewTerminal(id.Component+".mass_absence", id.Component,
			fmt.Sprintf("%s is missing, as are many objects of the %s backend; sweeps make no more of them anew until %s",
				id, id.Component, tally.OpenUntil.UTC().Format(time.RFC3339)),
			"find out what happened to the backend; an apply makes the object anew"), nil
	}
	if guard := p.Patience.Absence; !tally.OpenUntil.IsZero() && p.now().Sub(tally.OpenUntil) > guard.Within {
		if err := p.calm(ctx, scope); err != nil { // that was another incident
			return nil, err
		}
	}
	_, err = p.trip(ctx, scope, p.Patience.Absence, fmt.Sprintf("%s of tenant %s is missing", id, p.view.Tenant.ID))
	return nil, err
}

// conclusion writes where the tenant stands after an inspection. A system that
// could not be read leaves the status as it was.
func (p *pass) conclusion(ctx context.Context, all bool, note *fault.Fault) (Outcome, error) {
	row := p.view.Tenant
	o := Outcome{Status: ledger.Ready, View: p.view, Faults: slices.Clone(p.faults), acted: p.acted}
	unread := false
	for _, id := range p.observed {
		if f := p.view.Seen[id].Fault; f != nil {
			unread = true
			o.Faults = append(o.Faults, engine.ObjectFault{Object: id, Fault: f})
		}
	}
	drift, err := p.stillDrifting(ctx)
	if err != nil {
		return o, err
	}
	switch {
	case row.IsSuspended():
		o.Status = ledger.Suspended
	case drift || len(p.faults) > 0:
		o.Status = ledger.Degraded
	case unread:
		o.Status = row.Status
	}
	progress := ledger.Progress{
		Generation: row.DesiredGeneration, Status: o.Status, Observed: true, Examined: all && !unread,
	}
	if len(o.Faults) > 0 {
		note = o.Faults[0].Fault
	}
	if note != nil {
		progress.LastErrorCode, progress.LastError = note.Code, note.Error()
	}
	return o, p.advance(ctx, progress, o.Faults)
}

// stillDrifting tells whether the ledger knows drift of the tenant: what was
// not looked at this time counts as it was.
func (p *pass) stillDrifting(ctx context.Context) (bool, error) {
	rows, err := p.Ledger.Objects(ctx, p.view.Tenant.ID)
	if err != nil {
		return false, fmt.Errorf("load objects of tenant %s: %w", p.view.Tenant.ID, err)
	}
	for _, row := range rows {
		if !row.DriftSince.IsZero() {
			return true, nil
		}
	}
	return false, nil
}
