package provider

import (
	"context"
	"encoding/json"
	"maps"

	"github.com/hashicorp/terraform-plugin-framework-timeouts/resource/timeouts"
	"github.com/hashicorp/terraform-plugin-framework/attr"
	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/tenantplane/terraform-provider-tenant/internal/surface"
	"github.com/tenantplane/terraform-provider-tenant/internal/tenant"
)

// data is any of the framework's config, plan and state.
type data interface {
	GetAttribute(ctx context.Context, p path.Path, target any) diag.Diagnostics
}

// setter is a plan or a state that can be written.
type setter interface {
	SetAttribute(ctx context.Context, p path.Path, value any) diag.Diagnostics
}

// values are a tenant's attributes as Terraform holds them.
type values struct {
	TenantID     types.String
	DisplayName  types.String
	Region       types.String
	Installation types.String
	Status       types.String
	Differences  types.Set
	Deletion     types.Object
	Drift        types.Object
	Timeouts     timeouts.Value
	// Components holds the nested attribute of each component by name.
	Components map[string]types.Object
}

// fields lists the plain attributes with their targets.
func (v *values) fields() map[string]any {
	return map[string]any{
		"tenant_id": &v.TenantID, "display_name": &v.DisplayName, "region": &v.Region, "installation": &v.Installation,
		"status": &v.Status, "differences": &v.Differences, "deletion": &v.Deletion, "drift": &v.Drift, "timeouts": &v.Timeouts,
	}
}

// clone returns a copy whose components can be replaced.
func (v values) clone() values {
	v.Components = maps.Clone(v.Components)
	return v
}

// read reads all attributes.
func (r *tenantResource) read(ctx context.Context, from data) (values, diag.Diagnostics) {
	v := values{Components: map[string]types.Object{}}
	var diags diag.Diagnostics
	for name, target := range v.fields() {
		diags.Append(from.GetAttribute(ctx, path.Root(name), target)...)
	}
	for _, s := range r.surfaces {
		var object types.Object
		diags.Append(from.GetAttribute(ctx, path.Root(s.Name()), &object)...)
		v.Components[s.Name()] = object
	}
	return v, diags
}

// write writes all attributes.
func (r *tenantResource) write(ctx context.Context, to setter, v values) diag.Diagnostics {
	var diags diag.Diagnostics
	for name, value := range map[string]any{
		"tenant_id": v.TenantID, "display_name": v.DisplayName, "region": v.Region, "installation": v.Installation,
		"status": v.Status, "differences": v.Differences, "deletion": v.Deletion, "drift": v.Drift, "timeouts": v.Timeouts,
	} {
		diags.Append(to.SetAttribute(ctx, path.Root(name), value)...)
	}
	for name, object := range v.Components {
		diags.Append(to.SetAttribute(ctx, path.Root(name), object)...)
	}
	return diags
}

// known tells whether everything the user wrote is known. Computed leaves are
// null in a configuration and do not count.
func (v values) known(ctx context.Context) bool {
	if v.TenantID.IsUnknown() || v.DisplayName.IsUnknown() || v.Region.IsUnknown() {
		return false
	}
	objects := []types.Object{v.Deletion, v.Drift}
	for _, o := range v.Components {
		objects = append(objects, o)
	}
	for _, o := range objects {
		raw, err := o.ToTerraformValue(ctx)
		if err != nil || !raw.IsFullyKnown() {
			return false
		}
	}
	return true
}

// spec compiles the attributes into a spec. Component leaves that are not
// known are computed ones and are not read.
func (r *tenantResource) spec(ctx context.Context, v values, installation tenant.Installation) (tenant.Spec, diag.Diagnostics) {
	var diags diag.Diagnostics
	spec := tenant.Spec{
		Subject: tenant.Subject{
			Installation: installation, ID: tenant.ID(v.TenantID.ValueString()),
			DisplayName: v.DisplayName.ValueString(), Region: v.Region.ValueString(),
		},
		Components: map[string]json.RawMessage{},
		Deletion:   deletionSpec(v.Deletion),
		Drift:      driftSpec(v.Drift),
	}
	for _, s := range r.surfaces {
		object := v.Components[s.Name()]
		if object.IsNull() {
			continue
		}
		text, more := s.Spec(ctx, object)
		diags.Append(more...)
		spec.Components[s.Name()] = text
	}
	return spec, diags
}

func driftSpec(object types.Object) tenant.Drift {
	attributes := object.Attributes()
	d := tenant.Drift{Policy: tenant.DriftPolicy(stringIn(attributes, "policy")), Ignore: stringsIn(attributes, "ignore")}
	components, _ := attributes["components"].(types.Map)
	for name, value := range components.Elements() {
		text, _ := value.(types.String)
		if d.Components == nil {
			d.Components = map[string]tenant.DriftPolicy{}
		}
		d.Components[name] = tenant.DriftPolicy(text.ValueString())
	}
	return d
}

func deletionSpec(object types.Object) tenant.Deletion {
	attributes := object.Attributes()
	protection, _ := attributes["protection"].(types.Bool)
	days, _ := attributes["retention_days"].(types.Int64)
	return tenant.Deletion{
		Protection: protection.ValueBool(), Data: tenant.DataPolicy(stringIn(attributes, "data")), RetentionDays: days.ValueInt64(),
	}
}

// fillUnknown returns planned with every unknown leaf taken from observed, or
// null where nothing was observed. What was planned stays: the plan must equal
// the apply.
func fillUnknown(planned, observed types.Object) types.Object {
	if planned.IsNull() || planned.IsUnknown() {
		return observed
	}
	leaves := map[string]attr.Value{}
	for name, value := range planned.Attributes() {
		if !value.IsUnknown() {
			leaves[name] = value
			continue
		}
		if seen, known := observed.Attributes()[name]; known {
			leaves[name] = seen
		} else {
			leaves[name] = nullOf(value)
		}
	}
	return types.ObjectValueMust(planned.AttributeTypes(context.Background()), leaves)
}

// nullOf is the null of the same type.
func nullOf(value attr.Value) attr.Value {
	ctx := context.Background()
	null, err := value.Type(ctx).ValueFromTerraform(ctx, nullValue(value.Type(ctx).TerraformType(ctx)))
	if err != nil {
		return value // a null of the leaf's own type always converts
	}
	return null
}

// noDifferences is the empty set.
func noDifferences() types.Set { return types.SetValueMust(types.StringType, nil) }

// differenceSet makes the attribute of a list of lines.
func differenceSet(lines []string) types.Set {
	if len(lines) == 0 {
		return noDifferences()
	}
	return surface.StringSet(lines)
}
