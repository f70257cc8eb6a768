package powerdns

import (
	"fmt"
	"slices"

	"github.com/tenantplane/terraform-provider-tenant/internal/backend"
	"github.com/tenantplane/terraform-provider-tenant/internal/component/domain"
	"github.com/tenantplane/terraform-provider-tenant/internal/fault"
)

// write is what has to be done to store one record set.
type write struct {
	// changes go into one transaction of the name's zone; none when the set is
	// stored and marked already.
	changes []wireSet
	// current is the set of the wanted name and type, nil when there is none.
	current *held
	// displaced tells that a set of another type gives way.
	displaced bool
	// formers are the object's sets at its former name, to be removed last.
	formers []held
}

// newWrite decides what to write, or why not.
func newWrite(want backend.Want, set domain.RRSet, s survey) (write, error) {
	var w write
	if f := apexFault(set, s.zone); f != nil {
		return w, f
	}
	for i, h := range s.here {
		if !clash(h.set.Type, set.Type) {
			continue
		}
		if f := mayReplace(want, set, h); f != nil {
			return w, f
		}
		if h.set.Type == set.Type {
			w.current = &s.here[i]
			continue
		}
		w.displaced = true
		w.changes = append(w.changes, h.deletion())
	}
	switch {
	case w.current == nil, len(w.current.set.Fields().Diff(set.Fields())) > 0:
		w.changes = append(w.changes, replacement(set, want.Marker(), w.current))
	case w.current.marker != want.Marker():
		w.changes = append(w.changes, marking(want.Marker(), w.current))
	}
	for _, h := range s.there {
		if slices.Contains(domain.Types(want.Object), h.set.Type) && mayReplace(want, set, h) == nil {
			w.formers = append(w.formers, h)
		}
	}
	return w, nil
}

// foundNothing tells that there is no object to change.
func (w write) foundNothing() bool {
	return w.current == nil && !w.displaced && len(w.formers) == 0
}

// clash tells whether two types cannot stand at one name: a CNAME suffers
// nothing beside it (RFC 1034 section 3.6.2).
func clash(have, wanted string) bool {
	return have == wanted || (have == domain.CNAME) != (wanted == domain.CNAME)
}

// mayReplace tells why h may not be replaced, nil when it may: it carries our
// marker, or it is what the engine saw and decided to take.
func mayReplace(want backend.Want, set domain.RRSet, h held) *fault.Fault {
	if h.marker == want.Marker() {
		return nil
	}
	seen := want.Observed
	if seen == nil || seen.ExternalID != h.externalID() || seen.Marker != h.marker {
		return conflict(want.Target, set, h)
	}
	if changes := seen.Fields.Diff(h.set.Fields()); len(changes) > 0 {
		return fault.NewRetryable("domain.changed_meanwhile", fmt.Sprintf("%s changed after it was observed and is not ours", h), nil)
	}
	return nil
}
