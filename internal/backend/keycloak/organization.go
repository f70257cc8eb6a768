package keycloak

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/tenantplane/terraform-provider-tenant/internal/backend"
	"github.com/tenantplane/terraform-provider-tenant/internal/component/identity"
	"github.com/tenantplane/terraform-provider-tenant/internal/tenant"
)

// known are the members of Keycloak's OrganizationRepresentation that this
// package reads and writes.
type known struct {
	ID          string              `json:"id,omitempty"`
	Name        string              `json:"name"`
	Alias       string              `json:"alias"`
	Enabled     bool                `json:"enabled"`
	RedirectURL string              `json:"redirectUrl"`
	Attributes  map[string][]string `json:"attributes"`
	Domains     []domain            `json:"domains"`
}

type domain struct {
	Name     string `json:"name"`
	Verified bool   `json:"verified"`
}

// organization is one organization with everything the server said of it: a
// PUT replaces, so what we do not know has to go back as it came.
type organization struct {
	known
	rest map[string]json.RawMessage
}

// UnmarshalJSON implements json.Unmarshaler.
func (o *organization) UnmarshalJSON(text []byte) error {
	if err := json.Unmarshal(text, &o.known); err != nil {
		return err
	}
	if o.ID == "" || o.Alias == "" {
		return fmt.Errorf("organization without id or alias")
	}
	return json.Unmarshal(text, &o.rest)
}

// MarshalJSON implements json.Marshaler.
func (o organization) MarshalJSON() ([]byte, error) {
	text, err := json.Marshal(o.known)
	if err != nil {
		return nil, err
	}
	all := maps.Clone(o.rest)
	if err := json.Unmarshal(text, &all); err != nil {
		return nil, err
	}
	return json.Marshal(all)
}

// marker reads the marker off the attributes.
func (o organization) marker() tenant.Marker {
	pairs := map[string]string{}
	for name, values := range o.Attributes {
		if len(values) > 0 {
			pairs[name] = values[0]
		}
	}
	return tenant.MarkerFromPairs(pairs)
}

// domains returns the names in canonical form. One that has none, made by
// hand, is shown as it is.
func (o organization) domains() []string {
	names := make([]string, 0, len(o.Domains))
	for _, d := range o.Domains {
		names = append(names, canonical(d.Name))
	}
	return names
}

// gained tells whether o has a domain that it did not have before.
func (o organization) gained(before organization) bool {
	had := before.domains()
	return slices.ContainsFunc(o.domains(), func(name string) bool { return !slices.Contains(had, name) })
}

func canonical(name string) string {
	domain, err := identity.CanonicalDomain(name)
	if err != nil {
		return strings.ToLower(name)
	}
	return domain
}

// observation is what the contract calls o.
func (o organization) observation() backend.Observation {
	return backend.Observation{
		ExternalID: o.ID,
		Name:       o.Alias,
		Fields:     identity.Content(o.Alias, o.Name, o.domains(), o.RedirectURL),
		Marker:     o.marker(),
		Disabled:   !o.Enabled,
	}
}

// settled tells whether o already is as wanted.
func (o organization) settled(want backend.Want) bool {
	return o.Enabled && o.marker() == want.Marker() && len(o.observation().Fields.Diff(want.Fields)) == 0
}

// toward returns o with the wanted content, our marker and sign-in switched
// on. Attributes of others, the verified flags of domains that stay, and the
// alias are kept.
func (o organization) toward(want backend.Want) organization {
	next := o
	next.Enabled = true
	next.Attributes = maps.Clone(o.Attributes)
	if next.Attributes == nil {
		next.Attributes = map[string][]string{}
	}
	for name, value := range want.Marker().Pairs() {
		next.Attributes[name] = []string{value}
	}
	if want.Fields[identity.FieldName] != nil {
		next.Name = want.Fields.Get(identity.FieldName)
	}
	if want.Fields[identity.FieldRedirectURL] != nil {
		next.RedirectURL = want.Fields.Get(identity.FieldRedirectURL)
	}
	if names := want.Fields[identity.FieldDomains]; names != nil {
		next.Domains = o.withDomains(names)
	}
	return next
}

func (o organization) withDomains(names []string) []domain {
	domains := make([]domain, 0, len(names))
	for _, name := range names {
		at := slices.IndexFunc(o.Domains, func(d domain) bool { return canonical(d.Name) == name })
		if at >= 0 {
			domains = append(domains, o.Domains[at])
			continue
		}
		domains = append(domains, domain{Name: name})
	}
	return domains
}
