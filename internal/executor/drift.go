package executor

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/tenantplane/terraform-provider-tenant/internal/engine"
	"github.com/tenantplane/terraform-provider-tenant/internal/event"
	"github.com/tenantplane/terraform-provider-tenant/internal/ledger"
)

// DateDrift writes into the ledger when a recorded object was first seen
// missing or changed, so that the age of drift survives a refresh, and marks
// the tenant degraded. Drift that went away is cleared. A tenant that somebody
// is working on is left alone.
func (x *Executor) DateDrift(ctx context.Context, v View) error {
	if !settledRow(v.Tenant) {
		return nil
	}
	found := x.drifted(v, sortedIDs(v.Rows))
	if len(found) == 0 && settled(v.Tenant.Status) {
		return nil
	}
	lease, err := x.Ledger.Acquire(ctx, v.Tenant.ID, x.holder(), x.Lease)
	if errors.Is(err, ledger.ErrLeased) {
		return nil
	}
	if err != nil {
		return fmt.Errorf("date drift of tenant %s: %w", v.Tenant.ID, err)
	}
	defer func() { _ = x.Ledger.Release(context.WithoutCancel(ctx), lease) }()
	current, err := x.unmoved(ctx, v)
	if err != nil || !current {
		return err
	}
	p := &pass{Executor: x, view: v, lease: lease, lasting: context.WithoutCancel(ctx)}
	return p.dateDrift(ctx, found)
}

// unmoved tells whether the objects are recorded as they were when the view
// was taken; what a pass wrote since is newer than what the view saw.
func (x *Executor) unmoved(ctx context.Context, v View) (bool, error) {
	rows, err := x.Ledger.Objects(ctx, v.Tenant.ID)
	if err != nil {
		return false, fmt.Errorf("load objects of tenant %s: %w", v.Tenant.ID, err)
	}
	if len(rows) != len(v.Rows) {
		return false, nil
	}
	for _, row := range rows {
		before := v.Rows[engine.ObjectID{Component: row.Component, Object: row.Object}]
		if before.ExternalID != row.ExternalID || before.Epoch != row.Epoch || !before.ObservedAt.Equal(row.ObservedAt) {
			return false, nil
		}
	}
	return true, nil
}

// drifted returns the condition of every recorded object among those looked at
// that was seen to differ in a way that is not ignored. That a suspended
// tenant's access is off is as it should be.
func (x *Executor) drifted(v View, looked []engine.ObjectID) map[engine.ObjectID]ledger.Condition {
	out := map[engine.ObjectID]ledger.Condition{}
	ignore := v.Tenant.Spec.Drift
	for _, o := range v.Desired.Objects {
		if !slices.Contains(looked, o.ID) {
			continue
		}
		s := v.Seen[o.ID]
		component, object := o.ID.Component, o.ID.Object
		shut := v.Desired.Suspended && o.Finalization.AccessOff
		switch {
		case s.Fault != nil || !s.Record.Known:
		case s.Present && !s.Record.Held():
			out[o.ID] = ledger.ConditionDrifted // a repair that was not recorded
		case !s.Present:
			if !ignore.Ignores(component, object, "") {
				out[o.ID] = ledger.ConditionMissing
			}
		case s.Disabled != shut && !ignore.Ignores(component, object, ""),
			!shut && len(ignore.Relevant(component, object, s.Fields.Diff(v.Rows[o.ID].Fields))) > 0:
			out[o.ID] = ledger.ConditionDrifted
		}
	}
	return out
}

func (p *pass) dateDrift(ctx context.Context, found map[engine.ObjectID]ledger.Condition) error {
	if err := p.dateObjects(ctx, found, sortedIDs(p.view.Rows)); err != nil {
		return err
	}
	status := ledger.Ready
	switch {
	case p.view.Tenant.IsSuspended():
		status = ledger.Suspended
	case len(found) > 0:
		status = ledger.Degraded
	}
	if status == p.view.Tenant.Status {
		return nil
	}
	row := p.view.Tenant
	err := p.Ledger.Advance(ctx, p.lease, ledger.Progress{
		Generation: row.DesiredGeneration, Status: status, Observed: row.ObservedGeneration == row.DesiredGeneration,
		NextReconcileAt: row.NextReconcileAt, FailureCount: row.FailureCount,
	})
	if err != nil {
		return fmt.Errorf("record drift of tenant %s: %w", row.ID, err)
	}
	return nil
}

// dateObjects writes the conditions of the objects that were looked at. One that
// could not be read keeps its own.
func (p *pass) dateObjects(ctx context.Context, found map[engine.ObjectID]ledger.Condition, looked []engine.ObjectID) error {
	for _, id := range looked {
		row, recorded := p.view.Rows[id]
		if !recorded || p.view.Seen[id].Fault != nil {
			continue
		}
		if err := p.dateObject(ctx, row, found[id]); err != nil {
			return err
		}
	}
	return nil
}

// dateObject writes a change of one object's condition; "" clears drift.
func (p *pass) dateObject(ctx context.Context, row ledger.Object, condition ledger.Condition) error {
	s := ledger.Settlement{Generation: p.view.Tenant.DesiredGeneration, KeepIntent: true}
	switch {
	case condition == row.Condition, condition == "" && row.DriftSince.IsZero():
		return nil
	case condition == "":
		row.Condition, row.DriftSince = ledger.ConditionReady, time.Time{}
	default:
		known := !row.DriftSince.IsZero() && !isDrift(row.Condition) // a repair is under way
		row.Condition = condition
		if row.DriftSince.IsZero() {
			row.DriftSince = p.now()
		}
		if known {
			break
		}
		detected, err := p.event(event.DriftDetected, map[string]any{
			"component": row.Component, "object": row.Object, "condition": string(condition),
		})
		if err != nil {
			return err
		}
		s.Events = []event.Event{detected}
	}
	s.Object = row
	if err := p.Ledger.Settle(ctx, p.currentLease(), s); err != nil {
		return fmt.Errorf("record drift of %s.%s of tenant %s: %w", row.Component, row.Object, p.view.Tenant.ID, err)
	}
	p.view.Rows[engine.ObjectID{Component: row.Component, Object: row.Object}] = row
	return nil
}

func isDrift(c ledger.Condition) bool {
	return c == ledger.ConditionMissing || c == ledger.ConditionDrifted
}
