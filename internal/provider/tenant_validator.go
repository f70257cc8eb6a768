package provider

import (
	"context"

	"github.com/hashicorp/terraform-plugin-framework/schema/validator"

	"github.com/tenantplane/terraform-provider-tenant/internal/tenant"
)

// tenantIDValidator refuses ids that tenant.ParseID refuses.
type tenantIDValidator struct{}

// Description implements validator.Describer.
func (tenantIDValidator) Description(context.Context) string {
	return "1 to 63 lower-case letters, digits and hyphens"
}

// MarkdownDescription implements validator.Describer.
func (v tenantIDValidator) MarkdownDescription(ctx context.Context) string { return v.Description(ctx) }

// ValidateString implements validator.String.
func (tenantIDValidator) ValidateString(_ context.Context, req validator.StringRequest, resp *validator.StringResponse) {
	if req.ConfigValue.IsNull() || req.ConfigValue.IsUnknown() {
		return
	}
	if _, err := tenant.ParseID(req.ConfigValue.ValueString()); err != nil {
		resp.Diagnostics.AddAttributeError(req.Path, "Invalid tenant id", "tenant_id: "+err.Error()+".")
	}
}
