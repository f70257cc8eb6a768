package provider

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/hashicorp/terraform-plugin-framework-timeouts/resource/timeouts"
	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/resource"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema/planmodifier"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema/stringplanmodifier"
	"github.com/hashicorp/terraform-plugin-framework/schema/validator"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/tenantplane/terraform-provider-tenant/internal/executor"
	"github.com/tenantplane/terraform-provider-tenant/internal/ledger"
	"github.com/tenantplane/terraform-provider-tenant/internal/tenant"
)

// defaultReadyTimeout is how long tenant_ready waits when it says nothing.
const defaultReadyTimeout = 10 * time.Minute

// readyPoll is the pause between two looks at the ledger.
const readyPoll = time.Second

// readyResource is the resource "tenant_ready": it waits until a tenant is
// ready and fails, leaving no state, when it does not become so.
type readyResource struct{ session *Session }

type readyModel struct {
	TenantID types.String   `tfsdk:"tenant_id"`
	Status   types.String   `tfsdk:"status"`
	Timeouts timeouts.Value `tfsdk:"timeouts"`
}

// Metadata implements resource.Resource.
func (r *readyResource) Metadata(_ context.Context, req resource.MetadataRequest, resp *resource.MetadataResponse) {
	resp.TypeName = req.ProviderTypeName + "_ready"
}

// Configure implements resource.ResourceWithConfigure.
func (r *readyResource) Configure(_ context.Context, req resource.ConfigureRequest, _ *resource.ConfigureResponse) {
	r.session, _ = req.ProviderData.(*Session)
}

// Schema implements resource.Resource.
func (r *readyResource) Schema(ctx context.Context, _ resource.SchemaRequest, resp *resource.SchemaResponse) {
	resp.Schema = schema.Schema{
		MarkdownDescription: "Waits until a tenant is ready, going on with its work meanwhile, and fails when it does not become ready. " +
			"A `tenant` itself never fails once anything of it exists; this is the gate for what must not go on without it. It makes nothing of its own.",
		Attributes: map[string]schema.Attribute{
			"tenant_id": schema.StringAttribute{
				Required: true, PlanModifiers: []planmodifier.String{stringplanmodifier.RequiresReplace()},
				Validators:          []validator.String{tenantIDValidator{}},
				MarkdownDescription: "Id of the tenant to wait for. Refer to the tenant resource, so that it is applied before.",
			},
			"status": schema.StringAttribute{
				Computed: true, PlanModifiers: []planmodifier.String{stringplanmodifier.UseNonNullStateForUnknown()},
				MarkdownDescription: "Always `ready`: without it there is no state.",
			},
			"timeouts": timeouts.Attributes(ctx, timeouts.Opts{Create: true}),
		},
	}
}

// Create implements resource.Resource.
func (r *readyResource) Create(ctx context.Context, req resource.CreateRequest, resp *resource.CreateResponse) {
	var m readyModel
	resp.Diagnostics.Append(req.Plan.Get(ctx, &m)...)
	limit, diags := m.Timeouts.Create(ctx, defaultReadyTimeout)
	resp.Diagnostics.Append(diags...)
	if resp.Diagnostics.HasError() {
		return
	}
	ctx, cancel := context.WithTimeout(ctx, limit)
	defer cancel()
	row, err := r.await(ctx, tenant.ID(m.TenantID.ValueString()))
	if err != nil {
		resp.Diagnostics.AddAttributeError(path.Root("tenant_id"), "Tenant is not ready",
			fmt.Sprintf("tenant_id: %v. Mend the cause and apply again; the tenant goes on where it stopped.", err))
		return
	}
	m.Status = types.StringValue(string(row.Status))
	resp.Diagnostics.Append(resp.State.Set(ctx, &m)...)
}

// await drives the tenant until it is ready, cannot become so, or ctx ends.
func (r *readyResource) await(ctx context.Context, id tenant.ID) (ledger.Tenant, error) {
	for {
		row, err := r.session.ledger.Tenant(context.WithoutCancel(ctx), id)
		switch {
		case errors.Is(err, ledger.ErrNotFound):
			return row, fmt.Errorf("there is no tenant %q; refer to the tenant resource so that it is applied before", id)
		case err != nil:
			return row, err
		case row.Status == ledger.Ready && row.ObservedGeneration == row.DesiredGeneration:
			return row, nil
		case row.Status == ledger.Failed, row.Status == ledger.Blocked, row.Status == ledger.Deleted, row.Status == ledger.Deleting:
			return row, fmt.Errorf("tenant %q is %s: %s", id, row.Status, row.LastError)
		case row.IsSuspended():
			return row, fmt.Errorf("tenant %q is suspended: %s", id, row.SuspendReason)
		}
		if _, err := r.session.Executor.Pass(ctx, id, row.Claim); err != nil && !executor.Busy(err) && ctx.Err() == nil {
			return row, err
		}
		if r.session.Executor.Clock.Sleep(ctx, readyPoll) != nil {
			return row, fmt.Errorf("tenant %q is still %s when the wait ended: %s", id, row.Status, row.LastError)
		}
	}
}

// Read implements resource.Resource: a tenant that is no longer ready takes the
// gate down, so that the next apply waits again.
func (r *readyResource) Read(ctx context.Context, req resource.ReadRequest, resp *resource.ReadResponse) {
	var m readyModel
	resp.Diagnostics.Append(req.State.Get(ctx, &m)...)
	if resp.Diagnostics.HasError() {
		return
	}
	row, err := r.session.ledger.Tenant(ctx, tenant.ID(m.TenantID.ValueString()))
	if err != nil && !errors.Is(err, ledger.ErrNotFound) {
		resp.Diagnostics.Append(errorDiagnostics(err)...)
		return
	}
	if !opensGate(row.Status) {
		resp.State.RemoveResource(ctx)
	}
}

// opensGate tells whether a tenant keeps the gate it has passed. One that was
// suspended later keeps it: its onboarding is over, and the fleet's applies must
// not fail for it.
func opensGate(s ledger.Status) bool { return finished(s) || s == ledger.Degraded }

// Update implements resource.Resource: only timeouts can change.
func (r *readyResource) Update(ctx context.Context, req resource.UpdateRequest, resp *resource.UpdateResponse) {
	var m readyModel
	resp.Diagnostics.Append(req.Plan.Get(ctx, &m)...)
	resp.Diagnostics.Append(resp.State.Set(ctx, &m)...)
}

// Delete implements resource.Resource: there is nothing to take away.
func (r *readyResource) Delete(context.Context, resource.DeleteRequest, *resource.DeleteResponse) {}
