package engine

import (
	"fmt"
	"maps"
	"slices"

	"github.com/tenantplane/terraform-provider-tenant/internal/fault"
	"github.com/tenantplane/terraform-provider-tenant/internal/tenant"
)

// Desired is a compiled spec.
type Desired struct {
	Subject tenant.Subject
	// Objects are the external objects wanted, dependencies before dependents.
	Objects []Object
	// DependsOn holds the dependencies between all components: one that is on
	// its way out has them too.
	DependsOn map[string][]string
	// Suspended: nobody may come in, and everything stays.
	Suspended bool
}

// Compile checks a spec and compiles it with the components given, in whose
// order independent objects appear. With faults the result is meaningless.
func Compile(components []Component, spec tenant.Spec) (Desired, []*fault.Fault) {
	d := Desired{Subject: spec.Subject, DependsOn: map[string][]string{}}
	var faults []*fault.Fault
	known := map[string]bool{}
	for _, c := range components {
		known[c.Name()] = true
		d.DependsOn[c.Name()] = c.DependsOn()
		text, used := spec.Components[c.Name()]
		if !used {
			continue
		}
		objects, bad := c.Compile(spec.Subject, spec.Deletion, text)
		for i := range objects {
			objects[i].Spec = text
		}
		d.Objects = append(d.Objects, objects...)
		faults = append(faults, bad...)
	}
	for _, name := range slices.Sorted(maps.Keys(spec.Components)) {
		if !known[name] {
			faults = append(faults, fault.NewTerminal("component.unknown", name,
				fmt.Sprintf("component %q is not known to this version", name), "upgrade the provider or remove the block"))
		}
	}
	if len(faults) > 0 {
		return d, faults
	}
	sorted, rest := sortByNeeds(d)
	if len(rest) > 0 {
		return d, []*fault.Fault{fault.NewTerminal("component.cycle", rest[0].ID.Component,
			fmt.Sprintf("%s needs itself through its dependencies", rest[0].ID), "this is a defect of the provider; please report it")}
	}
	d.Objects = sorted
	return d, nil
}
