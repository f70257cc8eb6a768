package domain_test

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/tenantplane/terraform-provider-tenant/internal/component/domain"
	"github.com/tenantplane/terraform-provider-tenant/internal/engine"
	"github.com/tenantplane/terraform-provider-tenant/internal/fault"
	"github.com/tenantplane/terraform-provider-tenant/internal/tenant"
)

func compile(t *testing.T, spec string) ([]engine.Object, []*fault.Fault) {
	t.Helper()
	return domain.Component{}.Compile(tenant.Subject{}, tenant.Deletion{}, json.RawMessage(spec))
}

// content compiles a good spec and returns the fields of its objects.
func content(t *testing.T, spec string) map[string]tenant.Fields {
	t.Helper()
	objects, faults := compile(t, spec)
	if len(faults) > 0 {
		t.Fatalf("compile %s: %v", spec, faults)
	}
	out := map[string]tenant.Fields{}
	for _, o := range objects {
		if o.ID.Component != "domain" || o.Name != o.Fields.Get("name") || !o.AdoptIdentical {
			t.Errorf("compile %s: %s is called %q, content %v, AdoptIdentical %t", spec, o.ID, o.Name, o.Fields, o.AdoptIdentical)
		}
		out[o.ID.Object] = o.Fields
	}
	return out
}

func set(name, recordType, ttl string, values ...string) tenant.Fields {
	return tenant.Fields{"name": {name}, "type": {recordType}, "values": values, "ttl": {ttl}}
}

func TestATargetBecomesACNAME(t *testing.T) {
	got := content(t, `{"hostname":"Acme.Example.ORG","target":"Edge.Example.NET"}`)
	want := map[string]tenant.Fields{"record": set("acme.example.org.", "CNAME", "300", "edge.example.net.")}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
}

func TestC08_AddressesBecomeSortedSetsPerFamily(t *testing.T) {
	got := content(t, `{"hostname":"acme.example.org","addresses":["192.0.2.3","2001:DB8:0::1","192.0.2.1","192.0.2.2"],"ttl":60,"wildcard":true}`)
	v4 := []string{"192.0.2.1", "192.0.2.2", "192.0.2.3"}
	want := map[string]tenant.Fields{
		"record":      set("acme.example.org.", "A", "60", v4...),
		"record_v6":   set("acme.example.org.", "AAAA", "60", "2001:db8::1"),
		"wildcard":    set("*.acme.example.org.", "A", "60", v4...),
		"wildcard_v6": set("*.acme.example.org.", "AAAA", "60", "2001:db8::1"),
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
}

func TestAServiceWithIPv6OnlyHasNoARecord(t *testing.T) {
	got := content(t, `{"hostname":"acme.example.org","addresses":["2001:db8::1"]}`)
	want := map[string]tenant.Fields{"record_v6": set("acme.example.org.", "AAAA", "300", "2001:db8::1")}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
}

func TestC03_BothSpellingsOfAnInternationalNameCompileToTheSame(t *testing.T) {
	unicode := content(t, `{"hostname":"bücher.example.org","target":"kante.bücher.example"}`)
	ascii := content(t, `{"hostname":"xn--bcher-kva.example.org","target":"kante.xn--bcher-kva.example."}`)
	if diff := cmp.Diff(ascii, unicode); diff != "" {
		t.Error(diff)
	}
}

func TestAdoptIsPassedOn(t *testing.T) {
	objects, faults := compile(t, `{"hostname":"a.example","target":"b.example","wildcard":true,"adopt":"overwrite"}`)
	if len(faults) > 0 || len(objects) != 2 || objects[0].Adopt != "overwrite" || objects[1].Adopt != "overwrite" {
		t.Errorf("got %+v, %v", objects, faults)
	}
}

func TestSpecsThatCannotWorkAreRefusedAtPlanTime(t *testing.T) {
	longest := strings.Join([]string{strings.Repeat("a", 63), strings.Repeat("b", 63), strings.Repeat("c", 63), strings.Repeat("d", 60)}, ".")
	for name, tc := range map[string]struct{ spec, code, path, says string }{
		"no hostname":            {`{"target":"b.example"}`, "domain.hostname_invalid", "domain.hostname", "is empty"},
		"bad hostname":           {`{"hostname":"a..example","target":"b.example"}`, "domain.hostname_invalid", "domain.hostname", "empty label"},
		"bad target":             {`{"hostname":"a.example","target":"b..example"}`, "domain.target_invalid", "domain.target", "empty label"},
		"target is an address":   {`{"hostname":"a.example","target":"192.0.2.1"}`, "domain.target_invalid", "domain.target", "use addresses"},
		"target is the hostname": {`{"hostname":"a.example","target":"A.example."}`, "domain.target_invalid", "domain.target", "leads back"},
		"no destination":         {`{"hostname":"a.example"}`, "domain.destination_missing", "domain.target", "neither"},
		"two destinations":       {`{"hostname":"a.example","target":"b.example","addresses":["192.0.2.1"]}`, "domain.destination_ambiguous", "domain.target", "both"},
		"not an address":         {`{"hostname":"a.example","addresses":["edge.example"]}`, "domain.address_invalid", "domain.addresses", "not an IP address"},
		"address with interface": {`{"hostname":"a.example","addresses":["fe80::1%eth0"]}`, "domain.address_invalid", "domain.addresses", "eth0"},
		"mapped address":         {`{"hostname":"a.example","addresses":["::ffff:192.0.2.1"]}`, "domain.address_invalid", "domain.addresses", "write 192.0.2.1"},
		"unspecified address":    {`{"hostname":"a.example","addresses":["0.0.0.0"]}`, "domain.address_invalid", "domain.addresses", "unspecified"},
		"C08 same address twice": {`{"hostname":"a.example","addresses":["192.0.2.1","192.0.2.1"]}`, "domain.address_duplicate", "domain.addresses", "the same address"},
		"C08 two spellings":      {`{"hostname":"a.example","addresses":["2001:DB8:0::1","2001:db8::1"]}`, "domain.address_duplicate", "domain.addresses", "the same address"},
		"C10 negative TTL":       {`{"hostname":"a.example","target":"b.example","ttl":-1}`, "domain.ttl_invalid", "domain.ttl", "-1"},
		"C10 TTL over 31 bits":   {`{"hostname":"a.example","target":"b.example","ttl":2147483648}`, "domain.ttl_invalid", "domain.ttl", "2147483648"},
		"unknown adopt":          {`{"hostname":"a.example","target":"b.example","adopt":"yes"}`, "domain.adopt_invalid", "domain.adopt", "yes"},
		"not a spec":             {`{"hostname":7}`, "domain.spec_invalid", "domain", "cannot be read"},
		"no room for a wildcard": {`{"hostname":"` + longest + `","target":"b.example","wildcard":true}`, "domain.hostname_invalid", "domain.hostname", "too long"},
	} {
		_, faults := compile(t, tc.spec)
		if len(faults) != 1 {
			t.Errorf("%s: got %v, want one fault", name, faults)
			continue
		}
		f := faults[0]
		if f.Kind != fault.Terminal || f.Code != tc.code || f.Path != tc.path || f.Action == "" || !strings.Contains(f.Error(), tc.says) {
			t.Errorf("%s: got %s %s %q; want %s %s saying %q", name, f.Kind, f.Code, f, tc.code, tc.path, tc.says)
		}
	}
}

func TestEverythingWrongWithASpecIsSaidAtOnce(t *testing.T) {
	_, faults := compile(t, `{"hostname":"","target":"b..example","ttl":-1,"adopt":"maybe"}`)
	if len(faults) != 4 {
		t.Errorf("got %v, want four faults", faults)
	}
}

func TestC10_TheWholeRangeOfTTLsIsAccepted(t *testing.T) {
	for _, ttl := range []string{"1", "2147483647"} {
		got := content(t, `{"hostname":"a.example","target":"b.example","ttl":`+ttl+`}`)
		if got["record"].Get("ttl") != ttl {
			t.Errorf("ttl %s became %v", ttl, got["record"])
		}
	}
}

func TestFieldsSurviveTheWayThroughTheBackend(t *testing.T) {
	for object, fields := range content(t, `{"hostname":"a.example","addresses":["192.0.2.1","2001:db8::1"],"wildcard":true}`) {
		set, err := domain.ParseFields(fields)
		if err != nil {
			t.Fatalf("parse %s: %v", object, err)
		}
		if diff := cmp.Diff(fields, set.Fields()); diff != "" {
			t.Errorf("%s: %s", object, diff)
		}
	}
	for _, missing := range []string{"name", "type", "values", "ttl"} {
		fields := set("a.example.", "A", "300", "192.0.2.1")
		delete(fields, missing)
		if _, err := domain.ParseFields(fields); err == nil || !strings.Contains(err.Error(), missing) {
			t.Errorf("fields without %s: error %v", missing, err)
		}
	}
}

func TestADomainComesAfterWhatItLeadsTo(t *testing.T) {
	want := []string{"identity", "billing", "database", "storage", "review"}
	if diff := cmp.Diff(want, domain.Component{}.DependsOn()); diff != "" || (domain.Component{}).Name() != "domain" {
		t.Error(diff)
	}
}
