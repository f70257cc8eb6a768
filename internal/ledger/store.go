package ledger

import (
	"context"
	"errors"
	"time"

	"github.com/tenantplane/terraform-provider-tenant/internal/event"
	"github.com/tenantplane/terraform-provider-tenant/internal/tenant"
)

// Errors that callers tell apart with errors.Is. Anything else is a failure of
// the database itself.
var (
	// ErrNotFound: no such tenant.
	ErrNotFound = errors.New("tenant is not in the ledger")
	// ErrClaimed: another Terraform state owns the tenant; see ClaimError.
	ErrClaimed = errors.New("tenant is claimed by another state")
	// ErrLeased: another worker holds the lease; see LeasedError.
	ErrLeased = errors.New("tenant is leased by another worker")
	// ErrFenced: the lease expired or was taken over; the write was refused.
	ErrFenced = errors.New("lease was lost")
	// ErrGeneration: the spec changed since it was loaded; the write was refused.
	ErrGeneration = errors.New("spec changed meanwhile")
	// ErrNewer: the ledger's schema is newer than this binary.
	ErrNewer = errors.New("ledger was written by a newer version")
	// ErrInstallation: the ledger belongs to another installation.
	ErrInstallation = errors.New("ledger belongs to another installation")
)

// ClaimError is ErrClaimed with the owner's claim.
type ClaimError struct {
	Tenant tenant.ID
	Owner  string
}

// Error implements error.
func (e *ClaimError) Error() string {
	return "tenant " + string(e.Tenant) + " is claimed by " + e.Owner
}

// Is makes errors.Is(err, ErrClaimed) true.
func (*ClaimError) Is(target error) bool { return target == ErrClaimed }

// LeasedError is ErrLeased with the holder and the end of its lease.
type LeasedError struct {
	Tenant  tenant.ID
	Holder  string
	Expires time.Time
}

// Error implements error.
func (e *LeasedError) Error() string {
	return "tenant " + string(e.Tenant) + " is leased by " + e.Holder + " until " + e.Expires.Format(time.RFC3339)
}

// Is makes errors.Is(err, ErrLeased) true.
func (*LeasedError) Is(target error) bool { return target == ErrLeased }

// Declaration asks for a tenant to have a spec.
type Declaration struct {
	Spec tenant.Spec
	// Claim is the asking state's claim.
	Claim string
	// TakeOver moves the claim to the asking state: from whoever holds it, or, with
	// TakeFrom, from that claim only, so that one that moved meanwhile stays.
	TakeOver bool
	TakeFrom string
	// CorrelationID is used when a new life of the tenant begins.
	CorrelationID string
	// EventID is the id of the registration event, used when a new life begins.
	EventID string
}

// Settlement records the outcome of one mutating call in one transaction:
// the object's row is written, the intent is closed, events and evidence are
// appended.
type Settlement struct {
	// Generation is the desired generation the caller worked from; the write
	// is refused with ErrGeneration when the tenant has moved on.
	Generation tenant.Generation
	// Object is the row to write; its ObservedAt is set by the ledger.
	Object Object
	// Forget removes the row instead (the object is proven absent and not
	// wanted); its epoch is remembered for a next life.
	Forget bool
	// Remnant is what is left of the object under a name of its own, an archive
	// for instance; written in the same transaction. nil for none.
	Remnant *Object
	// Revived are remnants that stopped being some, since their object lives
	// again; they are forgotten in the same transaction.
	Revived []Object
	// KeepIntent leaves the intent open: the outcome is still unknown.
	KeepIntent bool
	Events     []event.Event
	Evidence   []Evidence
}

// Progress writes a tenant's own row at the end of a pass.
type Progress struct {
	// Generation as in Settlement.
	Generation tenant.Generation
	Status     Status
	// Observed marks Generation as fully processed.
	Observed bool
	// Examined: every object was looked at in this pass.
	Examined        bool
	NextReconcileAt time.Time
	// FailureCount replaces the stored one; negative counts are stored as 0.
	FailureCount  int64
	LastErrorCode string
	LastError     string
	Events        []event.Event
	Evidence      []Evidence
}

// Filter selects tenants; zero fields do not restrict.
type Filter struct {
	Statuses []Status
	// DueAt keeps tenants whose NextReconcileAt is not after it.
	DueAt time.Time
	// IncludeDeleted also returns tombstones.
	IncludeDeleted bool
	// Limit bounds the result; 0 means no bound.
	Limit int
}

// Health tells tenants that fail from the others.
type Health int

// The healths. A tenant that never had a pass is healthy.
const (
	AnyHealth Health = iota
	Healthy
	Failing
)

// DueFilter selects due tenants.
type DueFilter struct {
	// At keeps tenants whose NextReconcileAt is not after it.
	At     time.Time
	Health Health
	// Limit bounds the result; 0 means no bound.
	Limit int
}

// Fleet is all living tenants, summed up.
type Fleet struct {
	ByStatus map[Status]int64
	// OldestDrift is when the oldest drift that was not mended was first seen;
	// zero for none.
	OldestDrift time.Time
	// Gap is the most generations that any tenant is behind its spec.
	Gap int64
}

// Due is a tenant that is due.
type Due struct {
	ID         tenant.ID
	Generation tenant.Generation
	// Behind: the spec is not fully processed.
	Behind bool
	// At is when it became due.
	At time.Time
}

// Store is the contract every driver fulfils. All methods are safe for
// concurrent use, also from several processes on one database. Methods that
// take a Lease fail with ErrFenced when that lease is no longer the newest or
// has expired; nothing is written then.
type Store interface {
	// Installation returns the installation the ledger belongs to.
	Installation(ctx context.Context) (tenant.Installation, error)
	// AdoptInstallation makes an empty ledger that was never told its
	// installation belong to id: a lost ledger is rebuilt from state this way.
	// With tenants in it, or a different chosen one: ErrInstallation.
	// The same id again is no error.
	AdoptInstallation(ctx context.Context, id tenant.Installation) error

	// Declare creates the tenant (status pending, generation 1) or, when the
	// spec's fingerprint differs, raises the desired generation and forgets the
	// failures that belong to the old one. An unchanged
	// spec changes nothing. A tombstone begins a new life: generations go on,
	// status pending, evidence kept, FailureCount 0. Another state's claim
	// gives a *ClaimError, unless TakeOver is set or the row is a tombstone.
	// A tenant that is deleting goes back to pending and always gets a new
	// generation, so that the deletion under way stops. What is new or changed
	// is due at once.
	Declare(ctx context.Context, d Declaration) (Tenant, error)
	// Tenant returns one row, tombstones included; ErrNotFound otherwise.
	Tenant(ctx context.Context, id tenant.ID) (Tenant, error)
	// Tenants returns rows ordered by id, or by NextReconcileAt when DueAt is set.
	Tenants(ctx context.Context, f Filter) ([]Tenant, error)

	// Fleet sums up all living tenants.
	Fleet(ctx context.Context) (Fleet, error)
	// Due returns tenants that are due, the most overdue first, tombstones with
	// something left to end included. A tenant that somebody holds the lease on is
	// looked after already and left out.
	Due(ctx context.Context, f DueFilter) ([]Due, error)
	// Wake makes a tenant due sooner: at once, or spacing after it was last
	// looked after, so that many wake-ups make one pass. It never makes a tenant
	// due later, and leaves tombstones alone. It returns the tenant as it is then.
	Wake(ctx context.Context, id tenant.ID, spacing time.Duration) (Tenant, error)

	// Acquire takes the lease on a tenant for ttl. A live lease of another
	// holder gives a *LeasedError; an expired one is taken over. The same
	// holder gets a new lease with a higher fence. The tenant must exist.
	Acquire(ctx context.Context, id tenant.ID, holder string, ttl time.Duration) (Lease, error)
	// Renew prolongs the lease by ttl from now.
	Renew(ctx context.Context, lease Lease, ttl time.Duration) (Lease, error)
	// Release ends the lease at once; releasing a lost one is no error.
	Release(ctx context.Context, lease Lease) error

	// Objects returns the rows of a tenant's objects ordered by component and
	// object. Forgotten ones are not returned.
	Objects(ctx context.Context, id tenant.ID) ([]Object, error)
	// OwnerOf returns whose object has an external id; ErrNotFound for nobody's.
	OwnerOf(ctx context.Context, externalID string) (tenant.ID, error)
	// LastEpoch returns the highest epoch ever recorded for an object, also a
	// forgotten one; 0 when there was none.
	LastEpoch(ctx context.Context, id tenant.ID, component, object string) (int64, error)
	// OpenIntents returns a tenant's open intents ordered by FirstUsedAt.
	OpenIntents(ctx context.Context, id tenant.ID) ([]Intent, error)
	// OpenIntent writes the note before a call and returns the stored row: an
	// open one with the same key keeps its FirstUsedAt and counts one more
	// try, and its RequestHash; an open one with another key for the same
	// object is replaced. One intent per object is open at most. Open intents
	// survive a tombstone: the next life looks at them.
	OpenIntent(ctx context.Context, lease Lease, intent Intent) (Intent, error)
	// Settle records an outcome; see Settlement.
	Settle(ctx context.Context, lease Lease, s Settlement) error
	// Advance writes the tenant's own row; see Progress. It neither enters nor
	// leaves deleting or deleted: ErrGeneration.
	Advance(ctx context.Context, lease Lease, p Progress) error
	// BeginDeletion moves the tenant to deleting and appends the events. The
	// claim must be the tenant's, otherwise *ClaimError. Repeating it is no
	// error and appends nothing; a tombstone is returned as it is.
	BeginDeletion(ctx context.Context, id tenant.ID, claim string, events []event.Event) (Tenant, error)
	// TakeClaim makes a living tenant this claim's, whoever has it: somebody said
	// so explicitly. A tombstone is left as it is.
	TakeClaim(ctx context.Context, id tenant.ID, claim string) error
	// Tombstone ends a life: status deleted, claim cleared, the lease gone,
	// the event and the evidence appended. Rows of objects with a PendingUntil
	// are kept, and the tenant is due at the earliest of them; with any other
	// object left it fails and changes nothing. Only a deleting tenant can end.
	Tombstone(ctx context.Context, lease Lease, events []event.Event, evidence []Evidence) error

	// Pause leaves the tenant's drift alone until then, for the reason given; a
	// time that is not in the future ends a pause. ErrNotFound for a tenant that
	// is not living.
	Pause(ctx context.Context, id tenant.ID, until time.Time, reason string) (Tenant, error)
	// Suspend turns the tenant's access off, and Resume on again, with the next
	// pass: the desired generation rises, so that a pass under way stops, and
	// the tenant is due at once. Repeating either is no error and changes
	// nothing. A tenant that is deleting or deleted: ErrNotFound.
	Suspend(ctx context.Context, id tenant.ID, reason string, events []event.Event) (Tenant, error)
	Resume(ctx context.Context, id tenant.ID, events []event.Event) (Tenant, error)

	// Tally returns what is remembered of a scope; the zero Tally for nothing.
	Tally(ctx context.Context, scope string) (Tally, error)
	// Tallies returns all that is remembered, by scope.
	Tallies(ctx context.Context) (map[string]Tally, error)
	// SwapTally replaces old by next, if old is still what is stored, and tells
	// whether it was. The zero Tally stands for nothing stored. Reason is not
	// compared.
	SwapTally(ctx context.Context, scope string, old, next Tally) (bool, error)

	// Evidence returns a tenant's chain in order.
	Evidence(ctx context.Context, id tenant.ID) ([]Evidence, error)

	Outbox

	// Close releases the database.
	Close() error
}
