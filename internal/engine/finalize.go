package engine

import (
	"fmt"
	"slices"
	"time"

	"github.com/tenantplane/terraform-provider-tenant/internal/fault"
	"github.com/tenantplane/terraform-provider-tenant/internal/tenant"
)

// Finalize plans the end of all objects in d: access off, billing stopped,
// data archived, then removal in the exact reverse of the dependency order,
// the audit record last. now dates retentions.
func Finalize(d Desired, seen Sightings, now time.Time) Plan {
	f := finalizer{desired: d, seen: seen, now: now, required: needs(d)}
	objects := order(d)
	slices.Reverse(objects)
	for _, o := range objects {
		if bad := f.obstacle(o); bad != nil {
			f.plan.Faults = append(f.plan.Faults, ObjectFault{Object: o.ID, Fault: bad})
		} else if f.concerns(o) {
			f.leaving = append(f.leaving, o)
		}
	}
	f.accessOff()
	f.removeWhere(StageStopBilling, func(o Object) bool { return o.Finalization.Billable })
	f.removeWhere(StageArchive, func(o Object) bool { return o.Finalization.Data == tenant.ArchiveData })
	f.removeWhere(StageRemove, func(o Object) bool { return !o.Finalization.Last })
	f.removeWhere(StageRecord, func(Object) bool { return true })
	return f.plan
}

// finalizer builds a finalization plan stage by stage.
type finalizer struct {
	desired  Desired
	seen     Sightings
	now      time.Time
	required map[ObjectID][]ObjectID
	// leaving are the objects to act on, dependents first.
	leaving []Object
	plan    Plan
}

// obstacle returns why nothing can be done about o, if so.
func (f *finalizer) obstacle(o Object) *fault.Fault {
	s := f.seen[o.ID]
	switch {
	case !s.Record.PendingUntil.IsZero():
		return nil // its end is dated; whether it can be seen does not matter
	case s.Fault != nil:
		return s.Fault
	case s.Present && s.Owner == Foreign && s.Record.Held() && o.Finalization.Data != "":
		return conflictFault(f.desired.Subject, o, s, nil)
	case !s.Present && f.now.Sub(s.Record.CreatingSince) < settleTime:
		return fault.NewRetryable(o.ID.Component+".settling",
			fmt.Sprintf("a creation of %s was sent moments ago and never answered; it may still arrive", o.ID), nil)
	default:
		return nil
	}
}

// settleTime is how long after an unanswered creation absence proves nothing:
// as long as a backend's attempt may take.
const settleTime = 30 * time.Second

// concerns tells whether o is there and ours, or recorded in any way.
func (f *finalizer) concerns(o Object) bool {
	s := f.seen[o.ID]
	switch {
	case !s.Record.PendingUntil.IsZero():
		return false // its end is dated already
	case !s.ArchivedUntil.IsZero() && !s.Record.Held():
		return false // archived in place and recorded under the remnant's name
	default:
		return f.endable(o) || s.Record.Held() || s.Record.IntentOpen || s.Record.Known
	}
}

// endable tells whether o exists and is ours to end: by its marker, or without
// one by record or as what an interrupted creation left.
func (f *finalizer) endable(o Object) bool {
	s := f.seen[o.ID]
	switch s.Owner {
	case Ours:
		return s.Present
	case Unmarked:
		recorded := s.Record.Held() && s.Record.ExternalID == s.ExternalID
		// Only a container of data is made first and marked then. Anything else
		// without a mark is a stranger's, whatever we were about to make.
		halfMade := o.Finalization.Data != "" && !s.Record.Held() && s.Record.IntentOpen
		return s.Present && (recorded || halfMade)
	default:
		return false
	}
}

// accessOff disables everything that lets anybody in.
func (f *finalizer) accessOff() {
	for _, o := range f.leaving {
		s := f.seen[o.ID]
		if !o.Finalization.AccessOff || !f.endable(o) {
			continue
		}
		// An open intent may be that of a switch whose evidence was never written.
		if !s.Disabled || s.Record.IntentOpen {
			f.add(Disable, StageAccessOff, o, "nobody may work on what is about to go")
		}
	}
}

// removeWhere plans the removal of the leaving objects that match, and takes
// them off the list.
func (f *finalizer) removeWhere(stage Stage, match func(Object) bool) {
	rest := f.leaving[:0:0]
	for _, o := range f.leaving {
		if !match(o) {
			rest = append(rest, o)
			continue
		}
		switch {
		case stage == StageArchive && f.seen[o.ID].Record.Archiving:
			f.add(Archive, stage, o, "an earlier archive was interrupted")
		case !f.seen[o.ID].Present && (f.seen[o.ID].Record.Held() || f.seen[o.ID].Record.IntentOpen):
			// The object is gone; what belonged to it may not be, and an earlier
			// removal may have been interrupted. The backend knows.
			f.add(Delete, stage, o, "already absent; what is left of it goes")
		case !f.seen[o.ID].Present:
			f.add(Forget, stage, o, "already absent")
		case !f.endable(o):
			f.add(Forget, stage, o, "somebody else's now")
		case stage == StageArchive:
			f.add(Archive, stage, o, "the data policy is archive")
		default:
			f.add(Delete, stage, o, "the tenant is going")
		}
	}
	f.leaving = rest
}

// add appends an action that waits for what must happen before it. Turning
// access off and stopping a bill wait for nothing, whatever else is stuck.
func (f *finalizer) add(verb Verb, stage Stage, o Object, reason string) {
	s := f.seen[o.ID]
	if s.Owner == Unmarked && !s.Record.Held() && o.Finalization.Data != "" {
		o.Finalization.Data = tenant.RetainData // half-made at most: what holds data is a stranger's
	}
	action := newAction(f.desired.Subject, verb, stage, o, s.Record.aliveEpoch(), s.Record.Attempt, reason)
	action.TakeUnmarked = s.Owner == Unmarked
	if verb == Archive {
		action.RetainUntil = retainUntil(o, f.now)
	}
	for _, before := range f.plan.Actions {
		if f.precedes(before, *action) {
			action.Needs = append(action.Needs, before.ID())
		}
	}
	if stage > StageStopBilling && f.waitsForFaulty(o) {
		f.plan.Held = append(f.plan.Held, o.ID)
		return
	}
	f.plan.Actions = append(f.plan.Actions, *action)
}

// precedes tells whether later must wait for before: data waits until access
// is off, a dependency waits for its dependents, the audit record for all.
func (f *finalizer) precedes(before, later Action) bool {
	switch {
	case later.Stage == StageRecord:
		return true
	case before.Stage == StageAccessOff && later.Stage != StageAccessOff && later.Stage != StageStopBilling:
		return later.Object.Finalization.Data != "" || before.Object.ID == later.Object.ID
	default:
		return later.Verb != Disable && slices.Contains(f.required[before.Object.ID], later.Object.ID)
	}
}

// waitsForFaulty tells whether something that needs o, or everything in the
// case of the audit record, could not be dealt with.
func (f *finalizer) waitsForFaulty(o Object) bool {
	stuck := func(id ObjectID) bool {
		return o.Finalization.Last || slices.Contains(f.required[id], o.ID)
	}
	for _, bad := range f.plan.Faults {
		if stuck(bad.Object) {
			return true
		}
	}
	return slices.ContainsFunc(f.plan.Held, stuck)
}
