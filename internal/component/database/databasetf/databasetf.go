// Package databasetf is the Terraform half of the database component.
package databasetf

import (
	"encoding/json"
	"slices"

	"github.com/hashicorp/terraform-plugin-framework-validators/stringvalidator"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema/stringdefault"
	"github.com/hashicorp/terraform-plugin-framework/schema/validator"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/tenantplane/terraform-provider-tenant/internal/component/database"
	"github.com/tenantplane/terraform-provider-tenant/internal/surface"
	"github.com/tenantplane/terraform-provider-tenant/internal/tenant"
)

type model struct {
	Isolation  types.String `tfsdk:"isolation"`
	Seed       types.List   `tfsdk:"seed"`
	OnDestroy  types.String `tfsdk:"on_destroy"`
	Adopt      types.String `tfsdk:"adopt"`
	Name       types.String `tfsdk:"name"`
	OwnerRole  types.String `tfsdk:"owner_role"`
	ReaderRole types.String `tfsdk:"reader_role"`
	Privileges types.Set    `tfsdk:"privileges"`
	SeedDigest types.String `tfsdk:"seed_digest"`
	Enabled    types.Bool   `tfsdk:"enabled"`
}

// Component returns the database component's Terraform half.
func Component() surface.Component {
	return surface.Define(surface.Definition[model]{
		Name:        "database",
		Description: "The tenant's database in its region.",
		Attributes:  attributes(),
		Spec:        spec,
		FromSpec:    fromSpec,
		Observe:     observe,
		Computed:    computed,
	})
}

func attributes() map[string]schema.Attribute {
	return map[string]schema.Attribute{
		"isolation": schema.StringAttribute{
			Optional: true, Computed: true, Default: stringdefault.StaticString(database.IsolationSchema),
			Validators:          []validator.String{stringvalidator.OneOf(database.IsolationSchema, database.IsolationDatabase)},
			MarkdownDescription: "How the tenant's tables are kept apart: `schema`, the default, or `database`. Cannot change.",
		},
		"seed": schema.ListAttribute{
			Optional: true, ElementType: types.StringType,
			MarkdownDescription: "SQL files that are run as the owner role, in order, once per content. Paths are relative to where Terraform runs. " +
				"The ledger keeps their content: put no secrets into them.",
		},
		"on_destroy": schema.StringAttribute{
			Optional: true, Validators: []validator.String{stringvalidator.OneOf(database.OnDestroyArchive, database.OnDestroyCascade)},
			MarkdownDescription: "What becomes of the data when the tenant goes: `archive` keeps it out of reach for the retention, `cascade` destroys it. Defaults to `deletion.data`.",
		},
		"adopt": surface.AdoptAttribute("schema or database"),
		"name": schema.StringAttribute{
			Computed: true, MarkdownDescription: "Name of the schema or database, derived from installation and tenant id.",
		},
		"owner_role": schema.StringAttribute{
			Computed: true, MarkdownDescription: "Role that owns the tenant's tables.",
		},
		"reader_role": schema.StringAttribute{
			Computed: true, MarkdownDescription: "Role that can read the tenant's tables, future ones included.",
		},
		"privileges": schema.SetAttribute{
			Computed: true, ElementType: types.StringType,
			MarkdownDescription: "What the roles may do; a difference here is drift.",
		},
		"seed_digest": schema.StringAttribute{
			Computed: true, MarkdownDescription: "Hash over the seeds that were run.",
		},
		"enabled": schema.BoolAttribute{
			Computed: true, MarkdownDescription: "Whether the roles can use the database.",
		},
	}
}

func fromSpec(text json.RawMessage) (model, error) {
	var s database.Spec
	err := json.Unmarshal(text, &s)
	isolation := s.Isolation
	if isolation == "" {
		isolation = database.IsolationSchema
	}
	var names []string
	for _, seed := range s.Seed {
		names = append(names, seed.Name)
	}
	return model{
		Isolation: types.StringValue(isolation), Seed: surface.StringList(names), Privileges: surface.StringSet(nil),
		OnDestroy: surface.OptionalString(s.OnDestroy), Adopt: surface.OptionalString(s.Adopt),
	}, err
}

func observe(m model, seen surface.Seen) (model, bool) {
	schema, present := seen[database.ObjectSchema]
	if !present {
		return m, false
	}
	m = withFields(m, schema.Fields)
	m.Isolation = types.StringValue(schema.Fields.Get(database.FieldIsolation))
	m.Seed = keepSeeds(m.Seed, schema.Fields[database.FieldSeed])
	m.Enabled = types.BoolValue(!schema.Disabled)
	return m, true
}

// keepSeeds leaves the user's list alone when the same seeds ran.
func keepSeeds(prior types.List, refs []string) types.List {
	var ran []string
	for _, ref := range refs {
		ran = append(ran, database.SeedName(ref))
	}
	var wanted []string
	for _, path := range surface.Strings(prior.Elements()) {
		wanted = append(wanted, seedName(path))
	}
	if slices.Equal(ran, wanted) {
		if len(ran) == 0 && prior.IsNull() {
			return surface.StringList(nil)
		}
		return prior
	}
	return surface.StringList(ran)
}

func computed(m model, _ *model, wanted surface.Wanted) model {
	if fields, compiled := wanted.Fields[database.ObjectSchema]; compiled {
		m = withFields(m, fields)
	}
	m.Enabled = types.BoolValue(!wanted.Suspended)
	return m
}

// withFields fills in the leaves that follow from a schema's content.
func withFields(m model, f tenant.Fields) model {
	m.Name = types.StringValue(f.Get(database.FieldName))
	m.OwnerRole = types.StringValue(f.Get(database.FieldOwnerRole))
	m.ReaderRole = types.StringValue(f.Get(database.FieldReaderRole))
	privileges := append(slices.Clone(f[database.FieldGrants]), f[database.FieldDefaultPrivileges]...)
	m.Privileges = surface.StringSet(slices.Compact(slices.Sorted(slices.Values(privileges))))
	m.SeedDigest = types.StringValue(seedDigest(f[database.FieldSeed]))
	return m
}
