package surface

import (
	"context"
	"encoding/json"

	"github.com/hashicorp/terraform-plugin-framework/attr"
	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema"
	"github.com/hashicorp/terraform-plugin-framework/types"
	"github.com/hashicorp/terraform-plugin-framework/types/basetypes"

	"github.com/tenantplane/terraform-provider-tenant/internal/tenant"
)

// Seen is what is known of one component's objects, by object name. An object
// that is proven absent has no entry.
type Seen map[string]SeenObject

// SeenObject is one existing object.
type SeenObject struct {
	ExternalID string
	Fields     tenant.Fields
	Disabled   bool
}

// Wanted is what a component is to become.
type Wanted struct {
	// Fields is the content its spec compiles to, by object name. It holds the
	// deterministic names, which are known before anything exists.
	Fields map[string]tenant.Fields
	// Suspended: what lets people or programs in is off.
	Suspended bool
}

// Component is the Terraform half of one component.
type Component interface {
	// Name is the component's name and its attribute.
	Name() string
	// Attribute is the nested attribute of the resource "tenant".
	Attribute() schema.SingleNestedAttribute
	// Null is the component when it is not used or does not exist.
	Null() types.Object
	// Spec maps a known object to the component's spec.
	Spec(ctx context.Context, object types.Object) (json.RawMessage, diag.Diagnostics)
	// FromSpec maps a spec back to an object without computed leaves, for
	// import and for what an older state does not know.
	FromSpec(ctx context.Context, spec json.RawMessage) (types.Object, diag.Diagnostics)
	// Observe puts what exists into prior, keeping the user's spelling where it
	// means the same. A component whose main object is absent is null.
	Observe(ctx context.Context, prior types.Object, seen Seen) (types.Object, diag.Diagnostics)
	// Computed returns planned with its computed leaves set: names that are
	// known already, ids that stay, unknown for what only an apply can tell.
	// prior is null for a component that does not exist yet.
	Computed(ctx context.Context, planned, prior types.Object, wanted Wanted) (types.Object, diag.Diagnostics)
}

// Definition declares a component over its model M, a struct with tfsdk tags.
type Definition[M any] struct {
	Name        string
	Description string
	Attributes  map[string]schema.Attribute
	Spec        func(ctx context.Context, model M) (any, diag.Diagnostics)
	FromSpec    func(spec json.RawMessage) (M, error)
	// Observe returns false when the component's main object is absent.
	Observe func(prior M, seen Seen) (M, bool)
	// Computed sets the computed leaves; prior is nil for a new component.
	Computed func(planned M, prior *M, wanted Wanted) M
}

// Define makes a Component of a definition.
func Define[M any](d Definition[M]) Component { return defined[M]{d} }

type defined[M any] struct{ Definition[M] }

// Name implements Component.
func (d defined[M]) Name() string { return d.Definition.Name }

// Attribute implements Component.
func (d defined[M]) Attribute() schema.SingleNestedAttribute {
	return schema.SingleNestedAttribute{
		Optional: true, MarkdownDescription: d.Description, Attributes: d.Attributes,
	}
}

func (d defined[M]) types() map[string]attr.Type {
	return d.Attribute().GetType().(types.ObjectType).AttrTypes
}

// Null implements Component.
func (d defined[M]) Null() types.Object { return types.ObjectNull(d.types()) }

// Spec implements Component.
func (d defined[M]) Spec(ctx context.Context, object types.Object) (json.RawMessage, diag.Diagnostics) {
	model, diags := d.model(ctx, object)
	if diags.HasError() {
		return nil, diags
	}
	spec, more := d.Definition.Spec(ctx, model)
	diags.Append(more...)
	if diags.HasError() {
		return nil, diags
	}
	text, err := json.Marshal(spec)
	if err != nil {
		diags.AddError("Cannot encode "+d.Name(), err.Error())
	}
	return text, diags
}

// FromSpec implements Component.
func (d defined[M]) FromSpec(ctx context.Context, spec json.RawMessage) (types.Object, diag.Diagnostics) {
	model, err := d.Definition.FromSpec(spec)
	if err != nil {
		var diags diag.Diagnostics
		diags.AddError("Cannot read the recorded "+d.Name(), err.Error())
		return d.Null(), diags
	}
	return types.ObjectValueFrom(ctx, d.types(), model)
}

// Observe implements Component.
func (d defined[M]) Observe(ctx context.Context, prior types.Object, seen Seen) (types.Object, diag.Diagnostics) {
	model, diags := d.model(ctx, prior)
	if diags.HasError() {
		return prior, diags
	}
	model, present := d.Definition.Observe(model, seen)
	if !present {
		return d.Null(), diags
	}
	return types.ObjectValueFrom(ctx, d.types(), model)
}

// Computed implements Component.
func (d defined[M]) Computed(ctx context.Context, planned, prior types.Object, wanted Wanted) (types.Object, diag.Diagnostics) {
	model, diags := d.model(ctx, planned)
	var before *M
	if !prior.IsNull() {
		known, more := d.model(ctx, prior)
		diags.Append(more...)
		before = &known
	}
	if diags.HasError() {
		return planned, diags
	}
	return types.ObjectValueFrom(ctx, d.types(), d.Definition.Computed(model, before, wanted))
}

func (d defined[M]) model(ctx context.Context, object types.Object) (M, diag.Diagnostics) {
	var model M
	diags := object.As(ctx, &model, basetypes.ObjectAsOptions{})
	return model, diags
}
