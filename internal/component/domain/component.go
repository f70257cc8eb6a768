package domain

import (
	"encoding/json"

	"github.com/tenantplane/terraform-provider-tenant/internal/engine"
	"github.com/tenantplane/terraform-provider-tenant/internal/fault"
	"github.com/tenantplane/terraform-provider-tenant/internal/tenant"
)

// The objects of this component. A CNAME or IPv4 addresses make the first of
// each pair, IPv6 addresses the second.
const (
	Record     = "record"
	RecordV6   = "record_v6"
	Wildcard   = "wildcard"
	WildcardV6 = "wildcard_v6"
)

// componentName is the component's name.
const componentName = "domain"

// Types returns the record types an object of this component may have, which
// is what a backend looks for when no id is recorded.
func Types(object string) []string {
	if object == RecordV6 || object == WildcardV6 {
		return []string{AAAA}
	}
	return []string{CNAME, A}
}

// Component implements engine.Component.
type Component struct{}

// Name implements engine.Component.
func (Component) Name() string { return componentName }

// DependsOn implements engine.Component: a record shows users the way in, so
// it comes when there is something to come in to.
func (Component) DependsOn() []string {
	return []string{"identity", "billing", "database", "storage", "review"}
}

// Compile implements engine.Component. A new hostname, destination or TTL is a
// change of the same object; the backend moves the record.
func (Component) Compile(_ tenant.Subject, _ tenant.Deletion, text json.RawMessage) ([]engine.Object, []*fault.Fault) {
	spec, p, faults := parse(text)
	if len(faults) > 0 {
		return nil, faults
	}
	objects := p.objects(p.hostname, "domain.hostname", Record, RecordV6)
	if spec.Wildcard {
		objects = append(objects, p.objects(wildcardOf(p.hostname), "domain.wildcard", Wildcard, WildcardV6)...)
	}
	for i := range objects {
		objects[i].AdoptIdentical = true
		objects[i].Adopt = spec.Adopt
	}
	return objects, nil
}

// objects returns the record sets of one owner name.
func (p parsed) objects(owner, path, first, second string) []engine.Object {
	var objects []engine.Object
	add := func(object, recordType string, values ...string) {
		if len(values) == 0 {
			return
		}
		set := RRSet{Name: owner, Type: recordType, Values: values, TTL: p.ttl}
		objects = append(objects, engine.Object{
			ID: engine.ObjectID{Component: componentName, Object: object}, Name: owner, Path: path, Fields: set.Fields(),
		})
	}
	if p.target != "" {
		add(first, CNAME, p.target)
	}
	add(first, A, p.v4...)
	add(second, AAAA, p.v6...)
	return objects
}
