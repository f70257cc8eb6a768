package identity

import (
	"encoding/json"
	"slices"

	"github.com/tenantplane/terraform-provider-tenant/internal/fault"
	"github.com/tenantplane/terraform-provider-tenant/internal/tenant"
)

// Spec is what the user wants of a tenant's organization.
type Spec struct {
	// Domains are the e-mail domains of the organization, in any spelling
	// CanonicalDomain accepts and in any order; none is allowed.
	Domains []string `json:"domains,omitempty"`
	// Alias is the organization's fixed handle; "" means a derived one.
	Alias string `json:"alias,omitempty"`
	// RedirectURL is where people land after they accept an invitation; ""
	// leaves that to the identity provider.
	RedirectURL string `json:"redirect_url,omitempty"`
}

// parseSpec decodes a component spec; a failure is one Terminal fault.
func parseSpec(raw json.RawMessage) (Spec, *fault.Fault) {
	var spec Spec
	if err := json.Unmarshal(raw, &spec); err != nil {
		f := fault.NewTerminal("identity.spec_malformed", Name,
			"the spec cannot be read: "+err.Error(), "report this as a bug of the provider")
		f.Err = err
		return Spec{}, f
	}
	return spec, nil
}

// alias returns the wanted alias, derived where the user gave none.
func (s Spec) alias(subject tenant.Subject) string {
	if s.Alias != "" {
		return s.Alias
	}
	return tenant.OrganizationName.Name(subject.Installation, subject.ID)
}

// canonicalDomains returns the domains in canonical form, sorted, and one
// fault per domain that is none or repeats another.
func (s Spec) canonicalDomains() ([]string, []*fault.Fault) {
	if len(s.Domains) > MaxDomains {
		return nil, []*fault.Fault{tooManyDomains(len(s.Domains))}
	}
	var faults []*fault.Fault
	domains := make([]string, 0, len(s.Domains))
	for _, written := range s.Domains {
		domain, err := CanonicalDomain(written)
		switch {
		case err != nil:
			faults = append(faults, invalidDomain(err))
		case slices.Contains(domains, domain):
			faults = append(faults, repeatedDomain(written, domain))
		default:
			domains = append(domains, domain)
		}
	}
	slices.Sort(domains)
	return domains, faults
}
