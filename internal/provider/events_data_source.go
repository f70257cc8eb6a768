package provider

import (
	"context"

	"github.com/hashicorp/terraform-plugin-framework-validators/int64validator"
	"github.com/hashicorp/terraform-plugin-framework/datasource"
	"github.com/hashicorp/terraform-plugin-framework/datasource/schema"
	"github.com/hashicorp/terraform-plugin-framework/schema/validator"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/tenantplane/terraform-provider-tenant/internal/ledger"
	"github.com/tenantplane/terraform-provider-tenant/internal/tenant"
)

// eventsDataSource is the data source "tenant_events": what happened to tenants.
type eventsDataSource struct{ session *Session }

type eventsData struct {
	TenantID types.String `tfsdk:"tenant_id"`
	Types    []string     `tfsdk:"types"`
	Limit    types.Int64  `tfsdk:"limit"`
	Events   []eventLine  `tfsdk:"events"`
}

type eventLine struct {
	ID          types.String `tfsdk:"id"`
	Type        types.String `tfsdk:"type"`
	TenantID    types.String `tfsdk:"tenant_id"`
	Correlation types.String `tfsdk:"correlation_id"`
	Time        types.String `tfsdk:"time"`
	Data        types.String `tfsdk:"data"`
}

// defaultEvents is how many events are read when nobody says.
const defaultEvents = 100

// Metadata implements datasource.DataSource.
func (d *eventsDataSource) Metadata(_ context.Context, req datasource.MetadataRequest, resp *datasource.MetadataResponse) {
	resp.TypeName = req.ProviderTypeName + "_events"
}

// Configure implements datasource.DataSourceWithConfigure.
func (d *eventsDataSource) Configure(_ context.Context, req datasource.ConfigureRequest, _ *datasource.ConfigureResponse) {
	d.session, _ = req.ProviderData.(*Session)
}

// Schema implements datasource.DataSource.
func (d *eventsDataSource) Schema(_ context.Context, _ datasource.SchemaRequest, resp *datasource.SchemaResponse) {
	text := func(description string) schema.StringAttribute {
		return schema.StringAttribute{Computed: true, MarkdownDescription: description}
	}
	resp.Schema = schema.Schema{
		MarkdownDescription: "What happened to tenants, the newest first, as far back as `events.retention_days` goes.",
		Attributes: map[string]schema.Attribute{
			"tenant_id": schema.StringAttribute{Optional: true, MarkdownDescription: "Only events of this tenant."},
			"types":     schema.ListAttribute{Optional: true, ElementType: types.StringType, MarkdownDescription: "Only events of these types, for example `tenant.blocked.v1`."},
			"limit": schema.Int64Attribute{
				Optional: true, Validators: []validator.Int64{int64validator.Between(1, 10_000)}, MarkdownDescription: "How many at most. Defaults to 100.",
			},
			"events": schema.ListNestedAttribute{
				Computed: true, MarkdownDescription: "The events.",
				NestedObject: schema.NestedAttributeObject{Attributes: map[string]schema.Attribute{
					"id": text("Id, the same for ever."), "type": text("Versioned type."), "tenant_id": text("Whom it is about."),
					"correlation_id": text("Ties together the events of one onboarding or deletion."),
					"time":           text("When it became true, RFC 3339."), "data": text("The type's own JSON object."),
				}},
			},
		},
	}
}

// Read implements datasource.DataSource.
func (d *eventsDataSource) Read(ctx context.Context, req datasource.ReadRequest, resp *datasource.ReadResponse) {
	var m eventsData
	resp.Diagnostics.Append(req.Config.Get(ctx, &m)...)
	if resp.Diagnostics.HasError() {
		return
	}
	limit := int64(defaultEvents)
	if !m.Limit.IsNull() {
		limit = m.Limit.ValueInt64()
	}
	events, err := d.session.ledger.Events(ctx, ledger.EventFilter{Tenant: tenant.ID(m.TenantID.ValueString()), Types: m.Types, Limit: int(limit)})
	if err != nil {
		resp.Diagnostics.Append(errorDiagnostics(err)...)
		return
	}
	m.Events = []eventLine{}
	for _, e := range events {
		m.Events = append(m.Events, eventLine{
			ID: types.StringValue(e.ID), Type: types.StringValue(e.Type), TenantID: types.StringValue(string(e.Tenant)),
			Correlation: types.StringValue(e.Correlation), Time: moment(e.Time), Data: types.StringValue(string(e.Data)),
		})
	}
	resp.Diagnostics.Append(resp.State.Set(ctx, &m)...)
}
