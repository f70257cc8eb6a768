package provider

import (
	"context"
	"slices"

	"github.com/hashicorp/terraform-plugin-framework-validators/setvalidator"
	"github.com/hashicorp/terraform-plugin-framework-validators/stringvalidator"
	"github.com/hashicorp/terraform-plugin-framework/datasource"
	"github.com/hashicorp/terraform-plugin-framework/datasource/schema"
	"github.com/hashicorp/terraform-plugin-framework/schema/validator"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/tenantplane/terraform-provider-tenant/internal/ledger"
)

// listDataSource is the data source "tenant_list": the tenants of the ledger,
// for import blocks and for loops. It is not called "tenants": Terraform would
// look for a provider of that name.
type listDataSource struct{ session *Session }

type listData struct {
	Statuses       types.Set    `tfsdk:"statuses"`
	Region         types.String `tfsdk:"region"`
	IncludeDeleted types.Bool   `tfsdk:"include_deleted"`
	IDs            []string     `tfsdk:"ids"`
	Tenants        []listedData `tfsdk:"tenants"`
}

type listedData struct {
	TenantID    types.String `tfsdk:"tenant_id"`
	DisplayName types.String `tfsdk:"display_name"`
	Region      types.String `tfsdk:"region"`
	Status      types.String `tfsdk:"status"`
	Owner       types.String `tfsdk:"owner"`
}

// statuses are those a tenant can be listed by.
var statuses = []string{
	string(ledger.Pending), string(ledger.Reconciling), string(ledger.Waiting), string(ledger.Ready), string(ledger.Degraded),
	string(ledger.Failed), string(ledger.Blocked), string(ledger.Suspended), string(ledger.Deleting), string(ledger.Deleted),
}

// Metadata implements datasource.DataSource.
func (d *listDataSource) Metadata(_ context.Context, req datasource.MetadataRequest, resp *datasource.MetadataResponse) {
	resp.TypeName = req.ProviderTypeName + "_list"
}

// Configure implements datasource.DataSourceWithConfigure.
func (d *listDataSource) Configure(_ context.Context, req datasource.ConfigureRequest, _ *datasource.ConfigureResponse) {
	d.session, _ = req.ProviderData.(*Session)
}

// Schema implements datasource.DataSource.
func (d *listDataSource) Schema(_ context.Context, _ datasource.SchemaRequest, resp *datasource.SchemaResponse) {
	text := func(description string) schema.StringAttribute {
		return schema.StringAttribute{Computed: true, MarkdownDescription: description}
	}
	resp.Schema = schema.Schema{
		MarkdownDescription: "The tenants of the ledger, ordered by id. It asks no backend.",
		Attributes: map[string]schema.Attribute{
			"statuses": schema.SetAttribute{
				Optional: true, ElementType: types.StringType, MarkdownDescription: "Only tenants with one of these statuses.",
				Validators: []validator.Set{setvalidator.ValueStringsAre(stringvalidator.OneOf(statuses...))},
			},
			"region":          schema.StringAttribute{Optional: true, MarkdownDescription: "Only tenants of this region."},
			"include_deleted": schema.BoolAttribute{Optional: true, MarkdownDescription: "Also tenants that ended. Defaults to false."},
			"ids":             schema.ListAttribute{Computed: true, ElementType: types.StringType, MarkdownDescription: "Their ids."},
			"tenants": schema.ListNestedAttribute{
				Computed: true, MarkdownDescription: "The tenants.",
				NestedObject: schema.NestedAttributeObject{Attributes: map[string]schema.Attribute{
					"tenant_id": text("Id of the tenant."), "display_name": text("Name people see."), "region": text("Region whose data plane serves the tenant."),
					"status": text("Where the tenant stands."), "owner": text("Workspace whose state owns the tenant; empty when it ended."),
				}},
			},
		},
	}
}

// Read implements datasource.DataSource.
func (d *listDataSource) Read(ctx context.Context, req datasource.ReadRequest, resp *datasource.ReadResponse) {
	var m listData
	resp.Diagnostics.Append(req.Config.Get(ctx, &m)...)
	var wanted []string
	resp.Diagnostics.Append(m.Statuses.ElementsAs(ctx, &wanted, false)...)
	if resp.Diagnostics.HasError() {
		return
	}
	filter := ledger.Filter{IncludeDeleted: m.IncludeDeleted.ValueBool() || slices.Contains(wanted, string(ledger.Deleted))}
	for _, status := range wanted {
		filter.Statuses = append(filter.Statuses, ledger.Status(status))
	}
	rows, err := d.session.ledger.Tenants(ctx, filter)
	if err != nil {
		resp.Diagnostics.Append(errorDiagnostics(err)...)
		return
	}
	m.IDs, m.Tenants = []string{}, []listedData{}
	for _, row := range rows {
		if !m.Region.IsNull() && row.Region != m.Region.ValueString() {
			continue
		}
		m.IDs = append(m.IDs, string(row.ID))
		m.Tenants = append(m.Tenants, listedData{
			TenantID: types.StringValue(string(row.ID)), DisplayName: types.StringValue(row.Spec.Subject.DisplayName),
			Region: types.StringValue(row.Region), Status: types.StringValue(string(row.Status)), Owner: types.StringValue(workspaceOf(row.Claim)),
		})
	}
	resp.Diagnostics.Append(resp.State.Set(ctx, &m)...)
}
