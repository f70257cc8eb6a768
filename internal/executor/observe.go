package executor

import (
	"cmp"
	"context"
	"maps"
	"slices"
	"sync"

	"golang.org/x/sync/errgroup"

	"github.com/tenantplane/terraform-provider-tenant/internal/backend"
	"github.com/tenantplane/terraform-provider-tenant/internal/engine"
	"github.com/tenantplane/terraform-provider-tenant/internal/fault"
	"github.com/tenantplane/terraform-provider-tenant/internal/ledger"
)

// observe asks the backends about every object: components side by side, the
// objects of one component in order, since a later one may be found through an
// earlier one's id. Objects that pick refuses are left out; nil picks all.
func (x *Executor) observe(ctx context.Context, view *View, pick func(engine.ObjectID) bool) {
	byComponent := map[string][]engine.Object{}
	for _, o := range view.objects() {
		if pick != nil && !pick(o.ID) {
			continue
		}
		byComponent[o.ID.Component] = append(byComponent[o.ID.Component], o)
	}
	var mu sync.Mutex
	var group errgroup.Group
	group.SetLimit(maxParallel)
	for _, name := range slices.Sorted(maps.Keys(byComponent)) {
		group.Go(func() error {
			for _, o := range byComponent[name] {
				mu.Lock()
				sighting, target := view.Seen[o.ID], view.target(o)
				mu.Unlock()
				x.sight(ctx, target, &sighting)
				mu.Lock()
				view.Seen[o.ID] = sighting
				mu.Unlock()
			}
			return nil
		})
	}
	_ = group.Wait() // the goroutines return no errors: faults are in the sightings
}

// target names an object to its backend.
func (v View) target(o engine.Object) backend.Target {
	return backend.Target{
		Subject: v.Desired.Subject, Component: o.ID.Component, Object: o.ID.Object, Name: o.Name, Path: o.Path,
		ExternalID: v.Seen[o.ID].Record.ExternalID, Refs: v.refs(), Hints: o.Fields,
	}
}

// sight fills in what the backend says about one object.
func (x *Executor) sight(ctx context.Context, target backend.Target, s *engine.Sighting) {
	b, f := x.Backends(target.Component, target.Subject.Region)
	if f != nil {
		s.Fault = f
		return
	}
	got, err := x.observeOne(ctx, b, target)
	if fault.Is(err, fault.NotFound) {
		*s = engine.Sighting{Record: s.Record}
		return
	}
	if err != nil {
		s.Fault = describeFault(err, target)
		return
	}
	*s = sighting(target, got, s.Record)
}

// observeOne asks a backend, and counts the call.
func (x *Executor) observeOne(ctx context.Context, b backend.Backend, target backend.Target) (got backend.Observation, err error) {
	x.calls.Add(1)
	ctx, end := x.span(ctx, "tenant.observe", target)
	defer func() {
		if fault.Is(err, fault.NotFound) { // an answer, not a failure
			end(nil)
			return
		}
		end(err)
	}()
	return b.Observe(ctx, target)
}

// sighting translates an observation.
func sighting(target backend.Target, got backend.Observation, record engine.Record) engine.Sighting {
	s := engine.Sighting{
		Present: true, ExternalID: got.ExternalID, Fields: got.Fields, Disabled: got.Disabled,
		ArchivedUntil: got.ArchivedUntil, Marker: got.Marker, Record: record,
	}
	switch {
	case got.Marker.IsZero():
		s.Owner = engine.Unmarked
	case got.Marker == target.Marker():
		s.Owner = engine.Ours
	default:
		s.Owner = engine.Foreign
	}
	return s
}

// describeFault returns err as a fault that names the object's attribute, or
// the backend that is to blame as a whole.
func describeFault(err error, target backend.Target) *fault.Fault {
	f := *fault.From(err)
	switch {
	case f.BackendWide:
		f.Found = "the " + target.Component + " backend: " + f.Found
	case f.Path == "":
		f.Path = target.Path
	}
	return &f
}

func sortedIDs(rows map[engine.ObjectID]ledger.Object) []engine.ObjectID {
	return slices.SortedFunc(maps.Keys(rows), func(a, b engine.ObjectID) int {
		return cmp.Or(cmp.Compare(a.Component, b.Component), cmp.Compare(a.Object, b.Object))
	})
}
