package provider

import (
	"context"
	"encoding/json"
	"fmt"

	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/tenantplane/terraform-provider-tenant/internal/ledger"
	"github.com/tenantplane/terraform-provider-tenant/internal/tenant"
)

// The keys of Terraform's private state. It travels with the state: through
// backups, moves and copies.
const (
	// privateClaim holds the claim this address owns the tenant with.
	privateClaim = "claim"
	// privateImport marks a state that was imported: the user's explicit word to
	// take the tenant over. A state made by hand has no such mark.
	privateImport = "import"
	// privateGeneration holds the generation the state was written for.
	privateGeneration = "generation"
)

// keys and keysToSet are the framework's private state, whose type it keeps to
// itself.
type keys interface {
	GetKey(ctx context.Context, key string) ([]byte, diag.Diagnostics)
}

type keysToSet interface {
	SetKey(ctx context.Context, key string, value []byte) diag.Diagnostics
}

// hold is what a state says about whose the tenant is.
type hold struct {
	claim string
	// known: the claim is of an earlier apply and was not drawn just now.
	known bool
	// takeOver: the tenant may be taken from whoever has it, or only from this
	// claim.
	takeOver bool
	from     string
}

// holdOf reads a state's hold on a tenant. Without a claim, an import may take
// the tenant over; any other state may only when it is of the workspace that
// has the tenant already.
func (r *tenantResource) holdOf(ctx context.Context, private keys, id types.String) (hold, diag.Diagnostics) {
	text, diags := private.GetKey(ctx, privateClaim)
	if claim := decodeClaim(text); claim != "" {
		return hold{claim: claim, known: true}, diags
	}
	mark, more := private.GetKey(ctx, privateImport)
	diags.Append(more...)
	h := hold{claim: r.session.newClaim(), takeOver: len(mark) > 0}
	if row, own := r.ownWorkspace(ctx, id); own && !h.takeOver {
		h.takeOver, h.from = true, row.Claim
	}
	return h, diags
}

// holdOfCreate is the hold of a new address: it may take over what this
// workspace has already, since its state was lost, and what an earlier run of it
// began.
func (r *tenantResource) holdOfCreate(ctx context.Context, planned values, claim string) hold {
	h := hold{claim: claim}
	row, own := r.ownWorkspace(ctx, planned.TenantID)
	if own && (r.session.alone || r.goesOn(ctx, row, planned)) {
		h.takeOver, h.from = true, row.Claim
	}
	return h
}

// ownWorkspace returns the ledger's row of a tenant, and tells whether it is this
// workspace's already. That is enough for a state that has the tenant and lost
// its claim, as happens when the provider is killed; not for a new address on a
// ledger that machines share, where a path alone tells nothing.
func (r *tenantResource) ownWorkspace(ctx context.Context, id types.String) (ledger.Tenant, bool) {
	row, err := r.session.ledger.Tenant(ctx, tenant.ID(id.ValueString()))
	return row, err == nil && workspaceOf(row.Claim) == r.session.Workspace
}

// goesOn tells whether a create only goes on with what a run at the same path
// began and could not save: the tenant was never ready, or is wanted just so.
func (r *tenantResource) goesOn(ctx context.Context, row ledger.Tenant, planned values) bool {
	spec, diags := r.spec(ctx, planned, tenant.Installation(planned.Installation.ValueString()))
	return row.ObservedGeneration == 0 || !diags.HasError() && sameSpec(spec, row.Spec)
}

// refuseCopied refuses a destroy by a state whose claim names another
// workspace: a copy of a state holds the same claim as the original, and a
// destroy cannot be taken back.
func (r *tenantResource) refuseCopied(ctx context.Context, h hold, id types.String) diag.Diagnostics {
	var diags diag.Diagnostics
	owner := workspaceOf(h.claim)
	if row, err := r.session.ledger.Tenant(ctx, tenant.ID(id.ValueString())); err == nil && !h.known && !h.takeOver {
		owner = workspaceOf(row.Claim)
	}
	if owner == r.session.Workspace || owner == "" {
		return diags
	}
	diags.AddAttributeError(path.Root("tenant_id"), "Tenant belongs to another state",
		fmt.Sprintf("tenant_id: tenant %s is owned by %s, and this is %s: what was copied from there must not destroy it. "+
			"To let go of it here, run terraform state rm. If the state has moved here for good, set workspace = %q in the provider block, "+
			"or take the tenant over: terraform state rm, then terraform import.", id, owner, r.session.Workspace, owner))
	return diags
}

// keep writes a claim and the generation it was applied for.
func keep(ctx context.Context, private keysToSet, claim string, row ledger.Tenant) diag.Diagnostics {
	diags := private.SetKey(ctx, privateClaim, encodeClaim(claim))
	diags.Append(keepGeneration(ctx, private, row)...)
	return diags
}

// keepGeneration writes the generation of a row; one that was never read has none.
func keepGeneration(ctx context.Context, private keysToSet, row ledger.Tenant) diag.Diagnostics {
	if row.DesiredGeneration == 0 {
		return nil
	}
	text, err := json.Marshal(row.DesiredGeneration)
	if err != nil {
		panic(err) // a number always encodes
	}
	return private.SetKey(ctx, privateGeneration, text)
}

// outdated tells whether a state was written for an earlier generation than
// the ledger's: it was restored from a backup, or the apply that changed the
// tenant was killed before it could save.
func outdated(ctx context.Context, private keys, row ledger.Tenant) (bool, diag.Diagnostics) {
	text, diags := private.GetKey(ctx, privateGeneration)
	var written tenant.Generation
	if len(text) == 0 || json.Unmarshal(text, &written) != nil {
		return false, diags
	}
	return written < row.DesiredGeneration, diags
}
