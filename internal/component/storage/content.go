package storage

import "github.com/tenantplane/terraform-provider-tenant/internal/tenant"

// The fields of storage.bucket.
const (
	// FieldName is the bucket's name.
	FieldName = "name"
	// FieldVersioning is "true" when overwritten and deleted objects are kept
	// as versions. A bucket that never had versioning and one where it is
	// suspended are the same: "false".
	FieldVersioning = "versioning"
)

// Content returns the canonical content of a bucket. The component and the
// backends both build it here, so equal buckets give equal Fields.
func Content(name string, versioning bool) tenant.Fields {
	fields := tenant.Fields{}
	fields.Set(FieldName, name)
	fields.SetBool(FieldVersioning, versioning)
	return fields
}
