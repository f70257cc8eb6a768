package powerdns

import (
	"fmt"
	"slices"
	"strings"

	"github.com/tenantplane/terraform-provider-tenant/internal/backend"
	"github.com/tenantplane/terraform-provider-tenant/internal/component/domain"
	"github.com/tenantplane/terraform-provider-tenant/internal/fault"
	"github.com/tenantplane/terraform-provider-tenant/internal/tenant"
)

// account is who the marker's comment is by.
const account = "tenant"

// held is one record set as the server holds it.
type held struct {
	zone     zone
	set      domain.RRSet
	marker   tenant.Marker
	comments []wireComment
}

// heldSets picks the record sets of one name out of an answer. A set without
// records counts when it carries a marker: PowerDNS 4.7 leaves records that
// are switched off out of the answer, but not their comments.
func heldSets(z zone, name string, answer []wireSet) []held {
	var sets []held
	for _, wire := range answer {
		if domain.Served(wire.Name) != name {
			continue
		}
		if h := newHeld(z, name, wire); len(wire.Records) > 0 || !h.marker.IsZero() {
			sets = append(sets, h)
		}
	}
	return sets
}

// newHeld reads the wire form. Disabled records are not served, so they do not
// count as values: a record switched off by hand shows as drift.
func newHeld(z zone, name string, wire wireSet) held {
	h := held{zone: z, comments: wire.Comments, set: domain.RRSet{Name: name, Type: wire.Type, TTL: wire.TTL}}
	for _, record := range wire.Records {
		if !record.Disabled {
			h.set.Values = append(h.set.Values, record.Content)
		}
	}
	for _, comment := range wire.Comments {
		if marker := tenant.ParseMarker(comment.Content); !marker.IsZero() {
			h.marker = marker
		}
	}
	return h
}

// externalID is "‹zone›/‹name›/‹type›"; no canonical name has a slash.
func (h held) externalID() string {
	return strings.Join([]string{h.zone.name, h.set.Name, h.set.Type}, "/")
}

// location is what an external id says.
type location struct{ zone, name, recordType string }

func parseLocation(externalID string) (location, error) {
	parts := strings.Split(externalID, "/")
	if len(parts) != 3 || slices.Contains(parts, "") {
		return location{}, fault.NewTerminal("domain.external_id_invalid", "domain",
			fmt.Sprintf("the recorded id %q is not of the form zone/name/type", externalID),
			"correct the ledger, or import the tenant again")
	}
	return location{zone: parts[0], name: parts[1], recordType: parts[2]}, nil
}

func (h held) observation() backend.Observation {
	return backend.Observation{ExternalID: h.externalID(), Name: h.set.Name, Fields: h.set.Fields(), Marker: h.marker}
}

// String describes the set for messages, e.g. `www.example.com. MX ["10 mx."]`.
func (h held) String() string {
	return fmt.Sprintf("%s %s %q", h.set.Name, h.set.Type, h.set.Values)
}

// replacement is the change that stores set under our marker and keeps the
// comments that people wrote on what it replaces.
func replacement(set domain.RRSet, marker tenant.Marker, old *held) wireSet {
	wire := wireSet{Name: set.Name, Type: set.Type, TTL: set.TTL, ChangeType: "REPLACE"}
	for _, value := range set.Values {
		wire.Records = append(wire.Records, wireRecord{Content: value})
	}
	wire.Comments = markedComments(marker, old)
	return wire
}

// marking is the change that only puts our marker on a set: without records,
// PowerDNS replaces the comments alone.
func marking(marker tenant.Marker, old *held) wireSet {
	return wireSet{Name: old.set.Name, Type: old.set.Type, ChangeType: "REPLACE", Comments: markedComments(marker, old)}
}

func markedComments(marker tenant.Marker, old *held) []wireComment {
	var comments []wireComment
	if old != nil {
		for _, comment := range old.comments {
			if tenant.ParseMarker(comment.Content).IsZero() {
				comments = append(comments, comment)
			}
		}
	}
	return append(comments, wireComment{Content: marker.String(), Account: account})
}

// deletion is the change that removes a set with its comments.
func (h held) deletion() wireSet {
	return wireSet{Name: h.set.Name, Type: h.set.Type, ChangeType: "DELETE"}
}
