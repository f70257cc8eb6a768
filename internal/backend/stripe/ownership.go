package stripe

import (
	"fmt"
	"strings"

	"github.com/tenantplane/terraform-provider-tenant/internal/backend"
	"github.com/tenantplane/terraform-provider-tenant/internal/fault"
	"github.com/tenantplane/terraform-provider-tenant/internal/tenant"
)

// The codes of a proven absence: of an object that is not there, and of one
// that is still shown and has ended.
const (
	codeAbsent = "billing.absent"
	codeEnded  = "billing.ended"
)

// owned is an object that can carry our marker.
type owned interface {
	identified
	marker() tenant.Marker
	live() bool
}

func absent(found string) *fault.Fault { return fault.NewNotFound(codeAbsent, found) }

// ours picks the one live object with t's marker. None is a proven absence,
// since candidates are complete. Two cannot be told apart by a machine.
func ours[T owned](t backend.Target, candidates []T) (T, error) {
	var found []T
	var ids []string
	for _, c := range candidates {
		if c.live() && c.marker() == t.Marker() {
			found, ids = append(found, c), append(ids, c.identity())
		}
	}
	var none T
	switch len(found) {
	case 0:
		return none, absent(fmt.Sprintf("no %s carries the marker %s", t.Object, t.Marker()))
	case 1:
		return found[0], nil
	default:
		return none, fault.NewTerminal("billing.duplicate", t.Path,
			fmt.Sprintf("%d %ss carry this tenant's marker: %s", len(found), t.Object, strings.Join(ids, ", ")),
			"keep one of them at Stripe, remove the metadata "+tenant.MarkerTenant+" from the others, then apply again")
	}
}

// mayTouch returns nil for an object with t's marker, otherwise the conflict.
func mayTouch(t backend.Target, o owned) *fault.Fault {
	if o.marker() == t.Marker() {
		return nil
	}
	owner := "carries no marker"
	if !o.marker().IsZero() {
		owner = "belongs to " + o.marker().String()
	}
	return fault.NewConflict("billing.conflict", t.Path, fmt.Sprintf("%s %s %s", t.Object, o.identity(), owner),
		"check at Stripe whose it is; it was left untouched")
}

// mayRemove is mayTouch for a removal.
func mayRemove(r backend.Removal, o owned) *fault.Fault {
	if r.TakeUnmarked && o.marker().IsZero() {
		return nil
	}
	return mayTouch(r.Target, o)
}

// removed is the receipt of a deletion, alreadyAbsent of one not needed.
func removed(id, status, requestID string) backend.Receipt {
	return backend.Receipt{Outcome: "deleted", Details: map[string]string{"id": id, "status": status, "request_id": requestID}}
}

func alreadyAbsent() backend.Receipt { return backend.Receipt{Outcome: "already absent"} }

// orStored judges that an object of which a stored answer told cannot be read.
// One that ended since needs another key. One that is merely not there yet
// does not: another key would make a second object.
func orStored(err error, t backend.Target) error {
	switch {
	case hasCode(err, codeEnded):
		f := fault.NewRetryable(CodeStoredFailure, "the key belongs to a "+t.Object+" that ended meanwhile", err)
		f.Action = "apply again; the next attempt uses another key"
		return f
	case fault.Is(err, fault.NotFound):
		return fault.NewRetryable("billing.not_visible_yet", "Stripe made the "+t.Object+" and does not show it yet", err)
	default:
		return err
	}
}
