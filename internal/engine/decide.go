package engine

import (
	"fmt"
	"slices"
	"strings"

	"github.com/tenantplane/terraform-provider-tenant/internal/fault"
	"github.com/tenantplane/terraform-provider-tenant/internal/tenant"
)

// decide applies the table in doc.go to one wanted object. No action and no
// fault means that nothing is to be done.
func decide(subject tenant.Subject, o Object, s Sighting) (*Action, *fault.Fault) {
	switch {
	case s.Fault != nil:
		return nil, s.Fault
	case !s.Present:
		return creation(subject, o, s), nil
	case s.Owner == Ours:
		return keep(subject, o, s)
	case s.Owner == Unmarked && s.Record.Held() && s.Record.ExternalID == s.ExternalID:
		return keep(subject, o, s)
	case s.Owner == Unmarked && s.Record.IntentOpen && !s.Record.Held():
		return creation(subject, o, s), nil
	default:
		return takeOver(subject, o, s)
	}
}

// creation plans the birth of an absent object.
func creation(subject tenant.Subject, o Object, s Sighting) *Action {
	epoch, attempt := s.Record.NextEpoch(), int64(1)
	reason := "does not exist yet"
	switch {
	case s.Record.Held():
		reason = "was deleted outside Terraform"
	case s.Record.IntentOpen:
		reason = "an earlier creation was interrupted"
	}
	if epoch == s.Record.Epoch {
		attempt = s.Record.Attempt
	}
	return newAction(subject, Create, StageForward, o, epoch, attempt, reason)
}

// keep plans for an object that is ours already.
func keep(subject tenant.Subject, o Object, s Sighting) (*Action, *fault.Fault) {
	changes := s.Fields.Diff(o.Fields)
	for _, c := range changes {
		if slices.Contains(o.Immutable, c.Field) {
			return nil, immutableFault(o, c)
		}
	}
	verb, reason := Update, "content differs"
	switch {
	case !s.Record.Held():
		verb, reason = Adopt, "exists with our marker and is not recorded yet"
	case !s.ArchivedUntil.IsZero():
		reason = "is archived"
	case s.Disabled:
		reason = "access is switched off"
	case len(changes) == 0 && s.Record.IntentOpen:
		verb, reason = Adopt, "an earlier change took effect and was not recorded"
	case len(changes) == 0:
		return nil, nil
	}
	action := newAction(subject, verb, StageForward, o, s.Record.aliveEpoch(), s.Record.Attempt, reason)
	action.Changes = changes
	action.TakeUnmarked = s.Owner == Unmarked
	return action, nil
}

// aliveEpoch is the epoch of an object that exists: the recorded one, or the
// one its creation would have had.
func (r Record) aliveEpoch() int64 {
	if r.Held() {
		return r.Epoch
	}
	return r.NextEpoch()
}

// takeOver decides about an object that is not ours.
func takeOver(subject tenant.Subject, o Object, s Sighting) (*Action, *fault.Fault) {
	changes := s.Fields.Diff(o.Fields)
	identical := len(changes) == 0
	allowed := o.Adopt == "overwrite" ||
		identical && o.Adopt == "matching" ||
		identical && o.AdoptIdentical && s.Owner == Unmarked
	if !allowed {
		return nil, conflictFault(subject, o, s, changes)
	}
	reason := "exists with the same content and no marker"
	if !identical || s.Owner == Foreign {
		reason = fmt.Sprintf("exists already and adopt = %q says to take it", o.Adopt)
	}
	action := newAction(subject, Adopt, StageForward, o, s.Record.NextEpoch(), 1, reason)
	action.Changes = changes
	action.TakeUnmarked = s.Owner == Unmarked
	return action, nil
}

func immutableFault(o Object, c tenant.Change) *fault.Fault {
	path := o.Path + "." + c.Field
	return fault.NewTerminal(o.ID.Component+".immutable", path,
		fmt.Sprintf("is %s and cannot become %s while the object lives", quoteAll(c.From), quoteAll(c.To)),
		"set it back, or replace the tenant explicitly")
}

func conflictFault(subject tenant.Subject, o Object, s Sighting, changes []tenant.Change) *fault.Fault {
	owner := "without a marker of ours"
	action := `remove it, choose another name, or set adopt = "matching" or "overwrite" to take it over`
	if s.Owner == Foreign {
		owner = "and belongs to " + s.Marker.String()
	}
	if s.Owner == Foreign && s.Marker.Tenant == subject.ID {
		action = fmt.Sprintf("if this ledger replaces a lost one, set installation = %q in the provider block; otherwise ", s.Marker.Installation) + action
	}
	found := fmt.Sprintf("%s exists already %s", quote(o.Name, s.ExternalID), owner)
	if len(changes) > 0 {
		found += ": " + describe(changes)
	}
	return fault.NewConflict(o.ID.Component+".conflict", o.Path, found, action)
}

func quote(name, id string) string {
	if name == "" {
		name = id
	}
	return fmt.Sprintf("%q", name)
}

// describe spells changes out: `values is ["a"], wanted ["b"]`.
func describe(changes []tenant.Change) string {
	var parts []string
	for _, c := range changes {
		parts = append(parts, fmt.Sprintf("%s is %s, wanted %s", c.Field, quoteAll(c.From), quoteAll(c.To)))
	}
	return strings.Join(parts, "; ")
}

func quoteAll(values []string) string {
	switch len(values) {
	case 0:
		return "not set"
	case 1:
		return fmt.Sprintf("%q", values[0])
	default:
		return fmt.Sprintf("%q", values)
	}
}
