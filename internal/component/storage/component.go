package storage

import (
	"encoding/json"

	"github.com/tenantplane/terraform-provider-tenant/internal/engine"
	"github.com/tenantplane/terraform-provider-tenant/internal/fault"
	"github.com/tenantplane/terraform-provider-tenant/internal/tenant"
)

// Names of the component and of its one object.
const (
	Name   = "storage"
	Bucket = "bucket"
)

// Component compiles storage specs. The zero value is ready.
type Component struct{}

var _ engine.Component = Component{}

// Name implements engine.Component.
func (Component) Name() string { return Name }

// DependsOn implements engine.Component: a bucket needs nothing else.
func (Component) DependsOn() []string { return nil }

// Compile implements engine.Component. It returns one object, storage.bucket,
// under a name that is legal by the strictest rules whatever the backend
// tolerates. The spec's own on_destroy overrides the tenant's data policy; the
// retention is the tenant's.
func (Component) Compile(subject tenant.Subject, deletion tenant.Deletion, raw json.RawMessage) ([]engine.Object, []*fault.Fault) {
	spec, malformed := parseSpec(raw)
	if malformed != nil {
		return nil, []*fault.Fault{malformed}
	}
	name := tenant.BucketName.Name(subject.Installation, subject.ID)
	if faults := spec.check(name); len(faults) > 0 {
		return nil, faults
	}
	return []engine.Object{{
		ID:        engine.ObjectID{Component: Name, Object: Bucket},
		Name:      name,
		Path:      Name,
		Fields:    Content(name, spec.Versioning),
		Immutable: []string{FieldName},
		Adopt:     spec.Adopt,
		Finalization: engine.Finalization{
			Data:          spec.dataPolicy(deletion),
			RetentionDays: deletion.RetentionDays,
		},
		Spec: raw,
	}}, nil
}
