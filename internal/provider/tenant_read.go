package provider

import (
	"context"
	"errors"
	"fmt"

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

// Read implements resource.Resource: it puts what is into state. A tenant
// leaves state only when the ledger has its tombstone.
func (r *tenantResource) Read(ctx context.Context, req resource.ReadRequest, resp *resource.ReadResponse) {
	prior, diags := r.read(ctx, req.State)
	resp.Diagnostics.Append(diags...)
	if resp.Diagnostics.HasError() {
		return
	}
	limit, diags := prior.Timeouts.Read(ctx, defaultReadTimeout)
	resp.Diagnostics.Append(diags...)
	ctx, cancel := context.WithTimeout(ctx, limit)
	defer cancel()
	spec, gone, diags := r.recordedSpec(ctx, prior)
	resp.Diagnostics.Append(diags...)
	if resp.Diagnostics.HasError() {
		return
	}
	if gone {
		resp.State.RemoveResource(ctx)
		return
	}
	r.session.addresses.plan(spec.Subject.ID, keeping) // only noted: a read refuses nothing
	prior, diags = r.recorded(ctx, req.Private, prior)
	resp.Diagnostics.Append(diags...)
	view, err := r.session.Executor.Look(ctx, spec)
	if err != nil {
		resp.Diagnostics.Append(errorDiagnostics(err)...)
		return
	}
	if faults := unseen(view); len(faults) > 0 {
		resp.Diagnostics.Append(faultDiagnostics(faults)...)
		return
	}
	shown, diags := r.show(ctx, prior, view)
	resp.Diagnostics.Append(diags...)
	resp.Diagnostics.Append(r.write(ctx, &resp.State, shown)...)
	resp.Diagnostics.Append(keepGeneration(ctx, resp.Private, view.Tenant)...)
	if err := r.session.Executor.DateDrift(ctx, view); err != nil {
		resp.Diagnostics.AddWarning("Drift could not be dated", err.Error())
	}
	r.session.keepView(view)
}

// recorded returns a state as it is, or, when it was written for an earlier
// generation, as the ledger has it: what no backend shows, the policies for
// instance, would otherwise go back in silence.
func (r *tenantResource) recorded(ctx context.Context, private keys, prior values) (values, diag.Diagnostics) {
	row, err := r.session.ledger.Tenant(ctx, tenant.ID(prior.TenantID.ValueString()))
	if err != nil {
		return prior, nil // a lost ledger knows nothing better
	}
	old, diags := outdated(ctx, private, row)
	if !old || r.asRecorded(ctx, prior, row) {
		return prior, diags
	}
	out := prior.clone()
	out.DisplayName = types.StringValue(row.Spec.Subject.DisplayName)
	out.Deletion, out.Drift = policiesOf(ctx, row.Spec)
	for _, s := range r.surfaces {
		out.Components[s.Name()] = s.Null() // and is read from the record
	}
	return out, diags
}

// asRecorded tells whether a state wants what the ledger has: a generation can
// rise without another spec, as it does when somebody suspends the tenant.
func (r *tenantResource) asRecorded(ctx context.Context, prior values, row ledger.Tenant) bool {
	spec, diags := r.spec(ctx, prior, row.Spec.Subject.Installation)
	return !diags.HasError() && sameSpec(spec, row.Spec)
}

// recordedSpec returns the spec to compare with: the ledger's, or state's when
// the ledger does not know the tenant. gone means that the ledger proves the
// tenant's end.
func (r *tenantResource) recordedSpec(ctx context.Context, prior values) (spec tenant.Spec, gone bool, diags diag.Diagnostics) {
	id := tenant.ID(prior.TenantID.ValueString())
	row, err := r.session.ledger.Tenant(ctx, id)
	switch {
	case err == nil && row.Status == ledger.Deleted:
		return spec, true, diags
	case err == nil:
		return row.Spec, false, diags
	case !errors.Is(err, ledger.ErrNotFound):
		return spec, false, errorDiagnostics(err)
	case prior.Region.IsNull():
		diags.AddAttributeError(path.Root("tenant_id"), "Tenant is not known",
			fmt.Sprintf("tenant_id: the ledger has no tenant %q, so there is nothing to import. Name the ledger that has it, or declare the tenant: what exists under its names is adopted.", id))
		return spec, false, diags
	}
	installation := tenant.Installation(prior.Installation.ValueString())
	if err := r.session.ledger.AdoptInstallation(ctx, installation); err != nil {
		diags.AddAttributeError(path.Root("installation"), "The ledger belongs to another installation",
			fmt.Sprintf("installation: state says %q: %v. Name the ledger of that installation in the provider block.", installation, err))
		return spec, false, diags
	}
	spec, diags = r.spec(ctx, prior, installation)
	return spec, false, diags
}

// unseen lists the faults of what could not be observed, each once.
func unseen(v executor.View) []*fault.Fault {
	var faults []*fault.Fault
	known := map[string]bool{}
	for _, o := range v.Desired.Objects {
		if f := v.Seen[o.ID].Fault; f != nil && !known[f.Error()] {
			known[f.Error()] = true
			faults = append(faults, f)
		}
	}
	return faults
}

// show is the state of a tenant as a view sees it.
func (r *tenantResource) show(ctx context.Context, prior values, v executor.View) (values, diag.Diagnostics) {
	components, diags := r.observed(ctx, prior, v)
	plan := engine.Converge(v.Desired, v.Departing, v.Seen, r.session.Executor.Clock.Now())
	lines := differences(plan)
	shown := prior
	shown.Components = components
	shown.Differences = differenceSet(lines)
	shown.Status = types.StringValue(string(statusOf(v, lines)))
	shown.Installation = types.StringValue(string(v.Desired.Subject.Installation))
	subject := v.Desired.Subject
	shown.TenantID, shown.Region = types.StringValue(string(subject.ID)), types.StringValue(subject.Region)
	if shown.DisplayName.IsNull() {
		shown.DisplayName = types.StringValue(subject.DisplayName)
	}
	if prior.Region.IsNull() { // an import: the policies come from the record, protection and all
		shown.Deletion, shown.Drift = policiesOf(ctx, v.Tenant.Spec)
	}
	return shown, diags
}

// statusOf is the recorded status, corrected by what was seen.
func statusOf(v executor.View, lines []string) ledger.Status {
	switch {
	case v.Tenant.ID == "":
		return ledger.Pending
	case v.Tenant.Status == ledger.Ready && len(lines) > 0:
		return ledger.Degraded
	case v.Tenant.Status == ledger.Degraded && len(lines) == 0:
		return ledger.Ready
	default:
		return v.Tenant.Status
	}
}
