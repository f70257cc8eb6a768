package engine

import (
	"time"

	"github.com/tenantplane/terraform-provider-tenant/internal/fault"
	"github.com/tenantplane/terraform-provider-tenant/internal/tenant"
)

// Verb is what an action does.
type Verb string

// The verbs.
const (
	Create  Verb = "create"
	Adopt   Verb = "adopt"
	Update  Verb = "update"
	Disable Verb = "disable"
	Archive Verb = "archive"
	Delete  Verb = "delete"
	// Forget drops the record of an object that is proven absent.
	Forget Verb = "forget"
)

// Stage orders finalization; forward plans use StageForward only.
type Stage int

// The stages, in the order in which they run (DESIGN section 8).
const (
	StageForward Stage = iota
	StageAccessOff
	StageStopBilling
	StageArchive
	StageRemove
	StageRecord
)

// String names the stage for people.
func (s Stage) String() string {
	switch s {
	case StageForward:
		return "converge"
	case StageAccessOff:
		return "access off"
	case StageStopBilling:
		return "stop billing"
	case StageArchive:
		return "archive data"
	case StageRemove:
		return "remove objects"
	case StageRecord:
		return "remove audit record"
	default:
		return "unknown stage"
	}
}

// Action is one step on one object.
type Action struct {
	Verb   Verb
	Object Object
	Stage  Stage
	// Reason says why, as a clause.
	Reason string
	// Changes are the fields that differ, for Update and Adopt.
	Changes []tenant.Change
	// TakeUnmarked: the object carries no marker and is ours all the same, by
	// record or by the user's word.
	TakeUnmarked bool
	// RetainUntil is when archived data may be destroyed, for Archive.
	RetainUntil time.Time
	// Epoch and Attempt are those of Key.
	Epoch   int64
	Attempt int64
	// Key is the idempotency key the call uses.
	Key string
	// Needs lists the actions that must have succeeded before, by ID.
	Needs []string
}

// ID names the action within its plan: "‹verb› ‹component›.‹object›".
func (a Action) ID() string { return string(a.Verb) + " " + a.Object.ID.String() }

// Plan is an ordered list of actions and what stands in the way of a complete
// one. Actions come in an order that respects Needs.
type Plan struct {
	Actions []Action
	// Faults are objects the plan cannot deal with: unobservable, foreign,
	// or changed where change is impossible. Objects that need them have no
	// action.
	Faults []ObjectFault
	// Held lists objects that wait for one in Faults or for another held one.
	Held []ObjectID
}

// ObjectFault is a fault that belongs to one object.
type ObjectFault struct {
	Object ObjectID
	Fault  *fault.Fault
}

// Empty tells whether there is nothing to do and nothing in the way.
func (p Plan) Empty() bool { return len(p.Actions) == 0 && len(p.Faults) == 0 }
