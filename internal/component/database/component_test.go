package database

import (
	"encoding/json"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/tenantplane/terraform-provider-tenant/internal/engine"
	"github.com/tenantplane/terraform-provider-tenant/internal/fault"
	"github.com/tenantplane/terraform-provider-tenant/internal/tenant"
)

var _ engine.Component = Component{}

var subject = tenant.Subject{Installation: "acme", ID: "northstar-us", Region: "us-east"}

func compile(t *testing.T, deletion tenant.Deletion, spec string) engine.Object {
	t.Helper()
	objects, faults := Component{}.Compile(subject, deletion, json.RawMessage(spec))
	if len(faults) > 0 {
		t.Fatalf("compile %s: %v", spec, faults)
	}
	if len(objects) != 1 {
		t.Fatalf("got %d objects, want the one schema", len(objects))
	}
	return objects[0]
}

func TestAnEmptySpecIsASchemaWithTwoRoles(t *testing.T) {
	got := compile(t, tenant.Deletion{}, `{}`).Fields
	want := tenant.Fields{
		"isolation":          {"schema"},
		"name":               {"tnt_northstar_us_acme"},
		"owner_role":         {"tnt_northstar_us_acme_owner"},
		"reader_role":        {"tnt_northstar_us_acme_reader"},
		"grants":             {"CREATE ON SCHEMA TO owner", "USAGE ON SCHEMA TO owner", "USAGE ON SCHEMA TO reader"},
		"default_privileges": {"SELECT ON SEQUENCES TO reader", "SELECT ON TABLES TO reader"},
		"seed":               {},
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("fields (-want +got):\n%s", diff)
	}
}

func TestTheObjectIsTheSameForBothIsolations(t *testing.T) {
	schema, own := compile(t, tenant.Deletion{}, `{}`), compile(t, tenant.Deletion{}, `{"isolation":"database"}`)
	if schema.ID != own.ID || schema.Name != own.Name {
		t.Errorf("schema is %v %s, database is %v %s; a changed isolation must meet one object", schema.ID, schema.Name, own.ID, own.Name)
	}
	if !slices.Contains(own.Immutable, FieldIsolation) {
		t.Errorf("immutable fields are %v, want isolation among them", own.Immutable)
	}
	if !slices.IsSorted(own.Fields[FieldGrants]) || !slices.IsSorted(schema.Fields[FieldGrants]) {
		t.Error("grants are not sorted; backends observe them sorted")
	}
}

func TestSeedsKeepTheirOrderAndTravelAsInputs(t *testing.T) {
	object := compile(t, tenant.Deletion{}, `{"seed":[{"name":"z.sql","sql":"SELECT 1"},{"name":"a.sql","sql":"SELECT 2"}]}`)
	seeds := object.Fields[FieldSeed]
	if len(seeds) != 2 || SeedName(seeds[0]) != "z.sql" || SeedName(seeds[1]) != "a.sql" {
		t.Errorf("seed field is %v, want z.sql before a.sql", seeds)
	}
	if seeds[0] != SeedRef("z.sql", SeedHash("SELECT 1")) {
		t.Errorf("seed field %s does not carry the hash of the script", seeds[0])
	}
	if object.Inputs["a.sql"] != "SELECT 2" {
		t.Errorf("inputs are %v", object.Inputs)
	}
}

func TestLineEndsDoNotMakeANewSeed(t *testing.T) {
	if SeedHash("a;\r\nb;\r\n") != SeedHash("a;\nb;\n") {
		t.Error("CRLF and LF give different hashes: a checkout on Windows would run the seed twice")
	}
	if SeedHash("a;\nb;") == SeedHash("a;b;") {
		t.Error("the hash ignores more than the spelling of line ends")
	}
}

func TestTheComponentsWordOnDataBeatsTheTenants(t *testing.T) {
	for _, c := range []struct {
		onDestroy string
		deletion  tenant.DataPolicy
		want      tenant.DataPolicy
	}{
		{"", "", tenant.RetainData},
		{"", tenant.RetainData, tenant.RetainData},
		{"", tenant.ArchiveData, tenant.ArchiveData},
		{"", tenant.DeleteData, tenant.DeleteData},
		{"archive", tenant.DeleteData, tenant.ArchiveData},
		{"cascade", "", tenant.DeleteData},
	} {
		object := compile(t, tenant.Deletion{Data: c.deletion, RetentionDays: 90}, `{"on_destroy":"`+c.onDestroy+`"}`)
		final := object.Finalization
		if final.Data != c.want || final.RetentionDays != 90 || !final.AccessOff {
			t.Errorf("on_destroy=%q, deletion.data=%q: %+v, want %s for 90 days after access is off", c.onDestroy, c.deletion, final, c.want)
		}
	}
}

func TestWhatIsWrongIsNamedByItsPath(t *testing.T) {
	big := strings.Repeat("x", MaxSeedBytes+1)
	for _, c := range []struct{ spec, path, says string }{
		{`{"isolation":"table"}`, "database.isolation", `"table"`},
		{`{"on_destroy":"drop"}`, "database.on_destroy", `"drop"`},
		{`{"adopt":"yes"}`, "database.adopt", `"yes"`},
		{`{"seed":[{"name":"a.sql","sql":" \n"}]}`, "database.seed[0]", "empty"},
		{`{"seed":[{"name":"","sql":"SELECT 1"}]}`, "database.seed[0]", `""`},
		{`{"seed":[{"name":"a@b","sql":"SELECT 1"}]}`, "database.seed[0]", `"a@b"`},
		{`{"seed":[{"name":"a","sql":"SELECT 1"},{"name":"a","sql":"SELECT 2"}]}`, "database.seed[1]", "seed[0]"},
		{`{"seed":[{"name":"a","sql":"` + big + `"}]}`, "database.seed[0]", "bytes"},
		{`{"seed":[{"name":"a","sql":"SELECT '\u0000'"}]}`, "database.seed[0]", "UTF-8"},
		{`{"seed":"a.sql"}`, "database", "read"},
	} {
		_, faults := Component{}.Compile(subject, tenant.Deletion{}, json.RawMessage(c.spec))
		if len(faults) != 1 {
			t.Errorf("%.60s: got %d faults, want 1: %v", c.spec, len(faults), faults)
			continue
		}
		f := faults[0]
		if f.Kind != fault.Terminal || f.Path != c.path || !strings.Contains(f.Found, c.says) || f.Action == "" {
			t.Errorf("%.60s: got %s %v, want a terminal fault at %s that says %s", c.spec, f.Kind, f, c.path, c.says)
		}
	}
}

func TestAllThatIsWrongIsSaidAtOnce(t *testing.T) {
	_, faults := Component{}.Compile(subject, tenant.Deletion{}, json.RawMessage(`{"isolation":"x","adopt":"y","seed":[{"name":"","sql":""}]}`))
	if len(faults) != 3 {
		t.Errorf("got %d faults, want 3: %v", len(faults), faults)
	}
}
