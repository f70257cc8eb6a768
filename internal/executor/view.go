package executor

import (
	"context"
	"errors"
	"fmt"

	"github.com/tenantplane/terraform-provider-tenant/internal/engine"
	"github.com/tenantplane/terraform-provider-tenant/internal/fault"
	"github.com/tenantplane/terraform-provider-tenant/internal/ledger"
	"github.com/tenantplane/terraform-provider-tenant/internal/tenant"
)

// View is one tenant as it is wanted, remembered and seen.
type View struct {
	// Tenant is the ledger's row; its ID is "" when the ledger has none.
	Tenant ledger.Tenant
	// Desired is the compiled spec.
	Desired engine.Desired
	// Departing are recorded objects that the spec does not want.
	Departing []engine.Object
	// Rows are the ledger's objects.
	Rows map[engine.ObjectID]ledger.Object
	// Seen is what the backends said, joined with what is recorded.
	Seen engine.Sightings
}

// SpecFaults is the error for a spec that does not compile.
type SpecFaults struct{ Faults []*fault.Fault }

// Error implements error.
func (e *SpecFaults) Error() string {
	errs := make([]error, 0, len(e.Faults))
	for _, f := range e.Faults {
		errs = append(errs, f)
	}
	return errors.Join(errs...).Error()
}

// Look observes every object of a tenant, wanted or recorded, and changes
// nothing. A backend that cannot be reached is a fault in that object's
// sighting, not an error; errors are the ledger's own and *SpecFaults.
func (x *Executor) Look(ctx context.Context, spec tenant.Spec) (View, error) {
	row, err := x.Ledger.Tenant(ctx, spec.Subject.ID)
	if err != nil && !errors.Is(err, ledger.ErrNotFound) {
		return View{}, fmt.Errorf("load tenant %s: %w", spec.Subject.ID, err)
	}
	return x.look(ctx, spec, row)
}

// look observes a tenant whose row was read already: what is seen and what is
// written later must belong to one generation.
func (x *Executor) look(ctx context.Context, spec tenant.Spec, row ledger.Tenant) (View, error) {
	view, err := x.load(ctx, spec, row)
	if err != nil {
		return View{}, err
	}
	x.observe(ctx, &view, nil)
	return view, nil
}

// load compiles the spec and joins it with the ledger's memory.
func (x *Executor) load(ctx context.Context, spec tenant.Spec, row ledger.Tenant) (View, error) {
	desired, faults := engine.Compile(x.Components, spec)
	if len(faults) > 0 {
		return View{}, &SpecFaults{Faults: faults}
	}
	desired.Suspended = row.IsSuspended()
	view := View{Tenant: row, Desired: desired, Rows: map[engine.ObjectID]ledger.Object{}, Seen: engine.Sightings{}}
	if err := x.remember(ctx, &view); err != nil {
		return View{}, err
	}
	return view, nil
}

// remember fills in the records of all objects and finds the departing ones.
func (x *Executor) remember(ctx context.Context, view *View) error {
	id := view.Desired.Subject.ID
	rows, err := x.Ledger.Objects(ctx, id)
	if err != nil {
		return fmt.Errorf("load objects of tenant %s: %w", id, err)
	}
	intents, err := x.Ledger.OpenIntents(ctx, id)
	if err != nil {
		return fmt.Errorf("load intents of tenant %s: %w", id, err)
	}
	open := map[engine.ObjectID]ledger.Intent{}
	for _, i := range intents {
		open[engine.ObjectID{Component: i.Component, Object: i.Object}] = i
	}
	for _, row := range rows {
		view.Rows[engine.ObjectID{Component: row.Component, Object: row.Object}] = row
	}
	view.Departing = x.departing(*view)
	for _, o := range view.objects() {
		if view.moves() && x.Regional(o.ID.Component) {
			continue // what is recorded is elsewhere, and says nothing about this region
		}
		record, err := x.record(ctx, id, o.ID, view.Rows)
		if err != nil {
			return err
		}
		if intent, isOpen := open[o.ID]; isOpen {
			record.IntentOpen = true
			record.Archiving = intent.Verb == string(engine.Archive)
			if intent.Verb == string(engine.Create) {
				record.CreatingSince = intent.LastUsedAt
			}
		}
		view.Seen[o.ID] = engine.Sighting{Record: record}
	}
	return nil
}

// moves tells whether the view is of another region than the tenant lives in:
// the plan of a replacement.
func (v View) moves() bool {
	return v.Tenant.ID != "" && v.Tenant.Status != ledger.Deleted && v.Tenant.Region != v.Desired.Subject.Region
}

// record turns a ledger row, or the memory of an ended life, into a record.
func (x *Executor) record(ctx context.Context, id tenant.ID, object engine.ObjectID, rows map[engine.ObjectID]ledger.Object) (engine.Record, error) {
	if row, found := rows[object]; found {
		return engine.Record{
			Known: true, ExternalID: row.ExternalID, Name: row.Name, Epoch: row.Epoch, Attempt: row.Attempt, PendingUntil: row.PendingUntil,
		}, nil
	}
	epoch, err := x.Ledger.LastEpoch(ctx, id, object.Component, object.Object)
	if err != nil {
		return engine.Record{}, fmt.Errorf("load last epoch of %s of tenant %s: %w", object, id, err)
	}
	return engine.Record{Epoch: epoch, Ended: epoch > 0}, nil
}

// departing compiles the recorded objects that the spec no longer wants from
// the spec they were made with.
func (x *Executor) departing(view View) []engine.Object {
	wanted := map[engine.ObjectID]bool{}
	for _, o := range view.Desired.Objects {
		wanted[o.ID] = true
	}
	var out []engine.Object
	for _, c := range x.Components {
		for _, id := range sortedIDs(view.Rows) {
			if id.Component == c.Name() && !wanted[id] && view.Rows[id].PendingUntil.IsZero() {
				out = append(out, x.fromRow(c, view, view.Rows[id]))
			}
		}
	}
	return out
}

// fromRow rebuilds an object from its row.
func (x *Executor) fromRow(c engine.Component, view View, row ledger.Object) engine.Object {
	id := engine.ObjectID{Component: row.Component, Object: row.Object}
	objects, faults := c.Compile(view.Desired.Subject, view.Tenant.Spec.Deletion, row.Spec)
	if len(faults) == 0 {
		for _, o := range objects {
			if o.ID == id {
				o.Name, o.Spec = row.Name, row.Spec
				return o
			}
		}
	}
	return engine.Object{ID: id, Name: row.Name, Path: row.Component, Fields: row.Fields, Spec: row.Spec}
}

// objects returns all objects, wanted and departing.
func (v View) objects() []engine.Object {
	return append(append([]engine.Object{}, v.Desired.Objects...), v.Departing...)
}

// refs returns the recorded external ids by "component.object".
func (v View) refs() map[string]string {
	out := map[string]string{}
	for id, s := range v.Seen {
		switch {
		case s.Present && s.Owner != engine.Foreign:
			out[id.String()] = s.ExternalID
		case s.Record.Held():
			out[id.String()] = s.Record.ExternalID
		}
	}
	return out
}
