package billing

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/tenantplane/terraform-provider-tenant/internal/engine"
	"github.com/tenantplane/terraform-provider-tenant/internal/tenant"
)

var northstar = tenant.Subject{Installation: "acme", ID: "northstar-us", DisplayName: "Northstar Health (US)", Region: "us-east"}

func TestASpecBecomesACustomerAndItsSubscription(t *testing.T) {
	raw := json.RawMessage(`{"plan":"pro","email":"AP@Northstar.Example","seats":100}`)
	got, faults := Component{}.Compile(northstar, tenant.Deletion{}, raw)
	if len(faults) > 0 {
		t.Fatal(faults)
	}
	want := []engine.Object{{
		ID: CustomerID, Path: "billing", Spec: raw,
		Fields:       tenant.Fields{"name": {"Northstar Health (US)"}, "email": {"AP@northstar.example"}},
		Finalization: engine.Finalization{Last: true},
	}, {
		ID: SubscriptionID, Path: "billing", Spec: raw,
		Fields:       tenant.Fields{"plan": {"pro"}, "seats": {"100"}, "items": {"1"}},
		Needs:        []engine.ObjectID{CustomerID},
		Finalization: engine.Finalization{Billable: true},
	}}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
}

func TestWhatIsLeftOutHasADefault(t *testing.T) {
	nameless := northstar
	nameless.DisplayName = ""
	got, faults := Component{}.Compile(nameless, tenant.Deletion{}, json.RawMessage(`{"plan":"pro","email":"a@b.example"}`))
	if len(faults) > 0 {
		t.Fatal(faults)
	}
	if name := got[0].Fields.Get(FieldName); name != "northstar-us" {
		t.Errorf("name is %q, want the tenant id", name)
	}
	if seats := got[1].Fields.Get(FieldSeats); seats != "1" {
		t.Errorf("seats are %s, want 1", seats)
	}
}

func TestMistakesAreNamedByTheirPath(t *testing.T) {
	long := northstar
	long.DisplayName = strings.Repeat("ü", MaxNameLength+1)
	for _, tc := range []struct {
		subject    tenant.Subject
		spec       string
		code, path string
	}{
		{northstar, `{"plan":"","email":"a@b.example"}`, "billing.plan_invalid", "billing.plan"},
		{northstar, `{"plan":" pro","email":"a@b.example"}`, "billing.plan_invalid", "billing.plan"},
		{northstar, `{"plan":"pro\nmax","email":"a@b.example"}`, "billing.plan_invalid", "billing.plan"},
		{northstar, `{"plan":"` + strings.Repeat("p", MaxPlanLength+1) + `","email":"a@b.example"}`, "billing.plan_invalid", "billing.plan"},
		{northstar, `{"plan":"pro","email":""}`, "billing.email_invalid", "billing.email"},
		{northstar, `{"plan":"pro","email":"nobody"}`, "billing.email_invalid", "billing.email"},
		{northstar, `{"plan":"pro","email":"a@b.example","seats":0}`, "billing.seats_invalid", "billing.seats"},
		{northstar, `{"plan":"pro","email":"a@b.example","seats":-1}`, "billing.seats_invalid", "billing.seats"},
		{northstar, `{"plan":"pro","email":"a@b.example","seats":1000001}`, "billing.seats_invalid", "billing.seats"},
		{northstar, `{"plan":7}`, "billing.spec_malformed", "billing"},
		{long, `{"plan":"pro","email":"a@b.example"}`, "billing.name_too_long", "billing"},
	} {
		objects, faults := Component{}.Compile(tc.subject, tenant.Deletion{}, json.RawMessage(tc.spec))
		if len(faults) != 1 || objects != nil {
			t.Errorf("%s: got %v and %v, want one fault", tc.spec, objects, faults)
			continue
		}
		if f := faults[0]; f.Code != tc.code || f.Path != tc.path || f.Found == "" || f.Action == "" {
			t.Errorf("%s: got %s at %s (%v), want %s at %s", tc.spec, f.Code, f.Path, f, tc.code, tc.path)
		}
	}
}

func TestAllMistakesAreNamedAtOnce(t *testing.T) {
	_, faults := Component{}.Compile(northstar, tenant.Deletion{}, json.RawMessage(`{"seats":0}`))
	if len(faults) != 3 {
		t.Errorf("got %v, want faults for plan, seats and email", faults)
	}
}

func TestEmailsHaveOneSpelling(t *testing.T) {
	for written, want := range map[string]string{
		"ap@northstar.example":      "ap@northstar.example",
		"AP@NORTHSTAR.Example":      "AP@northstar.example",
		"o'neil+x@bücher.example":   "o'neil+x@xn--bcher-kva.example",
		"a.b@xn--bcher-kva.example": "a.b@xn--bcher-kva.example",
	} {
		got, err := CanonicalEmail(written)
		if err != nil || got != want {
			t.Errorf("CanonicalEmail(%q) = %q, %v; want %q", written, got, err, want)
		}
		if again, err := CanonicalEmail(got); err != nil || again != got {
			t.Errorf("CanonicalEmail(%q) = %q, %v; want it unchanged", got, again, err)
		}
	}
	for _, written := range []string{
		"", "x", "@b.example", "a@", "a@localhost", "a@b..example", "a@b.example.", "a b@c.example", "a@@b.example",
		".a@b.example", "a.@b.example", "a..b@c.example", `"a b"@c.example`, "A <a@b.example>", "ä@b.example",
		"a@b.example,c@d.example", "a@b.example\r\nBcc: x@y.example", "a@-b.example",
		strings.Repeat("a", 65) + "@b.example", "a@" + strings.Repeat("b.", 130) + "example",
	} {
		if got, err := CanonicalEmail(written); err == nil {
			t.Errorf("CanonicalEmail(%q) = %q, want an error", written, got)
		}
	}
}

func TestAStrangersEmailStandsAsItIs(t *testing.T) {
	if got := CustomerContent(" x ", "not an address"); got.Get(FieldEmail) != "not an address" || got.Get(FieldName) != "x" {
		t.Errorf("got %v", got)
	}
}
