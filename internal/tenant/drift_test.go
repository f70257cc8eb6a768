package tenant_test

import (
	"testing"

	"github.com/tenantplane/terraform-provider-tenant/internal/tenant"
)

func TestAComponentsOwnDriftPolicyOutranksTheTenants(t *testing.T) {
	d := tenant.Drift{Policy: tenant.RepairDrift, Components: map[string]tenant.DriftPolicy{"billing": tenant.ReportDrift}}
	for component, want := range map[string]tenant.DriftPolicy{"billing": tenant.ReportDrift, "domain": tenant.RepairDrift} {
		if got := d.PolicyFor(component); got != want {
			t.Errorf("%s: %s, want %s", component, got, want)
		}
	}
	if got := (tenant.Drift{}).PolicyFor("domain"); got != tenant.ReportDrift {
		t.Errorf("without a policy: %s", got)
	}
}

func TestAnIgnoredPathCoversWhatIsBelowItAndNothingBeside(t *testing.T) {
	for _, test := range []struct {
		ignore, component, object, field string
		want                             bool
	}{
		{"domain.record.ttl", "domain", "record", "ttl", true},
		{"domain.record.ttl", "domain", "record", "values", false},
		{"domain.record.ttl", "domain", "record", "", false},
		{"domain.record.ttl", "domain", "record", "ttl_seconds", false},
		{"domain.record", "domain", "record", "ttl", true},
		{"domain.record", "domain", "record", "", true},
		{"domain.record", "domain", "record2", "ttl", false},
		{"domain", "domain", "record", "ttl", true},
		{"domain", "domains", "record", "ttl", false},
	} {
		d := tenant.Drift{Ignore: []string{"other.thing", test.ignore}}
		if got := d.Ignores(test.component, test.object, test.field); got != test.want {
			t.Errorf("%q ignores %s.%s.%s: %v, want %v", test.ignore, test.component, test.object, test.field, got, test.want)
		}
	}
}

func TestASpecWithoutNewDriftSettingsKeepsItsFingerprint(t *testing.T) {
	with := func(d tenant.Drift) string {
		fingerprint, err := tenant.Spec{Drift: d}.Fingerprint()
		if err != nil {
			t.Fatal(err)
		}
		return fingerprint
	}
	if got := with(tenant.Drift{}); got != with(tenant.Drift{Components: map[string]tenant.DriftPolicy{}, Ignore: []string{}}) {
		t.Error("empty settings are another spec")
	}
	if with(tenant.Drift{}) == with(tenant.Drift{Ignore: []string{"domain"}}) {
		t.Error("an ignored path is the same spec")
	}
}
