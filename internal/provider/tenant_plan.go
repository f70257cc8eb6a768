package provider

import (
	"context"
	"fmt"
	"strings"
	"time"

	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/resource"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/tenantplane/terraform-provider-tenant/internal/engine"
	"github.com/tenantplane/terraform-provider-tenant/internal/executor"
	"github.com/tenantplane/terraform-provider-tenant/internal/fault"
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
	as, held := creating, false
	if !req.State.Raw.IsNull() {
		prior, diags = r.read(ctx, req.State)
		claim, more := req.Private.GetKey(ctx, privateClaim)
		resp.Diagnostics.Append(append(diags, more...)...)
		resp.Diagnostics.Append(protectedReplacement(prior, planned)...)
		as, held = roleOf(prior, planned), decodeClaim(claim) != ""
	}
	resp.Diagnostics.Append(r.refuseSecondAddress(planned.TenantID, as)...)
	if resp.Diagnostics.HasError() {
		return
	}
	if as == keeping && held && req.Plan.Raw.Equal(req.State.Raw) && settled(prior) && r.unchanged(ctx, config, prior) {
		return
	}
	out, diags := r.plan(ctx, config, planned, prior, as)
	resp.Diagnostics.Append(diags...)
	if resp.Diagnostics.HasError() {
		return
	}
	resp.Diagnostics.Append(r.write(ctx, &resp.Plan, out)...)
}

// roleOf tells whether what is planned keeps the tenant or replaces it.
func roleOf(prior, planned values) role {
	if prior.TenantID.Equal(planned.TenantID) && prior.Region.Equal(planned.Region) {
		return keeping
	}
	return replacing
}

// refuseSecondAddress refuses a tenant that another address of this
// configuration has, and so a forced replacement: the two look the same, and
// both would destroy a tenant that is in use.
func (r *tenantResource) refuseSecondAddress(id types.String, as role) diag.Diagnostics {
	var diags diag.Diagnostics
	if id.IsUnknown() || r.session.addresses.plan(tenant.ID(id.ValueString()), as) {
		return diags
	}
	diags.AddAttributeError(path.Root("tenant_id"), "Tenant is managed at another address",
		fmt.Sprintf("tenant_id: %q is declared by another resource of this configuration, or its replacement is being forced. "+
			"Give each tenant an id of its own; for a rename write a moved block; a tainted tenant needs terraform untaint, since a tenant goes on in place. "+
			"To begin anew, destroy the tenant first.", id.ValueString()))
	return diags
}

// settled tells whether the state leaves nothing to do.
func settled(v values) bool {
	return finished(ledger.Status(v.Status.ValueString())) && len(v.Differences.Elements()) == 0
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
	desired.Suspended = prior.Status.ValueString() == string(ledger.Suspended)
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

// plan computes the planned values of a create, an update or a replacement.
func (r *tenantResource) plan(ctx context.Context, config, planned, prior values, as role) (values, diag.Diagnostics) {
	planned.Status, planned.Differences = types.StringUnknown(), types.SetUnknown(types.StringType)
	installation, diags := r.installation(ctx, prior)
	if diags.HasError() {
		return planned, diags
	}
	planned.Installation = types.StringValue(string(installation))
	if as == replacing {
		prior = values{Components: map[string]types.Object{}}
	}
	if !config.known(ctx) {
		return r.computed(ctx, planned, prior, engine.Desired{})
	}
	spec, diags := r.spec(ctx, planned, installation)
	if diags.HasError() {
		return planned, diags
	}
	view, err := r.session.Executor.Look(ctx, spec)
	if err != nil {
		return planned, append(diags, errorDiagnostics(err)...)
	}
	diags.Append(r.refuseTaken(view.Tenant, spec, as)...)
	diags.Append(r.refuseSharedNames(view.Desired)...)
	diags.Append(r.check(ctx, view, spec, as)...)
	if as == keeping {
		diags.Append(suspension(view.Tenant)...)
		diags.Append(departure(prior, view, r.session.Executor.Clock.Now())...)
	}
	if diags.HasError() {
		return planned, diags
	}
	out, more := r.computed(ctx, planned, prior, view.Desired)
	return out, append(diags, more...)
}

// check refuses what an apply would fail for. A replacement does not look at
// what exists: that goes first. What the ledger knows already to fail for this
// very declaration is a warning: it stands in the way of neither a destroy,
// which Terraform begins with such a plan, nor of an apply that may find the
// cause mended.
func (r *tenantResource) check(ctx context.Context, view executor.View, spec tenant.Spec, as role) diag.Diagnostics {
	moving := view.Tenant.ID != "" && view.Tenant.Status != ledger.Deleted && view.Tenant.Region != spec.Subject.Region
	if as == replacing || moving || r.session.addresses.isReplaced(spec.Subject.ID) {
		return faultDiagnostics(r.session.Executor.CheckBackends(ctx, view))
	}
	faults := faultDiagnostics(r.session.Executor.Check(ctx, view))
	if as != keeping || !faults.HasError() || !sameSpec(view.Tenant.Spec, spec) {
		return faults
	}
	var warnings diag.Diagnostics
	for _, d := range faults {
		warnings.AddWarning("Tenant "+string(spec.Subject.ID)+" still cannot be completed", d.Detail())
	}
	return warnings
}

// sameSpec tells whether two specs are one.
func sameSpec(a, b tenant.Spec) bool {
	first, err := a.Fingerprint()
	second, otherErr := b.Fingerprint()
	return err == nil && otherErr == nil && first == second
}

// finished tells whether a status says that an apply did all it was asked for.
// A suspended tenant is as somebody wants it.
func finished(s ledger.Status) bool { return s == ledger.Ready || s == ledger.Suspended }

// suspension tells that a part of what is planned waits.
func suspension(row ledger.Tenant) diag.Diagnostics {
	var diags diag.Diagnostics
	if row.IsSuspended() {
		diags.AddWarning("Tenant "+string(row.ID)+" is suspended", fmt.Sprintf(
			"Since %s, for the reason %q, access is off. An apply keeps it so, and leaves the objects that let people in as they are; what changes about them waits until somebody runs: terraform-provider-tenant resume %s",
			row.SuspendedAt.UTC().Format(time.RFC3339), row.SuspendReason, row.ID))
	}
	return diags
}

// departure refuses to take data away from a protected tenant and tells how
// components that left the configuration are finalized.
func departure(prior values, view executor.View, now time.Time) diag.Diagnostics {
	var diags diag.Diagnostics
	if len(view.Departing) == 0 {
		return diags
	}
	for _, o := range view.Departing {
		if o.Finalization.Data != "" && deletionSpec(prior.Deletion).Protection {
			diags.AddAttributeError(path.Root(o.ID.Component), "Tenant is protected",
				fmt.Sprintf("%s: taking %s out of the configuration would take its data away, and deletion.protection is true. Put it back, or set deletion.protection = false and apply first.",
					o.ID.Component, o.ID.Component))
		}
	}
	plan := engine.Converge(engine.Desired{Subject: view.Desired.Subject, DependsOn: view.Desired.DependsOn}, view.Departing, view.Seen, now)
	diags.AddWarning("What left the configuration of tenant "+string(view.Desired.Subject.ID)+" will be finalized", finalizationText(view, plan))
	return diags
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

// refuseTaken refuses an id that another state has, or that lives in another
// region. A tenant of this state that is not in state any more is welcome: its
// state was lost, and what exists is adopted.
func (r *tenantResource) refuseTaken(row ledger.Tenant, spec tenant.Spec, as role) diag.Diagnostics {
	var diags diag.Diagnostics
	id := spec.Subject.ID
	if as == keeping || row.ID == "" || row.Status == ledger.Deleted || r.session.addresses.isReplaced(id) {
		return diags
	}
	if row.Claim != "" && workspaceOf(row.Claim) != r.session.Workspace {
		return errorDiagnostics(&ledger.ClaimError{Tenant: id, Owner: row.Claim})
	}
	// Only a warning: Terraform asks again between the halves of a replacement
	// with create_before_destroy, and an error there would leave the living
	// tenant deposed. The create refuses, and Terraform puts it back.
	if row.Region != spec.Subject.Region {
		diags.AddAttributeWarning(path.Root("region"), "Tenant lives in another region",
			fmt.Sprintf("region: tenant %q lives in region %q and will not be created in %q while it does. Set the region back, import the tenant and destroy it, or use another id.",
				id, row.Region, spec.Subject.Region))
	}
	return diags
}

// refuseSharedNames refuses a name that another tenant of this configuration
// wants as well.
func (r *tenantResource) refuseSharedNames(d engine.Desired) diag.Diagnostics {
	var faults []*fault.Fault
	for _, o := range d.Objects {
		if o.Name == "" {
			continue
		}
		if first := r.session.addresses.name(o.ID.Component, o.Name, d.Subject.ID); first != d.Subject.ID {
			faults = append(faults, fault.NewConflict(o.ID.Component+".shared", o.Path,
				fmt.Sprintf("%q is wanted by tenant %q of this configuration as well", o.Name, first), "give each tenant one of its own"))
		}
	}
	return faultDiagnostics(faults)
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
		diags.Append(protected(prior))
		return diags
	}
	held, more := r.holdOf(ctx, req.Private, prior.TenantID)
	diags.Append(more...)
	diags.Append(r.refuseCopied(ctx, held, prior.TenantID)...)
	diags.Append(r.refuseSecondAddress(prior.TenantID, destroying)...)
	if diags.HasError() {
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
