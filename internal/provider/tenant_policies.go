package provider

import (
	"context"

	"github.com/hashicorp/terraform-plugin-framework/attr"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/tenantplane/terraform-provider-tenant/internal/surface"
	"github.com/tenantplane/terraform-provider-tenant/internal/tenant"
)

// policiesOf renders a recorded spec's policies for an import; what is not set
// is null.
func policiesOf(ctx context.Context, spec tenant.Spec) (deletion, drift types.Object) {
	attributes := tenantAttributes(ctx)
	deletionTypes := attributes["deletion"].(schema.SingleNestedAttribute).GetType().(types.ObjectType).AttrTypes
	driftTypes := attributes["drift"].(schema.SingleNestedAttribute).GetType().(types.ObjectType).AttrTypes
	deletion, drift = types.ObjectNull(deletionTypes), types.ObjectNull(driftTypes)
	if d := spec.Deletion; d != (tenant.Deletion{}) {
		deletion = types.ObjectValueMust(deletionTypes, map[string]attr.Value{
			"protection":     trueOrNull(d.Protection),
			"data":           surface.OptionalString(string(d.Data)),
			"retention_days": positiveOrNull(d.RetentionDays),
		})
	}
	if d := spec.Drift; d.Policy != "" || len(d.Components) > 0 || len(d.Ignore) > 0 {
		drift = types.ObjectValueMust(driftTypes, map[string]attr.Value{
			"policy": surface.OptionalString(string(d.Policy)), "components": policyMap(d.Components), "ignore": textList(d.Ignore),
		})
	}
	return deletion, drift
}

func policyMap(policies map[string]tenant.DriftPolicy) types.Map {
	if len(policies) == 0 {
		return types.MapNull(types.StringType)
	}
	values := map[string]attr.Value{}
	for name, p := range policies {
		values[name] = types.StringValue(string(p))
	}
	return types.MapValueMust(types.StringType, values)
}

func textList(texts []string) types.List {
	if len(texts) == 0 {
		return types.ListNull(types.StringType)
	}
	values := make([]attr.Value, 0, len(texts))
	for _, t := range texts {
		values = append(values, types.StringValue(t))
	}
	return types.ListValueMust(types.StringType, values)
}

func trueOrNull(b bool) types.Bool {
	if !b {
		return types.BoolNull()
	}
	return types.BoolValue(true)
}

func positiveOrNull(n int64) types.Int64 {
	if n <= 0 {
		return types.Int64Null()
	}
	return types.Int64Value(n)
}
