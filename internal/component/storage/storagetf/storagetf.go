// Package storagetf is the Terraform half of the storage component.
package storagetf

import (
	"context"
	"encoding/json"

	"github.com/hashicorp/terraform-plugin-framework-validators/stringvalidator"
	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema/booldefault"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema/stringdefault"
	"github.com/hashicorp/terraform-plugin-framework/schema/validator"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/tenantplane/terraform-provider-tenant/internal/component/storage"
	"github.com/tenantplane/terraform-provider-tenant/internal/surface"
)

type model struct {
	Isolation  types.String `tfsdk:"isolation"`
	Versioning types.Bool   `tfsdk:"versioning"`
	OnDestroy  types.String `tfsdk:"on_destroy"`
	Adopt      types.String `tfsdk:"adopt"`
	Bucket     types.String `tfsdk:"bucket"`
}

// Component returns the storage component's Terraform half.
func Component() surface.Component {
	return surface.Define(surface.Definition[model]{
		Name:        "storage",
		Description: "The tenant's object storage in its region.",
		Attributes:  attributes(),
		Spec:        spec,
		FromSpec:    fromSpec,
		Observe:     observe,
		Computed:    computed,
	})
}

func attributes() map[string]schema.Attribute {
	return map[string]schema.Attribute{
		"isolation": schema.StringAttribute{
			Optional: true, Computed: true, Default: stringdefault.StaticString("bucket"),
			Validators:          []validator.String{stringvalidator.OneOf("bucket")},
			MarkdownDescription: "How the tenant's objects are kept apart: `bucket`, the default, gives it a bucket of its own.",
		},
		"versioning": schema.BoolAttribute{
			Optional: true, Computed: true, Default: booldefault.StaticBool(false),
			MarkdownDescription: "Keep overwritten and deleted objects as versions.",
		},
		"on_destroy": schema.StringAttribute{
			Optional: true, Validators: []validator.String{stringvalidator.OneOf("archive", "purge")},
			MarkdownDescription: "What becomes of the objects when the tenant goes: `archive` keeps them for the retention, `purge` destroys them. Defaults to `deletion.data`.",
		},
		"adopt": surface.AdoptAttribute("bucket"),
		"bucket": schema.StringAttribute{
			Computed: true, MarkdownDescription: "Name of the bucket, derived from installation and tenant id.",
		},
	}
}

func spec(_ context.Context, m model) (any, diag.Diagnostics) {
	return storage.Spec{
		Isolation: m.Isolation.ValueString(), Versioning: m.Versioning.ValueBool(),
		OnDestroy: m.OnDestroy.ValueString(), Adopt: m.Adopt.ValueString(),
	}, nil
}

func fromSpec(text json.RawMessage) (model, error) {
	var s storage.Spec
	err := json.Unmarshal(text, &s)
	return model{
		Isolation: types.StringValue("bucket"), Versioning: types.BoolValue(s.Versioning),
		OnDestroy: surface.OptionalString(s.OnDestroy), Adopt: surface.OptionalString(s.Adopt),
	}, err
}

func observe(m model, seen surface.Seen) (model, bool) {
	bucket, present := seen["bucket"]
	if !present {
		return m, false
	}
	m.Isolation = types.StringValue("bucket")
	m.Versioning = types.BoolValue(bucket.Fields.Bool(storage.FieldVersioning))
	m.Bucket = types.StringValue(bucket.Fields.Get(storage.FieldName))
	return m, true
}

func computed(m model, _ *model, wanted surface.Wanted) model {
	if fields, compiled := wanted.Fields["bucket"]; compiled {
		m.Bucket = types.StringValue(fields.Get(storage.FieldName))
	}
	return m
}
