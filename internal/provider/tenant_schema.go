package provider

import (
	"context"
	"regexp"

	"github.com/hashicorp/terraform-plugin-framework-timeouts/resource/timeouts"
	"github.com/hashicorp/terraform-plugin-framework-validators/int64validator"
	"github.com/hashicorp/terraform-plugin-framework-validators/listvalidator"
	"github.com/hashicorp/terraform-plugin-framework-validators/mapvalidator"
	"github.com/hashicorp/terraform-plugin-framework-validators/stringvalidator"
	"github.com/hashicorp/terraform-plugin-framework/resource"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema/planmodifier"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema/stringplanmodifier"
	"github.com/hashicorp/terraform-plugin-framework/schema/validator"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/tenantplane/terraform-provider-tenant/internal/surface"
	"github.com/tenantplane/terraform-provider-tenant/internal/tenant"
)

// regionPattern is what a region may be called: it becomes part of markers and
// of folder names.
var regionPattern = regexp.MustCompile(`^[a-zA-Z0-9][a-zA-Z0-9_-]{0,62}$`)

// ignorePattern is a path below a tenant.
var ignorePattern = regexp.MustCompile(`^[a-z_]+(\.[a-z0-9_]+){0,2}$`)

// tenantResource is the resource "tenant".
type tenantResource struct {
	session  *Session
	surfaces []surface.Component
}

// Metadata implements resource.Resource: the resource is named as the provider.
func (r *tenantResource) Metadata(_ context.Context, req resource.MetadataRequest, resp *resource.MetadataResponse) {
	resp.TypeName = req.ProviderTypeName
}

// Configure implements resource.ResourceWithConfigure.
func (r *tenantResource) Configure(_ context.Context, req resource.ConfigureRequest, _ *resource.ConfigureResponse) {
	r.session, _ = req.ProviderData.(*Session)
}

// Schema implements resource.Resource.
func (r *tenantResource) Schema(ctx context.Context, _ resource.SchemaRequest, resp *resource.SchemaResponse) {
	attributes := tenantAttributes(ctx)
	for _, s := range r.surfaces {
		attributes[s.Name()] = s.Attribute()
	}
	resp.Schema = schema.Schema{
		MarkdownDescription: "One customer's whole installation: an organization in the identity provider, a customer and subscription in billing, " +
			"a database, a bucket and DNS records, each exactly once.",
		Attributes: attributes,
	}
}

func tenantAttributes(ctx context.Context) map[string]schema.Attribute {
	return map[string]schema.Attribute{
		"tenant_id": schema.StringAttribute{
			Required: true, Validators: []validator.String{tenantIDValidator{}},
			PlanModifiers:       []planmodifier.String{stringplanmodifier.RequiresReplace()},
			MarkdownDescription: "Id of the tenant: 1 to 63 lower-case letters, digits and hyphens. Changing it makes another tenant.",
		},
		"display_name": schema.StringAttribute{
			Required: true, Validators: []validator.String{stringvalidator.LengthBetween(1, 200)},
			MarkdownDescription: "Name that people see in the identity provider and in billing.",
		},
		"region": schema.StringAttribute{
			Required: true, Validators: []validator.String{stringvalidator.RegexMatches(regionPattern, "use 1 to 63 letters, digits, hyphens and underscores, a letter or digit first")},
			PlanModifiers:       []planmodifier.String{stringplanmodifier.RequiresReplace()},
			MarkdownDescription: "Region whose data plane serves the tenant. Changing it makes another tenant in the new region and destroys this one.",
		},
		"installation": schema.StringAttribute{
			Computed: true, PlanModifiers: []planmodifier.String{stringplanmodifier.UseNonNullStateForUnknown()},
			MarkdownDescription: "Installation the tenant belongs to. Kept in state so that a lost ledger derives the same names again.",
		},
		"status": schema.StringAttribute{
			Computed: true,
			MarkdownDescription: "Where the tenant stands: `ready` when everything exists as declared, `degraded` when something drifted, " +
				"`pending`, `reconciling`, `failed` or `blocked` when an apply could not finish. Anything but `ready` makes the next plan continue.",
		},
		"differences": schema.SetAttribute{
			Computed: true, ElementType: types.StringType,
			MarkdownDescription: "What differs between the declaration and what exists, one line each; empty when they agree.",
		},
		"deletion": deletionAttribute(),
		"drift": schema.SingleNestedAttribute{
			Optional: true, MarkdownDescription: "What happens about changes made behind Terraform's back.",
			Attributes: map[string]schema.Attribute{
				"policy": schema.StringAttribute{
					Optional: true, Validators: []validator.String{stringvalidator.OneOf(string(tenant.ReportDrift), string(tenant.RepairDrift))},
					MarkdownDescription: "`report`, the default, leaves repair to the next apply; `repair` lets sweeps repair as well. " +
						"What holds data and is gone is never made anew by a sweep.",
				},
				"components": schema.MapAttribute{
					Optional: true, ElementType: types.StringType,
					Validators: []validator.Map{
						mapvalidator.KeysAre(stringvalidator.OneOf(surfaceNames()...)),
						mapvalidator.ValueStringsAre(stringvalidator.OneOf(string(tenant.ReportDrift), string(tenant.RepairDrift))),
					},
					MarkdownDescription: "Policies of single components that differ from `policy`.",
				},
				"ignore": schema.ListAttribute{
					Optional: true, ElementType: types.StringType,
					Validators: []validator.List{listvalidator.ValueStringsAre(stringvalidator.RegexMatches(ignorePattern,
						"write component, component.object or component.object.field, for example domain.record.ttl"))},
					MarkdownDescription: "What is no drift to sweeps and to `drift`: `component`, `component.object` or `component.object.field`, as `differences` names them. " +
						"It does not change what a plan shows; `lifecycle.ignore_changes` does.",
				},
			},
		},
		"timeouts": timeouts.AttributesAll(ctx),
	}
}

func deletionAttribute() schema.SingleNestedAttribute {
	return schema.SingleNestedAttribute{
		Optional: true, MarkdownDescription: "What happens at the tenant's end.",
		Attributes: map[string]schema.Attribute{
			"protection": schema.BoolAttribute{
				Optional: true, MarkdownDescription: "Refuse to plan a destruction. Set it to false and apply before you destroy.",
			},
			"data": schema.StringAttribute{
				Optional: true,
				Validators: []validator.String{stringvalidator.OneOf(
					string(tenant.RetainData), string(tenant.ArchiveData), string(tenant.DeleteData))},
				MarkdownDescription: "`retain`, the default, refuses to remove a database or bucket that holds data; " +
					"`archive` puts the data out of reach and keeps it for the retention; `delete` destroys it.",
			},
			"retention_days": schema.Int64Attribute{
				Optional: true, Validators: []validator.Int64{int64validator.Between(0, 3650)},
				MarkdownDescription: "How many days archived data is kept. Defaults to 0.",
			},
		},
	}
}
