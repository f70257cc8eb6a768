package keycloak

import (
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/tenantplane/terraform-provider-tenant/internal/fault"
	"github.com/tenantplane/terraform-provider-tenant/internal/tenant"
)

const createPath = "POST /admin/realms/tenants/organizations"

var (
	created  = reply{status: 201, header: map[string]string{"Location": "http://kc/admin/realms/tenants/organizations/o1"}}
	stranger = tenant.Marker{Installation: "other", Tenant: "northstar-us", Region: "us-east"}
)

func TestACreateSendsContentAndMarkerInOneStep(t *testing.T) {
	s := play(t, map[string][]reply{
		listPath: {{status: 200, body: `[]`}}, createPath: {created},
		"GET " + onePath: {{status: 200, body: stored("o1", "northstar", "Northstar", northstar.Marker(), "northstar.example")}},
	})
	if _, err := s.backend(t, time.Now).Ensure(t.Context(), want(nil)); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(map[string]any{
		"alias": "northstar", "name": "Northstar", "enabled": true, "redirectUrl": "",
		"domains": []any{map[string]any{"name": "northstar.example", "verified": false}},
		"attributes": map[string]any{
			"tenant-id": []any{"northstar-us"}, "tenant-installation": []any{"prod1"}, "tenant-region": []any{"us-east"},
		},
	}, s.sent(t, createPath)); diff != "" {
		t.Error(diff)
	}
}

// A PUT replaces everything, so what others put there has to go back.
func TestAnUpdateKeepsWhatIsNotOurs(t *testing.T) {
	s := play(t, map[string][]reply{
		"GET " + onePath: {{status: 200, body: stored("o1", "northstar", "Old name", northstar.Marker(), "northstar.example", "gone.example")}},
		"PUT " + onePath: {{status: 204}},
	})
	if _, err := s.backend(t, time.Now).Ensure(t.Context(), want(seen(northstar.Marker()))); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(map[string]any{
		"id": "o1", "alias": "northstar", "name": "Northstar", "enabled": true, "redirectUrl": "", "description": "by hand",
		"domains": []any{map[string]any{"name": "northstar.example", "verified": true}},
		"attributes": map[string]any{
			"cost-center": []any{"42"},
			"tenant-id":   []any{"northstar-us"}, "tenant-installation": []any{"prod1"}, "tenant-region": []any{"us-east"},
		},
	}, s.sent(t, "PUT "+onePath)); diff != "" {
		t.Error(diff)
	}
}

func TestWhatIsAsWantedIsNotWrittenAgain(t *testing.T) {
	s := play(t, map[string][]reply{"GET " + onePath: {{status: 200, body: stored("o1", "northstar", "Northstar", northstar.Marker(), "NORTHSTAR.example")}}})
	if _, err := s.backend(t, time.Now).Ensure(t.Context(), want(seen(northstar.Marker()))); err != nil {
		t.Fatal(err)
	}
	if n := s.count("PUT " + onePath); n != 0 {
		t.Errorf("%d updates, want none", n)
	}
}

func TestC34_AChangedAliasIsRefusedAndNothingSent(t *testing.T) {
	old := stored("o1", "acme", "Northstar", northstar.Marker(), "northstar.example")
	for name, w := range map[string]func(*script) error{
		"recorded": func(s *script) error {
			_, err := s.backend(t, time.Now).Ensure(t.Context(), want(seen(northstar.Marker())))
			return err
		},
		"not recorded": func(s *script) error { _, err := s.backend(t, time.Now).Ensure(t.Context(), want(nil)); return err },
	} {
		s := play(t, map[string][]reply{"GET " + onePath: {{status: 200, body: old}}, listPath: {{status: 200, body: "[" + old + "]"}}})
		f := fault.From(w(s))
		if f.Kind != fault.Terminal || f.Path != "identity.alias" || !strings.Contains(f.Found, `"acme"`) {
			t.Errorf("%s: %+v", name, f)
		}
		if s.count(createPath)+s.count("PUT "+onePath) != 0 {
			t.Errorf("%s: calls %v", name, s.calls)
		}
	}
}

func TestC35_ADomainOfAnotherTenantIsNamed(t *testing.T) {
	theirs := stored("o9", "tnt-b", "B", stranger, "northstar.example")
	s := play(t, map[string][]reply{
		listPath:   {{status: 200, body: `[]`}, {status: 200, body: `[]`}, {status: 200, body: `[]`}, {status: 200, body: "[" + theirs + "]"}},
		createPath: {{status: 400, body: `{"errorMessage": "Domain northstar.example is already linked to another organization in realm tenants"}`}},
	})
	_, err := s.backend(t, time.Now).Ensure(t.Context(), want(nil))
	f := fault.From(err)
	if f.Kind != fault.Terminal || f.Path != "identity.domains" {
		t.Fatalf("got %+v, want Terminal at identity.domains", f)
	}
	for _, part := range []string{"northstar.example", `"tnt-b"`, `installation "other"`} {
		if !strings.Contains(f.Found, part) {
			t.Errorf("%q does not name %s", f.Found, part)
		}
	}
}

func TestARefusedCreateIsLookedInto(t *testing.T) {
	ours := stored("o1", "northstar", "Northstar", northstar.Marker(), "northstar.example")
	theirs := stored("o1", "northstar", "Northstar", stranger)
	byHand := stored("o1", "northstar", "Northstar", tenant.Marker{})
	sameName := stored("o9", "tnt-b", "Northstar", stranger)
	elsewhere := stored("o1", "northstar", "Northstar", tenant.Marker{Installation: "prod1", Tenant: "northstar-us", Region: "eu"})
	for _, c := range []struct {
		name   string
		lists  []string
		kind   fault.Kind
		path   string
		naming string
	}{
		{"made by our other process meanwhile", []string{`[]`, "[" + ours + "]"}, "", "", ""},
		{"another installation's", []string{`[]`, "[" + theirs + "]"}, fault.Conflict, "identity", `installation "other"`},
		{"made by hand", []string{`[]`, "[" + byHand + "]"}, fault.Conflict, "identity", "no tenant marker"},
		{"of this tenant in another region", []string{"[" + elsewhere + "]"}, fault.Conflict, "identity", `region "eu"`},
		{"another one of that name", []string{`[]`, `[]`, "[" + sameName + "]"}, fault.Conflict, "display_name", `"tnt-b"`},
		{"nobody's, for another reason", []string{`[]`}, fault.Terminal, "identity", "no reason at all"},
	} {
		replies := map[string][]reply{createPath: {{status: 409, body: `{"errorMessage": "no reason at all"}`}}}
		for _, body := range c.lists {
			replies[listPath] = append(replies[listPath], reply{status: 200, body: body})
		}
		s := play(t, replies)
		got, err := s.backend(t, time.Now).Ensure(t.Context(), want(nil))
		if c.kind == "" {
			if err != nil || got.ExternalID != "o1" {
				t.Errorf("%s: %+v, %v", c.name, got, err)
			}
			continue
		}
		if f := fault.From(err); f.Kind != c.kind || f.Path != c.path || !strings.Contains(f.Found, c.naming) {
			t.Errorf("%s: %+v, want %s at %s naming %s", c.name, f, c.kind, c.path, c.naming)
		}
		if s.count("PUT "+onePath) != 0 {
			t.Errorf("%s: it was written to", c.name)
		}
	}
}

func TestARefusedUpdateNeverBlamesTheOrganizationItself(t *testing.T) {
	old := stored("o1", "northstar", "Northstar", northstar.Marker(), "northstar.example", "old.example")
	s := play(t, map[string][]reply{
		"GET " + onePath: {{status: 200, body: old}}, listPath: {{status: 200, body: "[" + old + "]"}},
		"PUT " + onePath: {{status: 400, body: `{"errorMessage": "no reason at all"}`}},
	})
	_, err := s.backend(t, time.Now).Ensure(t.Context(), want(seen(northstar.Marker())))
	if f := fault.From(err); f.Kind != fault.Terminal || !strings.Contains(f.Found, "no reason at all") {
		t.Errorf("got %+v", f)
	}
}

func TestAMarkerThatChangedHandsSinceTheLookIsRespected(t *testing.T) {
	s := play(t, map[string][]reply{"GET " + onePath: {{status: 200, body: stored("o1", "northstar", "Northstar", stranger)}}})
	_, err := s.backend(t, time.Now).Ensure(t.Context(), want(seen(tenant.Marker{})))
	if !fault.Is(err, fault.Conflict) || s.count("PUT "+onePath) != 0 {
		t.Errorf("got %v after %v", err, s.calls)
	}
}

func TestAWriteWhoseOutcomeIsUnknownIsAmbiguous(t *testing.T) {
	page := reply{status: 200, body: "<html>please log in</html>"}
	for name, replies := range map[string]map[string][]reply{
		"500":                     {createPath: {{status: 500, body: `{"error": "unknown_error"}`}}},
		"503":                     {createPath: {{status: 503, body: `{}`}}},
		"a login page":            {createPath: {page}},
		"created, then 503":       {createPath: {created}, "GET " + onePath: {{status: 503, body: `{}`}}},
		"created without address": {createPath: {{status: 201}}},
	} {
		replies[listPath] = []reply{{status: 200, body: `[]`}}
		s := play(t, replies)
		_, err := s.backend(t, time.Now).Ensure(t.Context(), want(nil))
		if !fault.Is(err, fault.Ambiguous) {
			t.Errorf("%s: %v, want Ambiguous", name, err)
		}
		if n := s.count(createPath); n != 1 {
			t.Errorf("%s: the create was sent %d times", name, n)
		}
	}
}

// Keycloak checks domains without a constraint: two creates at once can both
// succeed, and then nobody of that domain signs in any more.
func TestACreateThatSharesADomainIsTakenBack(t *testing.T) {
	ours := stored("o1", "northstar", "Northstar", northstar.Marker(), "northstar.example")
	theirs := stored("o9", "tnt-b", "B", stranger, "northstar.example")
	s := play(t, map[string][]reply{
		listPath:   {{status: 200, body: `[]`}, {status: 200, body: "[" + ours + "," + theirs + "]"}},
		createPath: {created}, "GET " + onePath: {{status: 200, body: ours}}, "DELETE " + onePath: {{status: 204}},
	})
	_, err := s.backend(t, time.Now).Ensure(t.Context(), want(nil))
	if f := fault.From(err); f.Kind != fault.Terminal || f.Code != "identity.domain_taken" || s.count("DELETE "+onePath) != 1 {
		t.Errorf("got %+v after %v", f, s.calls)
	}
}
