package engine_test

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/tenantplane/terraform-provider-tenant/internal/engine"
	"github.com/tenantplane/terraform-provider-tenant/internal/fault"
	"github.com/tenantplane/terraform-provider-tenant/internal/tenant"
)

// toy is a component with one object and given dependencies.
type toy struct {
	name string
	deps []string
}

func (c toy) Name() string        { return c.name }
func (c toy) DependsOn() []string { return c.deps }

func (c toy) Compile(_ tenant.Subject, _ tenant.Deletion, spec json.RawMessage) ([]engine.Object, []*fault.Fault) {
	if string(spec) == `"bad"` {
		return nil, []*fault.Fault{fault.NewTerminal("toy.bad", c.name+".x", "is bad", "make it good")}
	}
	return []engine.Object{{ID: oid(c.name, "thing"), Fields: tenant.Fields{}}}, nil
}

func compile(components []engine.Component, specs map[string]json.RawMessage) (engine.Desired, []*fault.Fault) {
	return engine.Compile(components, tenant.Spec{Subject: subject, Components: specs})
}

func TestComponentsAreOrderedByDependencyWhateverTheListSays(t *testing.T) {
	d, faults := compile(
		[]engine.Component{toy{"roof", []string{"walls"}}, toy{"walls", []string{"ground", "cellar"}}, toy{"ground", nil}},
		map[string]json.RawMessage{"roof": json.RawMessage(`{}`), "walls": json.RawMessage(`{}`), "ground": json.RawMessage(`{}`)})
	if len(faults) > 0 {
		t.Fatal(faults)
	}
	var order []string
	for _, o := range d.Objects {
		order = append(order, o.ID.Component)
	}
	if got := strings.Join(order, " "); got != "ground walls roof" {
		t.Errorf("order %q", got)
	}
	if string(d.Objects[0].Spec) != `{}` {
		t.Error("an object does not carry the spec it was compiled from")
	}
}

func TestEveryFaultOfASpecIsReportedAtOnce(t *testing.T) {
	_, faults := compile([]engine.Component{toy{"a", nil}, toy{"b", nil}},
		map[string]json.RawMessage{"a": json.RawMessage(`"bad"`), "b": json.RawMessage(`"bad"`), "zebra": json.RawMessage(`{}`)})
	var paths []string
	for _, f := range faults {
		paths = append(paths, f.Path)
	}
	if got := strings.Join(paths, " "); got != "a.x b.x zebra" {
		t.Errorf("faults at %q", got)
	}
}

func TestACycleIsAFaultNotAHang(t *testing.T) {
	_, faults := compile([]engine.Component{toy{"a", []string{"b"}}, toy{"b", []string{"a"}}},
		map[string]json.RawMessage{"a": json.RawMessage(`{}`), "b": json.RawMessage(`{}`)})
	if len(faults) != 1 || faults[0].Code != "component.cycle" {
		t.Errorf("faults %v", faults)
	}
}
