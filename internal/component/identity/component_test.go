package identity_test

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/tenantplane/terraform-provider-tenant/internal/component/identity"
	"github.com/tenantplane/terraform-provider-tenant/internal/engine"
	"github.com/tenantplane/terraform-provider-tenant/internal/fault"
	"github.com/tenantplane/terraform-provider-tenant/internal/tenant"
)

var northstar = tenant.Subject{Installation: "prod1", ID: "northstar-us", DisplayName: "Northstar Health Group (US)", Region: "us-east"}

func compile(subject tenant.Subject, spec string) ([]engine.Object, []*fault.Fault) {
	return identity.Component{}.Compile(subject, tenant.Deletion{}, json.RawMessage(spec))
}

func mustCompile(t *testing.T, subject tenant.Subject, spec string) engine.Object {
	t.Helper()
	objects, faults := compile(subject, spec)
	if len(faults) > 0 || len(objects) != 1 {
		t.Fatalf("compile %s: %d objects, faults %v", spec, len(objects), faults)
	}
	return objects[0]
}

func TestASpecBecomesOneOrganization(t *testing.T) {
	const spec = `{"domains": ["Z.northstar.example", "NORTHSTAR.example"], "redirect_url": "https://app.example.com/in"}`
	got := mustCompile(t, northstar, spec)
	want := engine.Object{
		ID: engine.ObjectID{Component: "identity", Object: "organization"}, Name: "tnt-northstar-us-prod1", Path: "identity",
		Fields: tenant.Fields{
			"alias": {"tnt-northstar-us-prod1"}, "name": {"Northstar Health Group (US)"},
			"domains": {"northstar.example", "z.northstar.example"}, "redirect_url": {"https://app.example.com/in"},
		},
		Immutable: []string{"alias"}, Finalization: engine.Finalization{AccessOff: true}, Spec: json.RawMessage(spec),
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
}

func TestIdentityComesAfterBilling(t *testing.T) {
	if got := (identity.Component{}).DependsOn(); !slices.Equal(got, []string{"billing"}) {
		t.Errorf("depends on %v", got)
	}
}

func TestATenantWithoutDisplayNameIsCalledByItsID(t *testing.T) {
	nameless := northstar
	nameless.DisplayName = " "
	if got := mustCompile(t, nameless, `{}`).Fields.Get("name"); got != "northstar-us" {
		t.Errorf("name %q", got)
	}
}

// What was set and then is left away must show as a change to empty, or it
// would stay for ever (C52).
func TestC52_UnsetClears(t *testing.T) {
	before := mustCompile(t, northstar, `{"domains": ["northstar.example"], "redirect_url": "https://app.example.com"}`).Fields
	for _, spec := range []string{`{}`, `{"domains": null, "redirect_url": ""}`, `{"domains": []}`} {
		var changed []string
		for _, c := range before.Diff(mustCompile(t, northstar, spec).Fields) {
			changed = append(changed, c.Field)
		}
		if !slices.Equal(changed, []string{"domains", "redirect_url"}) {
			t.Errorf("%s: fields %v change, want domains and redirect_url", spec, changed)
		}
	}
}

func TestC34_OnlyTheAliasIsImmutable(t *testing.T) {
	before := mustCompile(t, northstar, `{"alias": "acme"}`)
	renamed := northstar
	renamed.DisplayName = "Northstar Inc."
	changes := before.Fields.Diff(mustCompile(t, renamed, `{"alias": "acme"}`).Fields)
	if len(changes) != 1 || changes[0].Field != "name" || slices.Contains(before.Immutable, "name") {
		t.Errorf("a new display name changes %v, immutable are %v", changes, before.Immutable)
	}
	changes = before.Fields.Diff(mustCompile(t, northstar, `{"alias": "acme-corp"}`).Fields)
	if len(changes) != 1 || !slices.Contains(before.Immutable, changes[0].Field) {
		t.Errorf("a new alias changes %v, immutable are %v", changes, before.Immutable)
	}
}

func TestC35_DomainsAreComparedWithoutCase(t *testing.T) {
	a := mustCompile(t, northstar, `{"domains": ["northstar.example"]}`)
	b := mustCompile(t, northstar, `{"domains": ["NorthStar.EXAMPLE"]}`)
	if changes := a.Fields.Diff(b.Fields); len(changes) > 0 {
		t.Errorf("spelling alone gives %v", changes)
	}
}

func TestC39_DerivedAliasesAreLegalAndNeverShared(t *testing.T) {
	owners := map[string]tenant.ID{}
	for _, id := range []tenant.ID{"acme", "acme-corp", tenant.ID(strings.Repeat("a", 51)), tenant.ID(strings.Repeat("a", 63)), tenant.ID(strings.Repeat("a", 62) + "b")} {
		subject := northstar
		subject.ID = id
		alias := mustCompile(t, subject, `{}`).Name
		if len(alias) > 50 || strings.ToLower(alias) != alias {
			t.Errorf("tenant %s has the alias %q of %d bytes", id, alias, len(alias))
		}
		if owner, taken := owners[alias]; taken {
			t.Errorf("tenants %s and %s share the alias %q", id, owner, alias)
		}
		owners[alias] = id
	}
}

func TestSpecsThatAreRefused(t *testing.T) {
	manyDomains := make([]string, identity.MaxDomains+1)
	for i := range manyDomains {
		manyDomains[i] = fmt.Sprintf("d%d.example", i)
	}
	many, err := json.Marshal(identity.Spec{Domains: manyDomains})
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct{ spec, path, says string }{
		{`{"domains": ["northstar.example", "NORTHSTAR.example"]}`, "identity.domains", "listed already"},
		{`{"domains": ["bücher.example", "xn--bcher-kva.example"]}`, "identity.domains", "listed already"},
		{`{"domains": ["*.example.com"]}`, "identity.domains", "wildcard"},
		{`{"domains": ["a b.example"]}`, "identity.domains", "not a host name"},
		{`{"domains": [""]}`, "identity.domains", "empty"},
		{string(many), "identity.domains", "101 domains"},
		{`{"alias": "Acme"}`, "identity.alias", `'A' at byte 0`},
		{`{"alias": "acme corp"}`, "identity.alias", `' ' at byte 4`},
		{`{"alias": "acme.corp"}`, "identity.alias", `'.' at byte 4`},
		{`{"alias": "` + strings.Repeat("a", 51) + `"}`, "identity.alias", "51 bytes"},
		{`{"redirect_url": "/welcome"}`, "identity.redirect_url", "scheme"},
		{`{"redirect_url": "javascript:alert(1)"}`, "identity.redirect_url", "scheme"},
		{`{"redirect_url": "https://"}`, "identity.redirect_url", "no host"},
		{`{"redirect_url": "https://u:p4ss@example.com"}`, "identity.redirect_url", "credentials"},
		{`{"redirect_url": "https://example.com/a b"}`, "identity.redirect_url", "white space"},
		{`{"redirect_url": "https://example.com/#x"}`, "identity.redirect_url", "fragment"},
		{`{"redirect_url": "https://example.com/` + strings.Repeat("x", 2048) + `"}`, "identity.redirect_url", "bytes long"},
		{`{"domains": "northstar.example"}`, "identity", "cannot be read"},
		{``, "identity", "cannot be read"},
	} {
		_, faults := compile(northstar, c.spec)
		if len(faults) != 1 {
			t.Errorf("%.60s: faults %v, want one", c.spec, faults)
			continue
		}
		f := faults[0]
		if f.Kind != fault.Terminal || f.Path != c.path || !strings.Contains(f.Found, c.says) || f.Action == "" || f.Code == "" {
			t.Errorf("%.60s: %s %q at %q, action %q; want Terminal at %q saying %q", c.spec, f.Kind, f.Found, f.Path, f.Action, c.path, c.says)
		}
		if strings.Contains(f.Error(), "p4ss") {
			t.Errorf("the fault shows a password: %v", f)
		}
	}
}

func TestEveryMistakeIsReportedAtOnce(t *testing.T) {
	long := northstar
	long.DisplayName = strings.Repeat("ü", 256)
	_, faults := compile(long, `{"domains": ["localhost", "x..example"], "alias": "A", "redirect_url": "x"}`)
	if len(faults) != 5 {
		t.Errorf("got %d faults, want 5: %v", len(faults), faults)
	}
}
