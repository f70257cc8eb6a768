package provider

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/hashicorp/terraform-plugin-framework/datasource"
	"github.com/hashicorp/terraform-plugin-framework/datasource/schema"
	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/schema/validator"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/tenantplane/terraform-provider-tenant/internal/drift"
	"github.com/tenantplane/terraform-provider-tenant/internal/engine"
	"github.com/tenantplane/terraform-provider-tenant/internal/ledger"
	"github.com/tenantplane/terraform-provider-tenant/internal/tenant"
)

// driftDataSource is the data source "tenant_drift": how a tenant differs from
// its last applied spec right now, for checks and postconditions.
type driftDataSource struct{ session *Session }

type driftData struct {
	TenantID  types.String `tfsdk:"tenant_id"`
	Complete  types.Bool   `tfsdk:"complete"`
	Drifted   types.Bool   `tfsdk:"drifted"`
	Drifts    []driftLine  `tfsdk:"drifts"`
	Unhealthy []string     `tfsdk:"unhealthy"`
	Unread    []string     `tfsdk:"unread"`
}

type driftLine struct {
	Object   types.String `tfsdk:"object"`
	Field    types.String `tfsdk:"field"`
	Observed []string     `tfsdk:"observed"`
	Desired  []string     `tfsdk:"desired"`
	Reason   types.String `tfsdk:"reason"`
	Severity types.String `tfsdk:"severity"`
	Since    types.String `tfsdk:"since"`
}

// Metadata implements datasource.DataSource.
func (d *driftDataSource) Metadata(_ context.Context, req datasource.MetadataRequest, resp *datasource.MetadataResponse) {
	resp.TypeName = req.ProviderTypeName + "_drift"
}

// Configure implements datasource.DataSourceWithConfigure.
func (d *driftDataSource) Configure(_ context.Context, req datasource.ConfigureRequest, _ *datasource.ConfigureResponse) {
	d.session, _ = req.ProviderData.(*Session)
}

// Schema implements datasource.DataSource.
func (d *driftDataSource) Schema(_ context.Context, _ datasource.SchemaRequest, resp *datasource.SchemaResponse) {
	text := func(description string) schema.StringAttribute {
		return schema.StringAttribute{Computed: true, MarkdownDescription: description}
	}
	texts := func(description string) schema.ListAttribute {
		return schema.ListAttribute{Computed: true, ElementType: types.StringType, MarkdownDescription: description}
	}
	resp.Schema = schema.Schema{
		MarkdownDescription: "How a tenant differs from what was last applied, looked at with every read. " +
			"The resource `tenant` shows the same in its plan; this is for `check` blocks, and for tenants of other configurations.",
		Attributes: map[string]schema.Attribute{
			"tenant_id": schema.StringAttribute{
				Required: true, Validators: []validator.String{tenantIDValidator{}}, MarkdownDescription: "Id of the tenant.",
			},
			"complete":  schema.BoolAttribute{Computed: true, MarkdownDescription: "Every system could be read. Without that, `drifted = false` says nothing."},
			"drifted":   schema.BoolAttribute{Computed: true, MarkdownDescription: "There is at least one difference, or something that no apply could mend."},
			"unhealthy": texts("What no apply could mend."),
			"unread":    texts("What could not be looked at, and why."),
			"drifts": schema.ListNestedAttribute{
				Computed: true, MarkdownDescription: "The differences.",
				NestedObject: schema.NestedAttributeObject{Attributes: map[string]schema.Attribute{
					"object": text("Component and object."), "field": text("What differs; empty for the object as a whole."),
					"observed": texts("What is there."), "desired": texts("What is declared."), "reason": text("What is wrong, in words."),
					"severity": text("`critical`, `warning` or `notice`."), "since": text("When it was first seen, RFC 3339; empty when that was now."),
				}},
			},
		},
	}
}

// Read implements datasource.DataSource.
func (d *driftDataSource) Read(ctx context.Context, req datasource.ReadRequest, resp *datasource.ReadResponse) {
	var m driftData
	resp.Diagnostics.Append(req.Config.Get(ctx, &m)...)
	if resp.Diagnostics.HasError() {
		return
	}
	id := tenant.ID(m.TenantID.ValueString())
	row, err := d.session.ledger.Tenant(ctx, id)
	if errors.Is(err, ledger.ErrNotFound) || err == nil && row.Status == ledger.Deleted {
		resp.Diagnostics.AddAttributeError(path.Root("tenant_id"), "Tenant is not known",
			fmt.Sprintf("tenant_id: the ledger has no living tenant %q. Correct the id, or name the ledger that has it.", id))
		return
	}
	if err != nil {
		resp.Diagnostics.Append(errorDiagnostics(err)...)
		return
	}
	view, err := d.session.Executor.Look(ctx, row.Spec)
	if err != nil {
		resp.Diagnostics.Append(errorDiagnostics(err)...)
		return
	}
	plan := engine.Converge(view.Desired, view.Departing, view.Seen, d.session.Executor.Clock.Now())
	judged := drift.Judge(drift.Tenant{}, plan, row.Spec.Drift, func(id engine.ObjectID) time.Time { return view.Rows[id].DriftSince })
	m = driftDataOf(m.TenantID, judged)
	resp.Diagnostics.Append(resp.State.Set(ctx, &m)...)
}

func driftDataOf(id types.String, t drift.Tenant) driftData {
	m := driftData{
		TenantID: id, Complete: types.BoolValue(len(t.Unread) == 0), Drifted: types.BoolValue(len(t.Drifts)+len(t.Unhealthy) > 0),
		Drifts: []driftLine{}, Unhealthy: orEmpty(t.Unhealthy), Unread: orEmpty(t.Unread),
	}
	for _, d := range t.Drifts {
		m.Drifts = append(m.Drifts, driftLine{
			Object: types.StringValue(d.Object), Field: types.StringValue(d.Field), Observed: orEmpty(d.Observed), Desired: orEmpty(d.Desired),
			Reason: types.StringValue(d.Reason), Severity: types.StringValue(string(d.Severity)), Since: moment(d.Since),
		})
	}
	return m
}

// orEmpty is a list that is never null.
func orEmpty(list []string) []string {
	if list == nil {
		return []string{}
	}
	return list
}
