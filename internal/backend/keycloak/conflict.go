package keycloak

import (
	"context"
	"fmt"

	"github.com/tenantplane/terraform-provider-tenant/internal/backend"
	"github.com/tenantplane/terraform-provider-tenant/internal/component/identity"
	"github.com/tenantplane/terraform-provider-tenant/internal/fault"
)

// explain says why Keycloak refused a create or an update (self is the id of
// the organization itself, "" when it does not exist): the name or a domain
// belongs to another organization. Otherwise refused stands.
func (b *Backend) explain(ctx context.Context, want backend.Want, self string, refused *fault.Fault) *fault.Fault {
	name := want.Fields.Get(identity.FieldName)
	found, f := b.client.byName(ctx, name)
	if f != nil {
		return f
	}
	if other, is := another(found, self); is {
		return fault.NewConflict("identity.name_taken", "display_name",
			fmt.Sprintf("%s is already called %q, and names are unique in a realm", describe(other), name),
			"choose a display_name that tells the two apart")
	}
	for _, domain := range want.Fields[identity.FieldDomains] {
		found, f := b.client.byDomain(ctx, domain)
		if f != nil {
			return f
		}
		if other, is := another(found, self); is {
			return domainTaken(domain, other)
		}
	}
	return refused
}

func domainTaken(domain string, other organization) *fault.Fault {
	return fault.NewTerminal("identity.domain_taken", identity.PathDomains,
		fmt.Sprintf("the domain %s belongs to %s", domain, describe(other)),
		"take the domain off one of the two; a domain leads to one organization only")
}

// notOurs is the fault for the organization we looked for when it carries
// another marker or none.
func notOurs(t backend.Target, found organization) *fault.Fault {
	return fault.NewConflict("identity.organization_foreign", t.Path,
		fmt.Sprintf("the organization exists and is %s, not one of tenant %q of installation %q in region %q",
			describe(found), t.Subject.ID, t.Subject.Installation, t.Subject.Region),
		"set identity.alias to a free one, or adopt the organization explicitly if it is yours")
}

// aliasFixed is the fault for an alias that differs from the stored one.
func aliasFixed(found organization, wanted string) *fault.Fault {
	return fault.NewTerminal("identity.alias_immutable", identity.PathAlias,
		fmt.Sprintf("organization %s has the alias %q, which Keycloak never changes, and %q is wanted", found.ID, found.Alias, wanted),
		fmt.Sprintf("set alias = %q", found.Alias))
}

// describe names an organization and whose it is.
func describe(o organization) string {
	owner := "carries no tenant marker"
	if m := o.marker(); !m.IsZero() {
		owner = fmt.Sprintf("belongs to tenant %q of installation %q in region %q", m.Tenant, m.Installation, m.Region)
	}
	return fmt.Sprintf("organization %q (id %s), which %s", o.Alias, o.ID, owner)
}

// another returns the first organization that is not self.
func another(found []organization, self string) (organization, bool) {
	for _, o := range found {
		if o.ID != self {
			return o, true
		}
	}
	return organization{}, false
}
