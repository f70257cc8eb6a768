package tenant_test

import (
	"encoding/json"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/tenantplane/terraform-provider-tenant/internal/tenant"
)

func TestAnIdempotencyKeyTellsLivesAndAttemptsApart(t *testing.T) {
	for want, got := range map[string]string{
		"prod/acme/billing.customer/e1":    tenant.Key("prod", "acme", "billing", "customer", 1, 1),
		"prod/acme/billing.customer/e2":    tenant.Key("prod", "acme", "billing", "customer", 2, 1),
		"prod/acme/billing.customer/e2/a3": tenant.Key("prod", "acme", "billing", "customer", 2, 3),
	} {
		if got != want {
			t.Errorf("key %q, want %q", got, want)
		}
	}
}

func TestAMarkerSurvivesBothOfItsForms(t *testing.T) {
	m := tenant.Marker{Installation: "prod", Tenant: "acme", Region: "us-east"}
	if got := tenant.ParseMarker(m.String()); got != m {
		t.Errorf("ParseMarker(%q) = %+v", m, got)
	}
	if got := tenant.MarkerFromPairs(m.Pairs()); got != m {
		t.Errorf("MarkerFromPairs = %+v", got)
	}
}

func TestWhatIsNoMarkerIsTheZeroMarker(t *testing.T) {
	for _, text := range []string{"", "made by hand", "tenant:", "tenant:prod", "tenant:prod/acme", "tenant://x", "tenant:a/b/c/d", "Tenant:prod/acme/us"} {
		if got := tenant.ParseMarker(text); !got.IsZero() {
			t.Errorf("ParseMarker(%q) = %+v", text, got)
		}
	}
	if got := tenant.MarkerFromPairs(map[string]string{tenant.MarkerTenant: "acme", "team": "x"}); !got.IsZero() {
		t.Errorf("half a marker counts as one: %+v", got)
	}
}

func TestDiffLooksOnlyAtWhatIsWanted(t *testing.T) {
	have := tenant.Fields{"name": {"a"}, "ttl": {"300"}, "extra": {"x"}, "values": {"1", "2"}}
	want := tenant.Fields{"name": {"a"}, "ttl": {"60"}, "values": {"1"}, "new": {"y"}}
	changes := []tenant.Change{
		{Field: "new", From: nil, To: []string{"y"}},
		{Field: "ttl", From: []string{"300"}, To: []string{"60"}},
		{Field: "values", From: []string{"1", "2"}, To: []string{"1"}},
	}
	if diff := cmp.Diff(changes, have.Diff(want)); diff != "" {
		t.Error(diff)
	}
	if got := have.Diff(have.Clone()); len(got) != 0 {
		t.Errorf("a copy differs: %+v", got)
	}
}

func TestFingerprintsAreEqualExactlyForEqualFields(t *testing.T) {
	fields := rapid.Custom(func(t *rapid.T) tenant.Fields {
		f := tenant.Fields{}
		for name, values := range rapid.MapOf(rapid.StringMatching(`[a-c]`), rapid.SliceOfN(rapid.String(), 1, 3)).Draw(t, "fields") {
			f.Set(name, values...)
		}
		return f
	})
	rapid.Check(t, func(t *rapid.T) {
		a, b := fields.Draw(t, "a"), fields.Draw(t, "b")
		if (a.Fingerprint() == b.Fingerprint()) != cmp.Equal(a, b) {
			t.Fatalf("%q and %q", a, b)
		}
		if a.Fingerprint() != a.Clone().Fingerprint() {
			t.Fatalf("a copy of %q has another fingerprint", a)
		}
	})
}

func TestASpecsFingerprintChangesWithEveryPartOfIt(t *testing.T) {
	spec := func(edit func(*tenant.Spec)) string {
		s := tenant.Spec{
			Subject:    tenant.Subject{Installation: "prod", ID: "acme", DisplayName: "Acme", Region: "us"},
			Components: map[string]json.RawMessage{"billing": json.RawMessage(`{"plan":"pro"}`)},
		}
		edit(&s)
		text, err := s.Fingerprint()
		if err != nil {
			t.Fatal(err)
		}
		return text
	}
	seen := map[string]string{}
	for label, edit := range map[string]func(*tenant.Spec){
		"nothing":    func(*tenant.Spec) {},
		"name":       func(s *tenant.Spec) { s.Subject.DisplayName = "Acme Inc" },
		"component":  func(s *tenant.Spec) { s.Components["billing"] = json.RawMessage(`{"plan":"starter"}`) },
		"dropped":    func(s *tenant.Spec) { delete(s.Components, "billing") },
		"protection": func(s *tenant.Spec) { s.Deletion.Protection = true },
		"drift":      func(s *tenant.Spec) { s.Drift.Policy = tenant.RepairDrift },
	} {
		print := spec(edit)
		if other, taken := seen[print]; taken {
			t.Errorf("%q and %q have the same fingerprint", label, other)
		}
		seen[print] = label
	}
}
