package engine

import (
	"time"

	"github.com/tenantplane/terraform-provider-tenant/internal/fault"
	"github.com/tenantplane/terraform-provider-tenant/internal/tenant"
)

// Ownership says whose marker an external object carries.
type Ownership string

// The ownerships.
const (
	// Ours: our installation's marker for this tenant.
	Ours Ownership = "ours"
	// Foreign: a marker of another installation or another tenant.
	Foreign Ownership = "foreign"
	// Unmarked: no marker at all.
	Unmarked Ownership = "unmarked"
)

// Record is what the ledger remembers of one object. The zero Record means it
// never heard of it.
type Record struct {
	// ExternalID is the id the backend gave; "" when none was ever recorded.
	ExternalID string
	// Name is the external name the object was made under.
	Name string
	// Epoch counts the lives of the object, from 1; 0 when never recorded.
	Epoch int64
	// Attempt numbers the creates within the epoch, from 1; it rises only when
	// a backend is known to replay a stored failure.
	Attempt int64
	// Known: the ledger has a row for the object, perhaps of a creation that was
	// refused, and it has to go before the tenant can.
	Known bool
	// IntentOpen: a mutating call was begun and its outcome never recorded.
	IntentOpen bool
	// CreatingSince is when a creation without a recorded outcome was first
	// sent; zero when there is none.
	CreatingSince time.Time
	// Archiving: an archive was begun and its outcome never recorded. The
	// object's absence then means that its data is somewhere, and only the
	// backend can say where.
	Archiving bool
	// Ended: the object's last life is over, by deletion or proven absence;
	// ExternalID is empty then.
	Ended bool
	// PendingUntil is set for what is left of an object whose end is dated: an
	// archive, a deletion that the system finishes later.
	PendingUntil time.Time
}

// Sighting is what is known of one object at planning time: what the backend
// said just now, and what the ledger remembers.
type Sighting struct {
	// Fault is why the object could not be observed; then the rest of what the
	// backend would have said is unknown and nothing may be concluded.
	Fault *fault.Fault
	// Present: the object exists. Not present with a nil Fault is a proven
	// absence.
	Present    bool
	ExternalID string
	Fields     tenant.Fields
	Owner      Ownership
	// Marker is the marker the object carries; zero when it carries none.
	Marker tenant.Marker
	// Disabled: access through the object is switched off.
	Disabled bool
	// ArchivedUntil: the object is in its place and holds archived data.
	ArchivedUntil time.Time
	Record        Record
}

// Held tells whether the ledger holds an id for a living object.
func (r Record) Held() bool { return r.ExternalID != "" }

// NextEpoch is the epoch a creation of an absent object belongs to. It is a
// new one when a recorded life is known to be over, and the same one while an
// earlier creation of this life may still be under way.
func (r Record) NextEpoch() int64 {
	switch {
	case r.Epoch == 0:
		return 1
	case r.Ended, r.Held():
		return r.Epoch + 1
	default:
		return r.Epoch
	}
}

// Sightings holds a Sighting per object. A missing entry is a proven absence
// with no record.
type Sightings map[ObjectID]Sighting
