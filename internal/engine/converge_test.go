package engine_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/tenantplane/terraform-provider-tenant/internal/engine"
	"github.com/tenantplane/terraform-provider-tenant/internal/fault"
	"github.com/tenantplane/terraform-provider-tenant/internal/tenant"
)

func TestANewTenantIsMadeInDependencyOrder(t *testing.T) {
	plan := engine.Converge(installation(), nil, engine.Sightings{}, now)
	want := []string{
		"create billing.customer", "create billing.subscription", "create identity.organization",
		"create database.schema", "create storage.bucket", "create domain.record",
	}
	if diff := cmp.Diff(want, ids(plan)); diff != "" {
		t.Error(diff)
	}
	last := plan.Actions[5]
	if diff := cmp.Diff([]string{"create identity.organization", "create billing.customer", "create billing.subscription", "create database.schema", "create storage.bucket"}, last.Needs); diff != "" {
		t.Errorf("the DNS record waits for: %s", diff)
	}
	if last.Key != "prod/acme/domain.record/e1" {
		t.Errorf("key %q", last.Key)
	}
}

func TestATenantAsDeclaredNeedsNothing(t *testing.T) {
	d := installation()
	if plan := engine.Converge(d, nil, alive(d), now); !plan.Empty() {
		t.Errorf("plan %v, faults %v", ids(plan), plan.Faults)
	}
}

// TestDecisions holds the engine to the table in its doc.go.
func TestDecisions(t *testing.T) {
	equal, other := tenant.Fields{"content": {"v1"}}, tenant.Fields{"content": {"v2"}}
	recorded := engine.Record{ExternalID: "id", Epoch: 2, Attempt: 1}
	present := func(owner engine.Ownership, fields tenant.Fields, record engine.Record) engine.Sighting {
		return engine.Sighting{Present: true, ExternalID: "id", Owner: owner, Marker: tenant.Marker{Installation: "else", Tenant: "acme", Region: "us"}, Fields: fields, Record: record}
	}
	disabled := present(engine.Ours, equal, recorded)
	disabled.Disabled = true
	archived := present(engine.Ours, equal, engine.Record{})
	archived.ArchivedUntil = now
	unobservable := engine.Sighting{Present: true, Record: recorded, Fault: fault.NewRetryable("x", "no answer", nil)}
	for name, c := range map[string]struct {
		seen      engine.Sighting
		adopt     string
		safe      bool
		immutable bool
		want      string // "‹verb› e‹epoch›", or the kind of fault, or ""
	}{
		"absent":                               {seen: engine.Sighting{}, want: "create e1"},
		"absent with an open intent":           {seen: engine.Sighting{Record: engine.Record{Epoch: 1, IntentOpen: true}}, want: "create e1"},
		"absent though recorded":               {seen: engine.Sighting{Record: recorded}, want: "create e3"},
		"absent after an ended life":           {seen: engine.Sighting{Record: engine.Record{Epoch: 2, Ended: true}}, want: "create e3"},
		"ours, recorded, equal":                {seen: present(engine.Ours, equal, recorded), want: ""},
		"ours, recorded, different":            {seen: present(engine.Ours, other, recorded), want: "update e2"},
		"ours, recorded, disabled":             {seen: disabled, want: "update e2"},
		"ours, not recorded":                   {seen: present(engine.Ours, equal, engine.Record{}), want: "adopt e1"},
		"ours, archived in place":              {seen: archived, want: "adopt e1"},
		"ours, not recorded, different":        {seen: present(engine.Ours, other, engine.Record{}), want: "adopt e1"},
		"ours, an immutable field differs":     {seen: present(engine.Ours, other, recorded), immutable: true, want: "terminal"},
		"unmarked, recorded, equal":            {seen: present(engine.Unmarked, equal, recorded), want: ""},
		"unmarked, recorded, different":        {seen: present(engine.Unmarked, other, recorded), want: "update e2"},
		"unmarked, not recorded, equal":        {seen: present(engine.Unmarked, equal, engine.Record{}), want: "conflict"},
		"unmarked, half-made":                  {seen: present(engine.Unmarked, other, engine.Record{Epoch: 1, IntentOpen: true}), want: "create e1"},
		"unmarked, equal, safe to adopt":       {seen: present(engine.Unmarked, equal, engine.Record{}), safe: true, want: "adopt e1"},
		"unmarked, different, safe to adopt":   {seen: present(engine.Unmarked, other, engine.Record{}), safe: true, want: "conflict"},
		"unmarked, equal, adopt matching":      {seen: present(engine.Unmarked, equal, engine.Record{}), adopt: "matching", want: "adopt e1"},
		"unmarked, different, adopt matching":  {seen: present(engine.Unmarked, other, engine.Record{}), adopt: "matching", want: "conflict"},
		"unmarked, different, adopt overwrite": {seen: present(engine.Unmarked, other, engine.Record{}), adopt: "overwrite", want: "adopt e1"},
		"foreign":                              {seen: present(engine.Foreign, equal, engine.Record{}), safe: true, want: "conflict"},
		"foreign, recorded":                    {seen: present(engine.Foreign, equal, recorded), want: "conflict"},
		"foreign, adopt overwrite":             {seen: present(engine.Foreign, other, engine.Record{}), adopt: "overwrite", want: "adopt e1"},
		"not observable":                       {seen: unobservable, want: "retryable"},
	} {
		o := engine.Object{ID: oid("domain", "record"), Name: "acme", Path: "domain", Fields: equal, Adopt: c.adopt, AdoptIdentical: c.safe}
		if c.immutable {
			o.Immutable = []string{"content"}
		}
		plan := engine.Converge(engine.Desired{Subject: subject, Objects: []engine.Object{o}}, nil, engine.Sightings{o.ID: c.seen}, now)
		if got := decision(plan); got != c.want {
			t.Errorf("%s: got %q, want %q", name, got, c.want)
		}
	}
}

func decision(p engine.Plan) string {
	var parts []string
	for _, f := range p.Faults {
		parts = append(parts, string(f.Fault.Kind))
	}
	for _, a := range p.Actions {
		_, epoch, _ := strings.Cut(a.Key, "/e")
		epoch, _, _ = strings.Cut(epoch, "/")
		parts = append(parts, string(a.Verb)+" e"+epoch)
	}
	return strings.Join(parts, ", ")
}

func TestAConflictNamesTheOwnerAndBothContents(t *testing.T) {
	o := engine.Object{ID: oid("domain", "record"), Name: "acme.example.org.", Path: "domain.hostname", Fields: tenant.Fields{"values": {"new"}}}
	seen := engine.Sightings{o.ID: {Present: true, Owner: engine.Foreign, Marker: tenant.Marker{Installation: "else", Tenant: "acme", Region: "us"}, Fields: tenant.Fields{"values": {"old"}}}}
	plan := engine.Converge(engine.Desired{Subject: subject, Objects: []engine.Object{o}}, nil, seen, now)
	text := plan.Faults[0].Fault.Error()
	for _, part := range []string{"domain.hostname", "acme.example.org.", "tenant:else/acme/us", `"old"`, `"new"`, "adopt", `installation = "else"`} {
		if !strings.Contains(text, part) {
			t.Errorf("%q does not say %q", text, part)
		}
	}
}

func TestWhatNeedsAnUnobservableObjectIsHeld(t *testing.T) {
	d := installation()
	seen := engine.Sightings{oid("identity", "organization"): {Fault: fault.NewRetryable("identity.down", "no answer", nil)}}
	plan := engine.Converge(d, nil, seen, now)
	if diff := cmp.Diff([]engine.ObjectID{oid("domain", "record")}, plan.Held); diff != "" {
		t.Error(diff)
	}
	if indexOf(plan, oid("database", "schema"), engine.Create) < 0 {
		t.Error("the database does not depend on identity and should go on")
	}
}

func TestAComponentThatLeftTheSpecIsFinalizedAfterTheRest(t *testing.T) {
	d := installation()
	seen := alive(d)
	departing := []engine.Object{d.Objects[4]}
	d.Objects = append(d.Objects[:4:4], d.Objects[5:]...)
	plan := engine.Converge(d, departing, seen, now)
	if diff := cmp.Diff([]string{"delete storage.bucket"}, ids(plan)); diff != "" {
		t.Error(diff)
	}
}

func TestDepartingComponentsLeaveInReverseOrderOfTheirDependencies(t *testing.T) {
	d := installation()
	seen := alive(d)
	departing := []engine.Object{d.Objects[3], d.Objects[5]} // the database, and the record that points at it
	d.Objects = []engine.Object{d.Objects[0], d.Objects[1], d.Objects[2], d.Objects[4]}
	departing[0].Finalization.Data = tenant.DeleteData
	plan := engine.Converge(d, departing, seen, now)
	record, schema := indexOf(plan, oid("domain", "record"), engine.Delete), indexOf(plan, oid("database", "schema"), engine.Delete)
	if record < 0 || schema < 0 || !slices.Contains(plan.Actions[schema].Needs, "delete domain.record") {
		t.Errorf("plan %v; the database needs %v", ids(plan), plan.Actions[schema].Needs)
	}
}

func TestADepartingDatabaseKeepsItsAccessWhileItsRemovalMayBeRefused(t *testing.T) {
	d := installation()
	seen := alive(d)
	departing := []engine.Object{d.Objects[3]}
	departing[0].Finalization.Data = tenant.RetainData
	d.Objects = append(d.Objects[:3:3], d.Objects[4:]...)
	if diff := cmp.Diff([]string{"delete database.schema"}, ids(engine.Converge(d, departing, seen, now))); diff != "" {
		t.Error(diff)
	}
}
