package database

import (
	"encoding/json"

	"github.com/tenantplane/terraform-provider-tenant/internal/engine"
	"github.com/tenantplane/terraform-provider-tenant/internal/fault"
	"github.com/tenantplane/terraform-provider-tenant/internal/tenant"
)

// Component is the database component.
type Component struct{}

// Name implements engine.Component.
func (Component) Name() string { return "database" }

// DependsOn implements engine.Component: a database needs nothing else.
func (Component) DependsOn() []string { return nil }

// Compile implements engine.Component.
func (c Component) Compile(subject tenant.Subject, deletion tenant.Deletion, raw json.RawMessage) ([]engine.Object, []*fault.Fault) {
	var spec Spec
	if err := json.Unmarshal(raw, &spec); err != nil {
		return nil, []*fault.Fault{invalid("database", "cannot be read: "+err.Error(), "check the types of its attributes")}
	}
	if faults := spec.validate(); len(faults) > 0 {
		return nil, faults
	}
	if spec.Isolation == "" {
		spec.Isolation = IsolationSchema
	}
	name := tenant.DatabaseName.Name(subject.Installation, subject.ID)
	return []engine.Object{{
		ID:        engine.ObjectID{Component: c.Name(), Object: ObjectSchema},
		Name:      name,
		Path:      "database",
		Fields:    spec.fields(name),
		Inputs:    spec.inputs(),
		Immutable: []string{FieldIsolation},
		Adopt:     spec.Adopt,
		Finalization: engine.Finalization{
			AccessOff:     true,
			Data:          spec.dataPolicy(deletion),
			RetentionDays: deletion.RetentionDays,
		},
		Spec: raw,
	}}, nil
}

func (s Spec) fields(name string) tenant.Fields {
	fields := tenant.Fields{}
	fields.Set(FieldIsolation, s.Isolation)
	fields.Set(FieldName, name)
	fields.Set(FieldOwnerRole, OwnerRole(name))
	fields.Set(FieldReaderRole, ReaderRole(name))
	fields.Set(FieldGrants, Grants(s.Isolation)...)
	fields.Set(FieldDefaultPrivileges, DefaultPrivileges()...)
	seeds := []string{} // wanting none has to show as well, once some were run
	for _, seed := range s.Seed {
		seeds = append(seeds, SeedRef(seed.Name, SeedHash(seed.SQL)))
	}
	fields[FieldSeed] = seeds
	return fields
}

// inputs returns the scripts by seed name.
func (s Spec) inputs() map[string]string {
	inputs := make(map[string]string, len(s.Seed))
	for _, seed := range s.Seed {
		inputs[seed.Name] = seed.SQL
	}
	return inputs
}

// dataPolicy is the component's own word, else the tenant's, else to retain.
func (s Spec) dataPolicy(deletion tenant.Deletion) tenant.DataPolicy {
	switch {
	case s.OnDestroy == OnDestroyArchive:
		return tenant.ArchiveData
	case s.OnDestroy == OnDestroyCascade:
		return tenant.DeleteData
	case deletion.Data != "":
		return deletion.Data
	}
	return tenant.RetainData
}
