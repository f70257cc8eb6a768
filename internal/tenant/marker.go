package tenant

import (
	"fmt"
	"strings"
)

// Marker says whose an external object is. Every backend writes it onto the
// object in the form that system offers: metadata, tags, attributes, a
// comment. The zero Marker means the object carries none.
type Marker struct {
	Installation Installation
	Tenant       ID
	Region       string
}

// The keys under which a marker is stored where a system offers key/value
// pairs. They count against the backend's limits on user metadata.
const (
	MarkerInstallation = "tenant-installation"
	MarkerTenant       = "tenant-id"
	MarkerRegion       = "tenant-region"
)

// Pairs returns the marker as key/value pairs.
func (m Marker) Pairs() map[string]string {
	return map[string]string{
		MarkerInstallation: string(m.Installation),
		MarkerTenant:       string(m.Tenant),
		MarkerRegion:       m.Region,
	}
}

// MarkerFromPairs reads what Pairs wrote; foreign keys are ignored and a
// missing tenant or installation gives the zero Marker.
func MarkerFromPairs(pairs map[string]string) Marker {
	m := Marker{
		Installation: Installation(pairs[MarkerInstallation]),
		Tenant:       ID(pairs[MarkerTenant]),
		Region:       pairs[MarkerRegion],
	}
	if m.Installation == "" || m.Tenant == "" {
		return Marker{}
	}
	return m
}

// markerScheme begins the one-line form, so that a human who meets it in a
// comment knows what it is.
const markerScheme = "tenant:"

// String returns the one-line form "tenant:‹installation›/‹tenant›/‹region›",
// for systems that offer only a comment.
func (m Marker) String() string {
	return fmt.Sprintf("%s%s/%s/%s", markerScheme, m.Installation, m.Tenant, m.Region)
}

// ParseMarker reads what String wrote; anything else gives the zero Marker.
func ParseMarker(s string) Marker {
	rest, found := strings.CutPrefix(s, markerScheme)
	parts := strings.Split(rest, "/")
	if !found || len(parts) != 3 || parts[0] == "" || parts[1] == "" {
		return Marker{}
	}
	return Marker{Installation: Installation(parts[0]), Tenant: ID(parts[1]), Region: parts[2]}
}

// IsZero tells whether there is no marker at all.
func (m Marker) IsZero() bool { return m == Marker{} }
