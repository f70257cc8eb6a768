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

	"github.com/tenantplane/terraform-provider-tenant/internal/ledger"
	"github.com/tenantplane/terraform-provider-tenant/internal/tenant"
)

// tenantDataSource is the data source "tenant": what the ledger remembers,
// the volatile facts included that have no place in a resource's state.
type tenantDataSource struct{ session *Session }

type tenantData struct {
	TenantID           types.String `tfsdk:"tenant_id"`
	DisplayName        types.String `tfsdk:"display_name"`
	Region             types.String `tfsdk:"region"`
	Installation       types.String `tfsdk:"installation"`
	Status             types.String `tfsdk:"status"`
	DesiredGeneration  types.Int64  `tfsdk:"desired_generation"`
	ObservedGeneration types.Int64  `tfsdk:"observed_generation"`
	FailureCount       types.Int64  `tfsdk:"failure_count"`
	LastErrorCode      types.String `tfsdk:"last_error_code"`
	LastReconciledAt   types.String `tfsdk:"last_reconciled_at"`
	NextReconcileAt    types.String `tfsdk:"next_reconcile_at"`
	CorrelationID      types.String `tfsdk:"correlation_id"`
	SuspendedAt        types.String `tfsdk:"suspended_at"`
	SuspendReason      types.String `tfsdk:"suspend_reason"`
	PausedUntil        types.String `tfsdk:"paused_until"`
	PauseReason        types.String `tfsdk:"pause_reason"`
	Objects            []objectData `tfsdk:"objects"`
}

type objectData struct {
	Component    types.String `tfsdk:"component"`
	Object       types.String `tfsdk:"object"`
	ExternalID   types.String `tfsdk:"external_id"`
	Name         types.String `tfsdk:"name"`
	Epoch        types.Int64  `tfsdk:"epoch"`
	Condition    types.String `tfsdk:"condition"`
	Message      types.String `tfsdk:"message"`
	PendingUntil types.String `tfsdk:"pending_until"`
	DriftSince   types.String `tfsdk:"drift_since"`
}

// Metadata implements datasource.DataSource.
func (d *tenantDataSource) Metadata(_ context.Context, req datasource.MetadataRequest, resp *datasource.MetadataResponse) {
	resp.TypeName = req.ProviderTypeName
}

// Configure implements datasource.DataSourceWithConfigure.
func (d *tenantDataSource) Configure(_ context.Context, req datasource.ConfigureRequest, _ *datasource.ConfigureResponse) {
	d.session, _ = req.ProviderData.(*Session)
}

// Schema implements datasource.DataSource.
func (d *tenantDataSource) Schema(_ context.Context, _ datasource.SchemaRequest, resp *datasource.SchemaResponse) {
	text := func(description string) schema.StringAttribute {
		return schema.StringAttribute{Computed: true, MarkdownDescription: description}
	}
	number := func(description string) schema.Int64Attribute {
		return schema.Int64Attribute{Computed: true, MarkdownDescription: description}
	}
	resp.Schema = schema.Schema{
		MarkdownDescription: "What the ledger remembers of a tenant, times and counts included. It asks no backend.",
		Attributes: map[string]schema.Attribute{
			"tenant_id": schema.StringAttribute{
				Required: true, Validators: []validator.String{tenantIDValidator{}}, MarkdownDescription: "Id of the tenant.",
			},
			"display_name":        text("Name people see."),
			"region":              text("Region whose data plane serves the tenant."),
			"installation":        text("Installation the tenant belongs to."),
			"status":              text("Where the tenant stands."),
			"desired_generation":  number("Version of the declaration."),
			"observed_generation": number("Last version that was fully processed."),
			"failure_count":       number("Failed passes in a row."),
			"last_error_code":     text("Code of the last failure, empty after success."),
			"last_reconciled_at":  text("When the last pass ended, RFC 3339; empty before the first."),
			"next_reconcile_at":   text("When the next pass is due, RFC 3339."),
			"correlation_id":      text("Ties together the events of one onboarding or deletion."),
			"suspended_at":        text("When somebody suspended the tenant, RFC 3339; empty when nobody did."),
			"suspend_reason":      text("Why it is suspended."),
			"paused_until":        text("Until when sweeps leave its drift alone, RFC 3339; empty when they do not."),
			"pause_reason":        text("Why they do."),
			"objects": schema.ListNestedAttribute{
				Computed: true, MarkdownDescription: "The tenant's external objects.",
				NestedObject: schema.NestedAttributeObject{Attributes: map[string]schema.Attribute{
					"component":     text("Component the object belongs to."),
					"object":        text("Name of the object within the component."),
					"external_id":   text("Id in the external system; empty when it was never made."),
					"name":          text("Deterministic name in the external system, if it has names."),
					"epoch":         number("Counts the object's lives."),
					"condition":     text("Where the object stands."),
					"message":       text("Explains the condition."),
					"pending_until": text("When a dated end comes, RFC 3339; empty without one."),
					"drift_since":   text("When drift was first seen, RFC 3339; empty without drift."),
				}},
			},
		},
	}
}

// Read implements datasource.DataSource.
func (d *tenantDataSource) Read(ctx context.Context, req datasource.ReadRequest, resp *datasource.ReadResponse) {
	var m tenantData
	resp.Diagnostics.Append(req.Config.Get(ctx, &m)...)
	if resp.Diagnostics.HasError() {
		return
	}
	id := tenant.ID(m.TenantID.ValueString())
	row, err := d.session.ledger.Tenant(ctx, id)
	if errors.Is(err, ledger.ErrNotFound) {
		resp.Diagnostics.AddAttributeError(path.Root("tenant_id"), "Tenant is not known",
			fmt.Sprintf("tenant_id: the ledger has no tenant %q. Correct the id, or name the ledger that has it.", id))
		return
	}
	if err != nil {
		resp.Diagnostics.Append(errorDiagnostics(err)...)
		return
	}
	objects, err := d.session.ledger.Objects(ctx, id)
	if err != nil {
		resp.Diagnostics.Append(errorDiagnostics(err)...)
		return
	}
	m = tenantDataOf(row, objects)
	resp.Diagnostics.Append(resp.State.Set(ctx, &m)...)
}

func tenantDataOf(row ledger.Tenant, objects []ledger.Object) tenantData {
	m := tenantData{
		TenantID: types.StringValue(string(row.ID)), DisplayName: types.StringValue(row.Spec.Subject.DisplayName),
		Region: types.StringValue(row.Region), Installation: types.StringValue(string(row.Spec.Subject.Installation)),
		Status: types.StringValue(string(row.Status)), DesiredGeneration: types.Int64Value(int64(row.DesiredGeneration)),
		ObservedGeneration: types.Int64Value(int64(row.ObservedGeneration)), FailureCount: types.Int64Value(row.FailureCount),
		LastErrorCode: types.StringValue(row.LastErrorCode), LastReconciledAt: moment(row.LastReconciledAt),
		NextReconcileAt: moment(row.NextReconcileAt), CorrelationID: types.StringValue(row.CorrelationID),
		SuspendedAt: moment(row.SuspendedAt), SuspendReason: types.StringValue(row.SuspendReason),
		PausedUntil: moment(row.PausedUntil), PauseReason: types.StringValue(row.PauseReason),
	}
	for _, o := range objects {
		m.Objects = append(m.Objects, objectData{
			Component: types.StringValue(o.Component), Object: types.StringValue(o.Object), ExternalID: types.StringValue(o.ExternalID),
			Name: types.StringValue(o.Name), Epoch: types.Int64Value(o.Epoch), Condition: types.StringValue(string(o.Condition)),
			Message: types.StringValue(o.Message), PendingUntil: moment(o.PendingUntil), DriftSince: moment(o.DriftSince),
		})
	}
	return m
}

// moment renders a time, "" for none.
func moment(t time.Time) types.String {
	if t.IsZero() {
		return types.StringValue("")
	}
	return types.StringValue(t.UTC().Format(time.RFC3339))
}
