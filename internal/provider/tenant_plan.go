package provider

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/resource"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/tenantplane/terraform-provider-tenant/internal/engine"
	"github.com/tenantplane/terraform-provider-tenant/internal/executor"
	"github.com/tenantplane/terraform-provider-tenant/internal/ledger"
	"github.com/tenantplane/terraform-provider-tenant/internal/tenant"
)

// ModifyPlan implements resource.ResourceWithModifyPlan: it refuses what apply
// would refuse, and marks as unknown exactly what apply will decide.
func (r *tenantResource) ModifyPlan(ctx context.Context, req resource.ModifyPlanRequest, resp *resource.ModifyPlanResponse) {
	if r.session == nil {
		return // the provider is not configured: terraform validate
	}
	if req.Plan.Raw.IsNull() {
		resp.Diagnostics.Append(r.planDestroy(ctx, req)...)
		return
	}
	planned, diags := r.read(ctx, req.Plan)
	config, more := r.read(ctx, req.Config)
	resp.Diagnostics.Append(append(diags, more...)...)
	prior := values{Components: map[string]types.Object{}}
	creating := req.State.Raw.IsNull()
	if !creating {
		prior, diags = r.read(ctx, req.State)
		resp.Diagnostics.Append(diags...)
		resp.Diagnostics.Append(protectedReplacement(prior, planned)...)
	}
	if resp.Diagnostics.HasError() {
		return
	}
	if !creating && req.Plan.Raw.Equal(req.State.Raw) && settled(prior) && r.unchanged(ctx, config, prior) {
		return
	}
	out, diags := r.plan(ctx, config, planned, prior, creating)
	resp.Diagnostics.Append(diags...)
	if resp.Diagnostics.HasError() {
		return
	}
	resp.Diagnostics.Append(r.write(ctx, &resp.Plan, out)...)
}

// settled tells whether the state leaves nothing to do.
func settled(v values) bool {
	return v.Status.ValueString() == string(ledger.Ready) && len(v.Differences.Elements()) == 0
}

// unchanged tells whether what the configuration leads to is in state already.
// A configuration can stay the same to the letter and still want something
// new: a seed file has other content.
func (r *tenantResource) unchanged(ctx context.Context, config, prior values) bool {
	if !config.known(ctx) {
		return false
	}
	spec, diags := r.spec(ctx, prior, tenant.Installation(prior.Installation.ValueString()))
	desired, faults := engine.Compile(r.session.Executor.Components, spec)
	if diags.HasError() || len(faults) > 0 {
		return false
	}
	again, diags := r.computed(ctx, prior.clone(), prior, desired)
	if diags.HasError() {
		return false
	}
	for name, object := range again.Components {
		if !object.Equal(prior.Components[name]) {
			return false
		}
	}
	return true
}

// protectedReplacement refuses a replacement of a protected tenant.
func protectedReplacement(prior, planned values) diag.Diagnostics {
	var diags diag.Diagnostics
	if !deletionSpec(prior.Deletion).Protection {
		return diags
	}
	for name, pair := range map[string][2]types.String{
		"tenant_id": {prior.TenantID, planned.TenantID}, "region": {prior.Region, planned.Region},
	} {
		if !pair[0].Equal(pair[1]) {
			diags.AddAttributeError(path.Root(name), "Tenant is protected",
				fmt.Sprintf("%s: changing %s to %s would destroy tenant %s, whose deletion.protection is true. Set it back, or set deletion.protection = false and apply first.",
					name, pair[0], pair[1], prior.TenantID))
		}
	}
	return diags
}

// plan computes the planned values of a create or an update.
func (r *tenantResource) plan(ctx context.Context, config, planned, prior values, creating bool) (values, diag.Diagnostics) {
	planned.Status, planned.Differences = types.StringUnknown(), types.SetUnknown(types.StringType)
	installation, diags := r.installation(ctx, prior)
	if diags.HasError() {
		return planned, diags
	}
	planned.Installation = types.StringValue(string(installation))
	if !config.known(ctx) {
		return r.computed(ctx, planned, prior, engine.Desired{})
	}
	spec, diags := r.spec(ctx, planned, installation)
	if diags.HasError() {
		return planned, diags
	}
	replacing := !creating && (!prior.TenantID.Equal(planned.TenantID) || !prior.Region.Equal(planned.Region))
	if creating || replacing {
		diags.Append(r.refuseTaken(ctx, spec, creating)...)
	}
	view, err := r.session.Executor.Look(ctx, spec)
	if err != nil {
		diags.Append(errorDiagnostics(err)...)
		return planned, diags
	}
	diags.Append(faultDiagnostics(r.session.Executor.Check(ctx, view))...)
	if diags.HasError() {
		return planned, diags
	}
	if replacing {
		prior = values{Components: map[string]types.Object{}}
	}
	return r.computed(ctx, planned, prior, view.Desired)
}

// installation is the one the tenant belongs to, else the ledger's. It is read
// anew each time: a lost ledger learns it from the first tenant that is read.
func (r *tenantResource) installation(ctx context.Context, prior values) (tenant.Installation, diag.Diagnostics) {
	if name := prior.Installation.ValueString(); name != "" {
		return tenant.Installation(name), nil
	}
	installation, err := r.session.ledger.Installation(ctx)
	if err != nil {
		return "", errorDiagnostics(fmt.Errorf("read the installation: %w", err))
	}
	return installation, nil
}

// refuseTaken refuses an id that another resource or another state has.
func (r *tenantResource) refuseTaken(ctx context.Context, spec tenant.Spec, creating bool) diag.Diagnostics {
	var diags diag.Diagnostics
	id := spec.Subject.ID
	if creating && !r.session.planCreation(id) {
		diags.AddAttributeError(path.Root("tenant_id"), "Two resources with one tenant id",
			fmt.Sprintf("tenant_id: %q is declared by another resource of this configuration as well. Give each tenant an id of its own.", id))
		return diags
	}
	row, err := r.session.ledger.Tenant(ctx, id)
	if errors.Is(err, ledger.ErrNotFound) {
		return diags
	}
	if err != nil {
		return errorDiagnostics(err)
	}
	if row.Status != ledger.Deleted && row.Claim != "" && row.Claim != r.session.Claim {
		return errorDiagnostics(&ledger.ClaimError{Tenant: id, Owner: row.Claim})
	}
	if row.Status != ledger.Deleted && creating && row.Region != spec.Subject.Region {
		diags.AddAttributeError(path.Root("region"), "Tenant lives in another region",
			fmt.Sprintf("region: tenant %q exists in region %q and cannot be declared in %q. Set the region back, import the tenant and destroy it, or use another id.", id, row.Region, spec.Subject.Region))
	}
	return diags
}

// computed sets the computed leaves of every component in use.
func (r *tenantResource) computed(ctx context.Context, planned, prior values, desired engine.Desired) (values, diag.Diagnostics) {
	var diags diag.Diagnostics
	for _, s := range r.surfaces {
		object := planned.Components[s.Name()]
		if object.IsNull() || object.IsUnknown() {
			continue
		}
		before, existed := prior.Components[s.Name()]
		if !existed {
			before = s.Null()
		}
		out, more := s.Computed(ctx, object, before, wantedOf(desired, s.Name()))
		diags.Append(more...)
		planned.Components[s.Name()] = out
	}
	return planned, diags
}

// planDestroy refuses to destroy a protected tenant and tells the order.
func (r *tenantResource) planDestroy(ctx context.Context, req resource.ModifyPlanRequest) diag.Diagnostics {
	prior, diags := r.read(ctx, req.State)
	if diags.HasError() {
		return diags
	}
	if deletionSpec(prior.Deletion).Protection {
		diags.AddAttributeError(path.Root("deletion").AtName("protection"), "Tenant is protected",
			fmt.Sprintf("deletion.protection: tenant %s has deletion.protection = true. Set it to false and apply before you destroy.", prior.TenantID))
		return diags
	}
	view, found, more := r.destroyView(ctx, prior)
	diags.Append(more...)
	if !found {
		return diags
	}
	diags.AddWarning("Tenant "+prior.TenantID.ValueString()+" will be finalized in this order", finalizationText(view, r.session.Executor.DestroyPlan(view)))
	return diags
}

// destroyView is what the refresh before this plan saw, or what is to be seen
// now: Terraform refreshes in another process when it destroys. What cannot be
// seen is in the way of the destruction, not of its plan.
func (r *tenantResource) destroyView(ctx context.Context, prior values) (executor.View, bool, diag.Diagnostics) {
	if view, found := r.session.takeView(tenant.ID(prior.TenantID.ValueString())); found {
		return view, true, nil
	}
	spec, gone, diags := r.recordedSpec(ctx, prior)
	if gone || diags.HasError() {
		return executor.View{}, false, diags
	}
	view, err := r.session.Executor.Look(ctx, spec)
	if err != nil {
		return view, false, errorDiagnostics(err)
	}
	return view, true, diags
}

// finalizationText spells a finalization out, stage by stage.
func finalizationText(v executor.View, plan engine.Plan) string {
	var b strings.Builder
	stage := engine.StageForward
	for i, a := range plan.Actions {
		if a.Stage != stage {
			stage = a.Stage
			fmt.Fprintf(&b, "%s:\n", stage)
		}
		name := a.Object.Name
		if name == "" {
			name = v.Seen[a.Object.ID].ExternalID
		}
		fmt.Fprintf(&b, "  %d. %s (%s)%s\n", i+1, a.ID(), name, retention(a))
	}
	for _, f := range plan.Faults {
		fmt.Fprintf(&b, "in the way: %s: %s\n", f.Object, f.Fault)
	}
	return b.String()
}

// retention says what becomes of the data of an object.
func retention(a engine.Action) string {
	switch {
	case a.Verb == engine.Disable:
		return ""
	case a.Verb == engine.Archive:
		return ", data kept until " + a.RetainUntil.Format("2006-01-02")
	case a.Object.Finalization.Data == tenant.RetainData:
		return ", refused while it holds data"
	case a.Object.Finalization.Data == tenant.DeleteData:
		return ", data destroyed"
	default:
		return ""
	}
}
