package engine

import (
	"slices"
	"time"

	"github.com/tenantplane/terraform-provider-tenant/internal/tenant"
)

// Converge plans the way from what was seen to what is desired. departing are
// objects the ledger records that the spec no longer wants; they are finalized
// after the rest. now dates retentions.
func Converge(d Desired, departing []Object, seen Sightings, now time.Time) Plan {
	var plan Plan
	var off []Action
	required := needs(d)
	blocked := map[ObjectID]bool{}
	actionOf := map[ObjectID]string{}
	for _, o := range order(d) {
		action, f := decide(d.Subject, o, seen[o.ID])
		if d.Suspended && o.Finalization.AccessOff && f == nil {
			if shut := shutOut(d.Subject, o, seen[o.ID]); shut != nil {
				off = append(off, *shut)
			}
			if action != nil && !seen[o.ID].Present {
				plan.Held = append(plan.Held, o.ID)
				blocked[o.ID] = true
			}
			continue // what would change it would let people in again
		}
		switch {
		case f != nil:
			plan.Faults = append(plan.Faults, ObjectFault{Object: o.ID, Fault: f})
			blocked[o.ID] = true
		case slices.ContainsFunc(required[o.ID], func(id ObjectID) bool { return blocked[id] }):
			blocked[o.ID] = true
			if action != nil {
				plan.Held = append(plan.Held, o.ID)
			}
		case action != nil:
			for _, id := range required[o.ID] {
				if before, planned := actionOf[id]; planned {
					action.Needs = append(action.Needs, before)
				}
			}
			actionOf[o.ID] = action.ID()
			plan.Actions = append(plan.Actions, *action)
		}
	}
	plan.Actions = append(off, plan.Actions...)
	leaving := Finalize(Desired{Subject: d.Subject, Objects: gently(departing), DependsOn: d.DependsOn}, seen, now)
	plan.Actions = append(plan.Actions, leaving.Actions...)
	plan.Faults = append(plan.Faults, leaving.Faults...)
	plan.Held = append(plan.Held, leaving.Held...)
	return plan
}

// gently keeps access to data that may turn out to stay: the tenant lives on,
// and a removal that is refused must not leave it locked out.
func gently(departing []Object) []Object {
	out := slices.Clone(departing)
	for i := range out {
		if out[i].Finalization.Data == tenant.RetainData {
			out[i].Finalization.AccessOff = false
		}
	}
	return out
}

// newAction returns an action on o with its idempotency key.
func newAction(subject tenant.Subject, verb Verb, stage Stage, o Object, epoch, attempt int64, reason string) *Action {
	epoch, attempt = max(epoch, 1), max(attempt, 1)
	key := tenant.Key(subject.Installation, subject.ID, o.ID.Component, o.ID.Object, epoch, attempt)
	if verb != Create {
		key += "/" + string(verb)
	}
	return &Action{Verb: verb, Stage: stage, Object: o, Epoch: epoch, Attempt: attempt, Key: key, Reason: reason}
}
