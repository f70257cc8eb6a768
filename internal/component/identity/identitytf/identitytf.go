// Package identitytf is the Terraform half of the identity component.
package identitytf

import (
	"context"
	"encoding/json"

	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/tenantplane/terraform-provider-tenant/internal/component/identity"
	"github.com/tenantplane/terraform-provider-tenant/internal/surface"
)

type model struct {
	Domains        types.Set    `tfsdk:"domains"`
	Alias          types.String `tfsdk:"alias"`
	RedirectURL    types.String `tfsdk:"redirect_url"`
	OrganizationID types.String `tfsdk:"organization_id"`
	Enabled        types.Bool   `tfsdk:"enabled"`
}

// Component returns the identity component's Terraform half.
func Component() surface.Component {
	return surface.Define(surface.Definition[model]{
		Name:        "identity",
		Description: "The tenant's organization in the identity provider.",
		Attributes:  attributes(),
		Spec:        spec,
		FromSpec:    fromSpec,
		Observe:     observe,
		Computed:    computed,
	})
}

func attributes() map[string]schema.Attribute {
	return map[string]schema.Attribute{
		"domains": schema.SetAttribute{
			Optional: true, ElementType: types.StringType,
			MarkdownDescription: "E-mail domains of the organization's users. A domain belongs to one organization only; case does not matter.",
		},
		"alias": schema.StringAttribute{
			Optional: true, Computed: true,
			MarkdownDescription: "Fixed handle of the organization, 1 to 50 lower-case letters, digits, `_` and `-`. Derived from the tenant id when not set; cannot change.",
		},
		"redirect_url": schema.StringAttribute{
			Optional: true, MarkdownDescription: "Where users land after they registered or accepted an invitation.",
		},
		"organization_id": schema.StringAttribute{
			Computed: true, MarkdownDescription: "Id of the organization in the identity provider.",
		},
		"enabled": schema.BoolAttribute{
			Computed: true, MarkdownDescription: "Whether the organization's users can sign in.",
		},
	}
}

func spec(_ context.Context, m model) (any, diag.Diagnostics) {
	return identity.Spec{
		Domains: surface.Strings(m.Domains.Elements()), Alias: m.Alias.ValueString(), RedirectURL: m.RedirectURL.ValueString(),
	}, nil
}

func fromSpec(text json.RawMessage) (model, error) {
	var s identity.Spec
	err := json.Unmarshal(text, &s)
	return model{
		Domains: surface.StringSet(s.Domains), Alias: surface.OptionalString(s.Alias), RedirectURL: surface.OptionalString(s.RedirectURL),
	}, err
}

func observe(m model, seen surface.Seen) (model, bool) {
	organization, present := seen["organization"]
	if !present {
		return m, false
	}
	f := organization.Fields
	m.Domains = surface.KeepSet(m.Domains, f[identity.FieldDomains], canonicalDomain)
	m.Alias = types.StringValue(f.Get(identity.FieldAlias))
	m.RedirectURL = surface.Keep(m.RedirectURL, f.Get(identity.FieldRedirectURL), func(s string) string { return s })
	m.OrganizationID = types.StringValue(organization.ExternalID)
	m.Enabled = types.BoolValue(!organization.Disabled)
	return m, true
}

func computed(m model, prior *model, wanted surface.Wanted) model {
	before := model{}
	if prior != nil {
		before = *prior
	}
	if fields, compiled := wanted.Fields["organization"]; compiled {
		m.Alias = types.StringValue(fields.Get(identity.FieldAlias))
	}
	m.OrganizationID = surface.KnownAfterApply(before.OrganizationID)
	m.Enabled = types.BoolValue(!wanted.Suspended)
	return m
}

// canonicalDomain is the spelling that was sent; what cannot be a domain
// compares as it is.
func canonicalDomain(written string) string {
	if domain, err := identity.CanonicalDomain(written); err == nil {
		return domain
	}
	return written
}
