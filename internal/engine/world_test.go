package engine_test

import (
	"slices"
	"strconv"
	"time"

	"pgregory.net/rapid"

	"github.com/tenantplane/terraform-provider-tenant/internal/engine"
	"github.com/tenantplane/terraform-provider-tenant/internal/tenant"
)

var (
	now     = time.Date(2026, 11, 30, 12, 0, 0, 0, time.UTC)
	subject = tenant.Subject{Installation: "prod", ID: "acme", DisplayName: "Acme", Region: "us-east"}
)

func oid(component, object string) engine.ObjectID {
	return engine.ObjectID{Component: component, Object: object}
}

// installation is a tenant with every component of issue 2, as their packages
// compile it, but small.
func installation() engine.Desired {
	object := func(component, name string, f engine.Finalization, needs ...engine.ObjectID) engine.Object {
		return engine.Object{
			ID: oid(component, name), Name: name, Path: component, Fields: tenant.Fields{"content": {"v1"}}, Finalization: f, Needs: needs,
		}
	}
	return engine.Desired{
		Subject: subject,
		Objects: []engine.Object{
			object("billing", "customer", engine.Finalization{Last: true}),
			object("billing", "subscription", engine.Finalization{Billable: true}, oid("billing", "customer")),
			object("identity", "organization", engine.Finalization{AccessOff: true}),
			object("database", "schema", engine.Finalization{AccessOff: true, Data: tenant.ArchiveData, RetentionDays: 30}),
			object("storage", "bucket", engine.Finalization{Data: tenant.DeleteData}),
			object("domain", "record", engine.Finalization{}),
		},
		DependsOn: map[string][]string{
			"billing": nil, "identity": {"billing"}, "database": nil, "storage": nil,
			"domain": {"identity", "billing", "database", "storage", "review"},
		},
	}
}

// alive is everything in d existing as wanted and recorded.
func alive(d engine.Desired) engine.Sightings {
	seen := engine.Sightings{}
	for _, o := range d.Objects {
		seen[o.ID] = engine.Sighting{
			Present: true, ExternalID: "x-" + o.ID.String(), Fields: o.Fields.Clone(), Owner: engine.Ours,
			Record: engine.Record{ExternalID: "x-" + o.ID.String(), Epoch: 1, Attempt: 1},
		}
	}
	return seen
}

// carryOut does to seen what an action would do to a faultless world.
func carryOut(seen engine.Sightings, a engine.Action) {
	switch a.Verb {
	case engine.Create, engine.Adopt, engine.Update:
		id := seen[a.Object.ID].ExternalID
		if a.Verb == engine.Create {
			id = "made-in-e" + strconv.FormatInt(a.Epoch, 10)
		}
		seen[a.Object.ID] = engine.Sighting{
			Present: true, ExternalID: id, Fields: a.Object.Fields.Clone(), Owner: engine.Ours,
			Record: engine.Record{ExternalID: id, Epoch: a.Epoch, Attempt: a.Attempt},
		}
	case engine.Disable:
		s := seen[a.Object.ID]
		s.Disabled, s.Record.IntentOpen = true, false
		seen[a.Object.ID] = s
	default:
		seen[a.Object.ID] = engine.Sighting{Record: engine.Record{Epoch: a.Epoch, Ended: true}}
	}
}

// ids lists the actions of a plan by ID.
func ids(p engine.Plan) []string {
	var out []string
	for _, a := range p.Actions {
		out = append(out, a.ID())
	}
	return out
}

// drawWorld draws a random desired state and random sightings of it.
func drawWorld(t *rapid.T) (engine.Desired, engine.Sightings) {
	d := engine.Desired{Subject: subject, DependsOn: map[string][]string{}}
	seen := engine.Sightings{}
	components := rapid.IntRange(1, 5).Draw(t, "components")
	for c := range components {
		name := "c" + strconv.Itoa(c)
		for before := range c {
			if rapid.Bool().Draw(t, "depends") {
				d.DependsOn[name] = append(d.DependsOn[name], "c"+strconv.Itoa(before))
			}
		}
		for o := range rapid.IntRange(1, 3).Draw(t, "objects") {
			object := drawObject(t, oid(name, "o"+strconv.Itoa(o)))
			if o > 0 && rapid.Bool().Draw(t, "needs") {
				object.Needs = []engine.ObjectID{oid(name, "o0")}
			}
			d.Objects = append(d.Objects, object)
			seen[object.ID] = drawSighting(t, object)
		}
	}
	return d, seen
}

func drawObject(t *rapid.T, id engine.ObjectID) engine.Object {
	return engine.Object{
		ID: id, Name: id.String(), Path: id.Component,
		Fields: tenant.Fields{"content": {rapid.SampledFrom([]string{"v1", "v2"}).Draw(t, "content")}},
		Adopt:  rapid.SampledFrom([]string{"", "matching", "overwrite"}).Draw(t, "adopt"),
		Finalization: engine.Finalization{
			AccessOff: rapid.Bool().Draw(t, "access"), Billable: rapid.Bool().Draw(t, "billable"),
			Data: rapid.SampledFrom([]tenant.DataPolicy{"", tenant.ArchiveData, tenant.DeleteData}).Draw(t, "data"),
			Last: id.Component == "c0" && rapid.Bool().Draw(t, "last"),
		},
	}
}

func drawSighting(t *rapid.T, o engine.Object) engine.Sighting {
	s := engine.Sighting{
		Present: rapid.Bool().Draw(t, "present"),
		Record:  engine.Record{Epoch: rapid.Int64Range(0, 3).Draw(t, "epoch"), IntentOpen: rapid.Bool().Draw(t, "intent")},
	}
	if s.Record.Epoch > 0 && rapid.Bool().Draw(t, "held") {
		s.Record.ExternalID = "id"
	}
	if s.Present {
		s.ExternalID = "id"
		s.Owner = rapid.SampledFrom([]engine.Ownership{engine.Ours, engine.Unmarked, engine.Foreign}).Draw(t, "owner")
		s.Fields = tenant.Fields{"content": {rapid.SampledFrom([]string{"v1", "v2"}).Draw(t, "seen")}}
		s.Disabled = rapid.Bool().Draw(t, "disabled")
	}
	return s
}

// indexOf is the place of an object's action in a plan, -1 for none.
func indexOf(p engine.Plan, id engine.ObjectID, verbs ...engine.Verb) int {
	return slices.IndexFunc(p.Actions, func(a engine.Action) bool {
		return a.Object.ID == id && slices.Contains(verbs, a.Verb)
	})
}
