package provider

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/resource"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/tenantplane/terraform-provider-tenant/internal/engine"
	"github.com/tenantplane/terraform-provider-tenant/internal/executor"
	"github.com/tenantplane/terraform-provider-tenant/internal/ledger"
	"github.com/tenantplane/terraform-provider-tenant/internal/tenant"
)

// How long the operations may take when the resource says nothing.
const (
	defaultReadTimeout   = 5 * time.Minute
	defaultCreateTimeout = 20 * time.Minute
	defaultUpdateTimeout = 20 * time.Minute
	defaultDeleteTimeout = 20 * time.Minute
)

// Create implements resource.Resource. Once anything exists outside it never
// returns an error: Terraform would mark the tenant as tainted and destroy it
// with the next apply.
func (r *tenantResource) Create(ctx context.Context, req resource.CreateRequest, resp *resource.CreateResponse) {
	planned, diags := r.read(ctx, req.Plan)
	resp.Diagnostics.Append(diags...)
	limit, diags := planned.Timeouts.Create(ctx, defaultCreateTimeout)
	resp.Diagnostics.Append(diags...)
	if resp.Diagnostics.HasError() {
		return
	}
	work, cancel := context.WithTimeout(ctx, limit)
	defer cancel()
	if !r.session.addresses.apply(tenant.ID(planned.TenantID.ValueString())) {
		resp.Diagnostics.AddAttributeError(path.Root("tenant_id"), "Two resources with one tenant id",
			fmt.Sprintf("tenant_id: %s was just created by another resource of this configuration. Give each tenant an id of its own.", planned.TenantID))
		return
	}
	claim := r.session.newClaim()
	outcome, err := r.converge(work, planned, r.holdOfCreate(work, planned, claim))
	var refused *executor.SpecFaults
	if errors.Is(err, ledger.ErrClaimed) || errors.As(err, &refused) {
		resp.Diagnostics.Append(errorDiagnostics(err)...) // what exists, if anything, is not this address's
		return
	}
	if err != nil || !finished(outcome.Status) {
		begun, beginErr := r.session.Executor.Begun(context.WithoutCancel(ctx), tenant.ID(planned.TenantID.ValueString()))
		unstarted := outcome.Status == "" // and this run made nothing
		if beginErr == nil && !begun {
			begun = r.withdraw(ctx, planned.TenantID)
		}
		if beginErr == nil && !begun || beginErr != nil && unstarted {
			resp.Diagnostics.Append(outcomeErrors(outcome, err)...)
			return
		}
		resp.Diagnostics.Append(asWarning(planned, outcome, err))
	}
	result, diags := r.result(ctx, planned, outcome)
	resp.Diagnostics.Append(diags...)
	resp.Diagnostics.Append(r.write(ctx, &resp.State, result)...)
	resp.Diagnostics.Append(keep(ctx, resp.Private, claim, outcome.View.Tenant)...)
}

// withdrawLimit is how long a creation that failed may take to be withdrawn.
const withdrawLimit = 8 * time.Second

// withdraw tells the sweeps to leave a tenant alone that will be in no state.
// begun tells that something of it exists after all. Without a ledger to tell it
// to nothing more can be done: what a sweep makes then can be imported.
func (r *tenantResource) withdraw(ctx context.Context, id types.String) (begun bool) {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), withdrawLimit)
	defer cancel()
	begun, err := r.session.Executor.Withdraw(ctx, tenant.ID(id.ValueString()))
	return begun && err == nil
}

// Update implements resource.Resource.
func (r *tenantResource) Update(ctx context.Context, req resource.UpdateRequest, resp *resource.UpdateResponse) {
	planned, diags := r.read(ctx, req.Plan)
	resp.Diagnostics.Append(diags...)
	limit, diags := planned.Timeouts.Update(ctx, defaultUpdateTimeout)
	resp.Diagnostics.Append(diags...)
	held, diags := r.holdOf(ctx, req.Private, planned.TenantID)
	resp.Diagnostics.Append(diags...)
	if resp.Diagnostics.HasError() {
		return
	}
	work, cancel := context.WithTimeout(ctx, limit)
	defer cancel()
	outcome, err := r.converge(work, planned, held)
	if outcome.Status != "" {
		resp.Diagnostics.Append(keep(ctx, resp.Private, held.claim, outcome.View.Tenant)...)
	}
	if err == nil && finished(outcome.Status) {
		result, diags := r.result(ctx, planned, outcome)
		resp.Diagnostics.Append(diags...)
		resp.Diagnostics.Append(r.write(ctx, &resp.State, result)...)
		return
	}
	resp.Diagnostics.Append(outcomeErrors(outcome, err)...)
	if outcome.Status == "" {
		return // nothing was begun: state stays as it was
	}
	shown, diags := r.show(ctx, planned, outcome.View)
	resp.Diagnostics.Append(diags...)
	shown.Status = types.StringValue(string(outcome.Status))
	resp.Diagnostics.Append(r.write(ctx, &resp.State, shown)...)
}

// Delete implements resource.Resource.
func (r *tenantResource) Delete(ctx context.Context, req resource.DeleteRequest, resp *resource.DeleteResponse) {
	prior, diags := r.read(ctx, req.State)
	resp.Diagnostics.Append(diags...)
	limit, diags := prior.Timeouts.Delete(ctx, defaultDeleteTimeout)
	resp.Diagnostics.Append(diags...)
	held, diags := r.holdOf(ctx, req.Private, prior.TenantID)
	resp.Diagnostics.Append(diags...)
	resp.Diagnostics.Append(r.refuseCopied(ctx, held, prior.TenantID)...)
	if resp.Diagnostics.HasError() {
		return
	}
	if deletionSpec(prior.Deletion).Protection {
		resp.Diagnostics.Append(protected(prior)) // a forced replacement plans no destroy
		return
	}
	work, cancel := context.WithTimeout(ctx, limit)
	defer cancel()
	id := tenant.ID(prior.TenantID.ValueString())
	if diags := r.declareForDestroy(work, prior, held); diags.HasError() {
		resp.Diagnostics.Append(diags...)
		return
	}
	outcome, err := r.session.Executor.Destroy(work, id, held.claim)
	var claimed *ledger.ClaimError
	switch {
	case err == nil && outcome.Status == ledger.Deleted:
	case errors.As(err, &claimed) && held.known && workspaceOf(claimed.Owner) == workspaceOf(held.claim):
		resp.Diagnostics.AddWarning("Tenant "+string(id)+" was not destroyed",
			"It was declared anew by another address of this state, which owns it now. This address only left the state.")
	default:
		resp.Diagnostics.Append(outcomeErrors(outcome, err)...)
	}
}

// protected is the refusal to destroy a protected tenant.
func protected(prior values) diag.Diagnostic {
	return diag.NewAttributeErrorDiagnostic(path.Root("deletion").AtName("protection"), "Tenant is protected",
		fmt.Sprintf("deletion.protection: tenant %s has deletion.protection = true. Set it to false and apply before you destroy.", prior.TenantID))
}

// declareForDestroy makes sure that the ledger knows a tenant that only state
// knows, and that an imported tenant is this state's: a destruction must have
// a record to work from.
func (r *tenantResource) declareForDestroy(ctx context.Context, prior values, held hold) diag.Diagnostics {
	spec, gone, diags := r.recordedSpec(ctx, prior)
	if gone || diags.HasError() {
		return diags
	}
	row, err := r.session.ledger.Tenant(ctx, spec.Subject.ID)
	switch {
	case err == nil && !held.takeOver:
		return diags
	case err == nil && row.Status == ledger.Deleting:
		// Another state began to destroy it and is gone: this one goes on.
		if err := r.session.ledger.TakeClaim(ctx, row.ID, held.claim); err != nil {
			diags.Append(errorDiagnostics(err)...)
		}
		return diags
	}
	_, err = r.session.ledger.Declare(ctx, ledger.Declaration{
		Spec: spec, Claim: held.claim, TakeOver: held.takeOver, TakeFrom: held.from,
		CorrelationID: r.session.Executor.NewID(), EventID: r.session.Executor.NewID(),
	})
	if err != nil {
		diags.Append(errorDiagnostics(err)...)
	}
	return diags
}

// ImportState implements resource.ResourceWithImportState: by tenant id.
func (r *tenantResource) ImportState(ctx context.Context, req resource.ImportStateRequest, resp *resource.ImportStateResponse) {
	if _, err := tenant.ParseID(req.ID); err != nil {
		resp.Diagnostics.AddAttributeError(path.Root("tenant_id"), "Invalid tenant id", "tenant_id: "+err.Error()+".")
		return
	}
	resource.ImportStatePassthroughID(ctx, path.Root("tenant_id"), req, resp)
	resp.Diagnostics.Append(resp.Private.SetKey(ctx, privateImport, []byte("true"))...)
}

// converge declares the planned values and runs passes.
func (r *tenantResource) converge(ctx context.Context, planned values, held hold) (executor.Outcome, error) {
	installation := tenant.Installation(planned.Installation.ValueString())
	spec, diags := r.spec(ctx, planned, installation)
	if diags.HasError() {
		return executor.Outcome{}, fmt.Errorf("%s", diags[0].Detail())
	}
	return r.session.Executor.Converge(ctx, executor.Request{Spec: spec, Claim: held.claim, TakeOver: held.takeOver, TakeFrom: held.from})
}

// result is the state after an apply: what was planned, with what the apply
// found out.
func (r *tenantResource) result(ctx context.Context, planned values, o executor.Outcome) (values, diag.Diagnostics) {
	prior := planned.clone()
	seen, diags := r.observed(ctx, prior, o.View)
	out := planned.clone()
	for name, object := range planned.Components {
		if object.IsNull() {
			out.Components[name] = object
			continue
		}
		out.Components[name] = fillUnknown(object, seen[name])
	}
	status := o.Status
	if status == "" {
		status = ledger.Pending
	}
	out.Status = types.StringValue(string(status))
	out.Differences = differenceSet(leftOver(o))
	return out, diags
}

// leftOver says what an unfinished apply left.
func leftOver(o executor.Outcome) []string {
	if finished(o.Status) {
		return nil
	}
	return differences(engine.Plan{Faults: o.Faults})
}

// outcomeErrors renders why an apply did not finish.
func outcomeErrors(o executor.Outcome, err error) diag.Diagnostics {
	var diags diag.Diagnostics
	if err != nil {
		diags.Append(errorDiagnostics(err)...)
	}
	diags.Append(faultDiagnostics(faultsOf(o.Faults))...)
	if o.Interrupted {
		diags.AddError("Interrupted", "The run was stopped or ran into its timeout before the work was done. What was done is recorded; run it again to go on.")
	}
	if !diags.HasError() {
		diags.AddError("Not finished", fmt.Sprintf("The tenant's status is %q. Apply again to go on.", o.Status))
	}
	return diags
}

// asWarning renders the same as one warning, for a create that must not fail.
func asWarning(planned values, o executor.Outcome, err error) diag.Diagnostic {
	var lines []string
	for _, d := range outcomeErrors(o, err) {
		lines = append(lines, "- "+d.Detail())
	}
	return diag.NewWarningDiagnostic(
		fmt.Sprintf("Tenant %s is not ready: %s", planned.TenantID.ValueString(), statusWord(o)),
		"What exists is in state and in the ledger; the next apply goes on from here.\n\n"+strings.Join(lines, "\n"))
}

func statusWord(o executor.Outcome) string {
	if o.Status == "" {
		return string(ledger.Pending)
	}
	return string(o.Status)
}
