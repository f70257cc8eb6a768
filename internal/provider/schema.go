package provider

import (
	"slices"

	"github.com/hashicorp/terraform-plugin-framework/provider/schema"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/tenantplane/terraform-provider-tenant/internal/backend"
	"github.com/tenantplane/terraform-provider-tenant/internal/backend/middleware/budget"
)

// providerSchema builds the provider block. The blocks of the backends are
// rendered from the drivers' options.
func providerSchema() schema.Schema {
	attributes := map[string]schema.Attribute{
		"installation": schema.StringAttribute{
			Optional: true,
			MarkdownDescription: "Name of this deployment, 3 to 16 lower-case letters and digits, a letter first. It is part of every derived name and marker. " +
				"Drawn at random for a new ledger when not set; set it when several ledgers must derive the same names.",
		},
		"workspace": schema.StringAttribute{
			Optional: true,
			MarkdownDescription: "Says which Terraform state owns the tenants it declares. A tenant owned by one cannot be declared or destroyed by another. " +
				"Defaults to the organization and workspace in HCP Terraform, and to the working directory and the selected workspace elsewhere: " +
				"set it when runs of one state start in different directories, and with a PostgreSQL ledger: there a path does not tell one configuration from another.",
		},
		"ledger": schema.SingleNestedAttribute{
			Optional:            true,
			MarkdownDescription: "Where everything about the tenants is remembered.",
			Attributes: map[string]schema.Attribute{
				"path": schema.StringAttribute{
					Optional: true, MarkdownDescription: "SQLite file. Defaults to `tenant-ledger.db` in the working directory.",
				},
				"url": schema.StringAttribute{
					Optional: true, Sensitive: true,
					MarkdownDescription: "PostgreSQL database, `postgres://user:password@host:5432/database`: for pipelines, workspaces and machines that share one ledger. " +
						"A transaction pooler may stand before it. Without `path` and `url`, the environment variable `" + LedgerURLVariable + "` is asked.",
				},
			},
		},
		"events": eventsAttribute(),
		"sandbox": schema.SingleNestedAttribute{
			Optional: true,
			MarkdownDescription: "Serve every backend that is not configured from embedded servers with the same wire APIs, without an account. " +
				"For trying out and for tests; what it holds is not real.",
			Attributes: map[string]schema.Attribute{
				"path": schema.StringAttribute{
					Optional: true, MarkdownDescription: "Folder of the sandbox's state. Defaults to `.tenant-sandbox` in the working directory.",
				},
				"zones": schema.ListAttribute{
					Optional: true, ElementType: types.StringType,
					MarkdownDescription: "DNS zones the sandbox has. Defaults to example.com, example.net and example.org.",
				},
				"plans": schema.ListAttribute{
					Optional: true, ElementType: types.StringType,
					MarkdownDescription: "Lookup keys of the prices the sandbox has. Defaults to starter, pro and enterprise.",
				},
			},
		},
		"regions": schema.MapNestedAttribute{
			Optional:            true,
			MarkdownDescription: "Backends of each region's data plane, by region name.",
			NestedObject:        schema.NestedAttributeObject{Attributes: componentBlocks(true)},
		},
	}
	for name, attribute := range componentBlocks(false) {
		attributes[name] = attribute
	}
	return schema.Schema{
		MarkdownDescription: "Onboards, keeps and offboards the tenants of a SaaS product across identity, billing, databases, object storage and DNS.",
		Attributes:          attributes,
	}
}

// componentBlocks renders the drivers that are, or are not, regional, grouped
// by component.
func componentBlocks(regional bool) map[string]schema.Attribute {
	vendors := map[string]map[string]schema.Attribute{}
	for _, d := range Drivers() {
		if d.Regional != regional {
			continue
		}
		if vendors[d.Component] == nil {
			vendors[d.Component] = map[string]schema.Attribute{}
		}
		vendors[d.Component][d.Vendor] = schema.SingleNestedAttribute{
			Optional: true, MarkdownDescription: d.Description, Attributes: driverOptions(d),
		}
	}
	blocks := map[string]schema.Attribute{}
	for component, attributes := range vendors {
		blocks[component] = schema.SingleNestedAttribute{
			Optional: true, MarkdownDescription: "Backend of the " + component + " component; one of the attributes below.", Attributes: attributes,
		}
	}
	return blocks
}

// optionsOf lists a driver's options, with those that all of its kind have.
func optionsOf(d backend.Driver) []backend.Option {
	if d.HTTP {
		return append(slices.Clone(d.Options), budget.Option())
	}
	return d.Options
}

// driverOptions renders a driver's options. Required ones are checked when the
// backend is opened, since a value may come from the environment.
func driverOptions(d backend.Driver) map[string]schema.Attribute {
	attributes := map[string]schema.Attribute{}
	for _, o := range optionsOf(d) {
		text := o.Description
		if o.Env != "" {
			text += " Can also be set with the environment variable `" + o.Env + "`."
		}
		attributes[o.Name] = schema.StringAttribute{
			Required: o.Required && o.Env == "", Optional: !o.Required || o.Env != "", Sensitive: o.Secret, MarkdownDescription: text,
		}
	}
	return attributes
}
