package identity

import (
	"slices"

	"github.com/tenantplane/terraform-provider-tenant/internal/tenant"
)

// The fields of an organization.
const (
	// FieldAlias is the fixed handle.
	FieldAlias = "alias"
	// FieldName is the name people see: the tenant's display name.
	FieldName = "name"
	// FieldDomains are the canonical domains, sorted; always set, perhaps empty.
	FieldDomains = "domains"
	// FieldRedirectURL is one value, "" for none; always set.
	FieldRedirectURL = "redirect_url"
)

// Content builds the Fields of an organization. The component and every
// backend build theirs here, so that equal organizations have equal Fields.
// What is not set is written out as empty rather than left away: only then
// does a later comparison see that something has to be cleared. Domains must
// be canonical; they need not be sorted.
func Content(alias, name string, domains []string, redirectURL string) tenant.Fields {
	sorted := append([]string{}, domains...)
	slices.Sort(sorted)
	return tenant.Fields{
		FieldAlias:       {alias},
		FieldName:        {name},
		FieldDomains:     sorted,
		FieldRedirectURL: {redirectURL},
	}
}
