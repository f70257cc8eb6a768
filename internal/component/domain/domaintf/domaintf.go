// Package domaintf is the Terraform half of the domain component.
package domaintf

import (
	"context"
	"encoding/json"

	"github.com/hashicorp/terraform-plugin-framework-validators/int64validator"
	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema/booldefault"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema/int64default"
	"github.com/hashicorp/terraform-plugin-framework/schema/validator"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/tenantplane/terraform-provider-tenant/internal/component/domain"
	"github.com/tenantplane/terraform-provider-tenant/internal/surface"
)

type model struct {
	Hostname  types.String `tfsdk:"hostname"`
	Target    types.String `tfsdk:"target"`
	Addresses types.Set    `tfsdk:"addresses"`
	TTL       types.Int64  `tfsdk:"ttl"`
	Wildcard  types.Bool   `tfsdk:"wildcard"`
	Adopt     types.String `tfsdk:"adopt"`
	FQDN      types.String `tfsdk:"fqdn"`
}

// Component returns the domain component's Terraform half.
func Component() surface.Component {
	return surface.Define(surface.Definition[model]{
		Name:        "domain",
		Description: "The DNS records that point users at the tenant.",
		Attributes:  attributes(),
		Spec:        spec,
		FromSpec:    fromSpec,
		Observe:     observe,
		Computed:    computed,
	})
}

func attributes() map[string]schema.Attribute {
	return map[string]schema.Attribute{
		"hostname": schema.StringAttribute{
			Required: true, MarkdownDescription: "Host name of the tenant, in a zone that the DNS server has. Case and a final dot do not matter; Unicode is sent as A-labels.",
		},
		"target": schema.StringAttribute{
			Optional: true, MarkdownDescription: "Name that a CNAME points at. Exactly one of `target` and `addresses` is needed.",
		},
		"addresses": schema.SetAttribute{
			Optional: true, ElementType: types.StringType, MarkdownDescription: "IPv4 and IPv6 addresses for A and AAAA records.",
		},
		"ttl": schema.Int64Attribute{
			Optional: true, Computed: true, Default: int64default.StaticInt64(domain.DefaultTTL),
			Validators:          []validator.Int64{int64validator.Between(1, domain.MaxTTL)},
			MarkdownDescription: "Time to live in seconds, 1 to 2147483647. Defaults to 300.",
		},
		"wildcard": schema.BoolAttribute{
			Optional: true, Computed: true, Default: booldefault.StaticBool(false),
			MarkdownDescription: "Also point every name below `hostname` there.",
		},
		"adopt": surface.AdoptAttribute("record"),
		"fqdn": schema.StringAttribute{
			Computed: true, MarkdownDescription: "The name as it is in DNS, absolute and in lower case.",
		},
	}
}

func spec(_ context.Context, m model) (any, diag.Diagnostics) {
	return domain.Spec{
		Hostname: m.Hostname.ValueString(), Target: m.Target.ValueString(), Addresses: surface.Strings(m.Addresses.Elements()),
		TTL: m.TTL.ValueInt64(), Wildcard: m.Wildcard.ValueBool(), Adopt: m.Adopt.ValueString(),
	}, nil
}

func fromSpec(text json.RawMessage) (model, error) {
	var s domain.Spec
	err := json.Unmarshal(text, &s)
	if s.TTL == 0 {
		s.TTL = domain.DefaultTTL
	}
	return model{
		Hostname: surface.OptionalString(s.Hostname), Target: surface.OptionalString(s.Target), Addresses: surface.StringSet(s.Addresses),
		TTL: types.Int64Value(s.TTL), Wildcard: types.BoolValue(s.Wildcard), Adopt: surface.OptionalString(s.Adopt),
	}, err
}

func computed(m model, _ *model, wanted surface.Wanted) model {
	for _, object := range []string{domain.Record, domain.RecordV6} {
		if fields, compiled := wanted.Fields[object]; compiled {
			m.FQDN = types.StringValue(fields.Get(domain.FieldName))
			return m
		}
	}
	return m
}
