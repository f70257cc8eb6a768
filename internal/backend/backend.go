package backend

import (
	"context"
	"time"

	"github.com/tenantplane/terraform-provider-tenant/internal/fault"
	"github.com/tenantplane/terraform-provider-tenant/internal/tenant"
)

// Target names one external object of one tenant.
type Target struct {
	Subject   tenant.Subject
	Component string
	Object    string
	// Name is the deterministic name; "" where the system gives ids only.
	Name string
	// Path is the attribute path for messages, e.g. "domain".
	Path string
	// ExternalID is the recorded id; "" when none was recorded, and then the
	// object is looked for by name or marker. That it is set is the ledger's
	// word that the object was once complete and ours.
	ExternalID string
	// Refs holds the recorded ids of the tenant's other objects by
	// "component.object", e.g. "billing.customer" for a subscription.
	Refs map[string]string
	// Hints is the content wanted, for finding an object without an id where
	// the system can filter by content. It never proves anything.
	Hints tenant.Fields
}

// Marker is the marker the object carries when it is ours.
func (t Target) Marker() tenant.Marker { return t.Subject.Marker() }

// ResumeInput is the input the executor sets to "true" on a creation whose
// intent was already open: an earlier call with the same key may have taken
// effect in part. A system that cannot create and mark in one step may then
// take an unmarked and empty object of exactly the derived name for its own
// half-made one; without it, such an object is a stranger's.
const ResumeInput = "resume"

// Want asks for a target to have content.
type Want struct {
	Target
	// Fields is the whole content wanted, canonical.
	Fields tenant.Fields
	// Inputs is material the call needs that is not content to compare.
	Inputs map[string]string
	// Key is the idempotency key of the call. A backend whose system has no
	// keys ignores it.
	Key string
	// Observed is the object as last observed; nil asks for a creation.
	Observed *Observation
}

// Observation is what a backend said about an existing object.
type Observation struct {
	ExternalID string
	// Name is the object's external name as the system spells it.
	Name string
	// Fields is the content in the same canonical form that the component
	// compiles to, so that equal content gives equal Fields. It may hold more
	// fields than a spec can ask for.
	Fields tenant.Fields
	// Marker is whose the object is; zero when it carries no marker.
	Marker tenant.Marker
	// Disabled: access through the object is switched off.
	Disabled bool
	// ArchivedUntil is set when the object's data is kept for a retention.
	ArchivedUntil time.Time
	// RequestID is the system's id of the answer, for evidence; may be "".
	RequestID string
}

// Removal asks for a target to go.
type Removal struct {
	Target
	Key string
	// Data says what to do with data found inside; "" for objects without.
	Data tenant.DataPolicy
	// TakeUnmarked lets an object without any marker go: the ledger knows it.
	// It never covers a foreign marker, and where a name is all that tells a
	// container from a stranger's of the same name, it covers an empty one only.
	TakeUnmarked bool
	// RetainUntil is when archived data may be destroyed.
	RetainUntil time.Time
	// Now is the time by which a Purge judges dates.
	Now time.Time
}

// Receipt is the proof of a removal or of a switch.
type Receipt struct {
	// Outcome is "deleted", "already absent", "disabled", "archived"…
	Outcome string
	// PendingUntil is set when the system finishes only later.
	PendingUntil time.Time
	// Details go into the evidence: counts, response ids, archive names.
	Details map[string]string
}

// Capabilities says what a backend's system can do.
type Capabilities struct {
	// KeyWindow is how long the system remembers idempotency keys; 0 when it
	// has none.
	KeyWindow time.Duration
	// ExactLookup: Observe without an id answers exactly, by name or marker,
	// so that an ambiguous create can be decided by looking.
	ExactLookup bool
}

// Backend is one external system behind one component. It is safe for
// concurrent use, opens nothing before the first call, and honours ctx.
//
// Errors are *fault.Fault, wrapped as "‹vendor›: ‹verb› ‹object›: …". The
// conformance suite backendtest holds every implementation to this table:
//
//	call     | object is                 | result
//	---------+---------------------------+--------------------------------------------
//	Observe  | there, any marker         | Observation with its marker
//	Observe  | proven absent             | fault NotFound
//	Observe  | not to be known           | fault Retryable or Terminal, never NotFound
//	Ensure   | absent, Observed nil      | created with the marker; Observation
//	Ensure   | there and ours, Obs. nil  | the same object, updated where it differs
//	Ensure   | there, other marker/none  | fault Conflict naming the owner; untouched
//	Ensure   | there, Observed set       | updated in place and marked, also when it
//	         |                           | was unmarked: the engine decided to adopt
//	Ensure   | gone, Observed set        | fault NotFound
//	Ensure   | outcome unknown           | fault Ambiguous
//	Remove   | there, ours               | removed per Data; Receipt
//	Remove   | there, other marker       | fault Conflict; untouched
//	Remove   | there, no marker          | fault Conflict, unless TakeUnmarked
//	Remove   | there, holds data, retain | fault Terminal with the count; untouched
//	Remove   | absent                    | Receipt "already absent"
//
// Ensure returns what is stored after the call, not what was asked for.
type Backend interface {
	Capabilities() Capabilities
	Observe(ctx context.Context, target Target) (Observation, error)
	Ensure(ctx context.Context, want Want) (Observation, error)
	Remove(ctx context.Context, removal Removal) (Receipt, error)
}

// Disabler is a backend whose objects let people or programs in. Disable
// switches that off, keeps everything else, and ends open sessions; it is
// idempotent, and an absent object gives the Receipt "already absent".
// A later Ensure switches access on again.
type Disabler interface {
	Disable(ctx context.Context, target Target, key string) (Receipt, error)
}

// Archiver is a backend that can put data out of reach and keep it. After
// Archive the target's name is free or the object is out of use, and the
// Receipt says in Details where the data is and until when ("archive",
// "retain_until", counts). Idempotent; absent gives "already absent".
type Archiver interface {
	Archive(ctx context.Context, removal Removal) (Receipt, error)
}

// Purger is a backend that can destroy what Archive kept, or a removal left to
// the system, once its date has come. Every Archiver is one. The target's Name
// is the archive's, from the Archive's Receipt, its ExternalID the object's;
// RetainUntil is the date that was recorded. Idempotent; it looks again right
// before it destroys.
//
//	there is                               | result
//	---------------------------------------+-----------------------------------
//	an archive of ours, its date has come  | destroyed; Receipt with counts
//	an archive of ours, its date is later  | untouched; Receipt PendingUntil it
//	nothing                                | Receipt "already absent"
//	the object, in service again           | fault Conflict; untouched
//	somebody else's                        | fault Conflict; untouched
//	what the system still holds (a lock)   | Receipt PendingUntil, or Terminal
//
// The date is the archive's own, read from it; Now is what it is compared with.
type Purger interface {
	Purge(ctx context.Context, removal Removal) (Receipt, error)
}

// Checker is a backend that can tell at plan time that an apply would fail:
// the zone does not exist, the price is archived, the credentials are wrong.
// It changes nothing. wants are all objects of one component of one tenant,
// some perhaps existing already.
type Checker interface {
	Check(ctx context.Context, wants []Want) []*fault.Fault
}
