package drift_test

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/tenantplane/terraform-provider-tenant/internal/drift"
)

// found names what a plan holds: "address field", "address !" for unhealthy,
// "address ?" for unread.
func found(t *testing.T, plan string) []string {
	t.Helper()
	tenants, err := drift.ReadPlan([]byte(plan))
	if err != nil {
		t.Fatal(err)
	}
	out := []string{}
	for _, tenant := range tenants {
		for _, d := range tenant.Drifts {
			out = append(out, strings.TrimSpace(tenant.Tenant+" "+d.Field))
		}
		for range tenant.Unhealthy {
			out = append(out, tenant.Tenant+" !")
		}
		for range tenant.Unread {
			out = append(out, tenant.Tenant+" ?")
		}
	}
	return out
}

func TestC67_C68_APlanIsReadForWhatItSaysAndNotForItsExitCode(t *testing.T) {
	for name, c := range map[string]struct {
		plan string
		want []string
	}{
		"nothing": {`{"format_version":"1.2"}`, []string{}},
		"a drift entry whose before equals its after": {
			`{"format_version":"1.2","resource_drift":[{"address":"tenant.a","mode":"managed","change":{"actions":["update"],"before":{"x":[1]},"after":{"x":[1]},"after_unknown":{}}}]}`, []string{},
		},
		"one field of two": {
			`{"format_version":"1.2","resource_drift":[{"address":"tenant.a","mode":"managed","change":{"actions":["update"],"before":{"x":1,"y":1},"after":{"x":1,"y":2},"after_unknown":{}}}]}`, []string{"tenant.a y"},
		},
		"the same field as drift and as change": {
			`{"format_version":"1.2","resource_drift":[{"address":"tenant.a","mode":"managed","change":{"actions":["update"],"before":{"y":1},"after":{"y":2},"after_unknown":{}}}],
			  "resource_changes":[{"address":"tenant.a","mode":"managed","change":{"actions":["update"],"before":{"y":2},"after":{"y":1},"after_unknown":{}}}]}`, []string{"tenant.a y"},
		},
		"an output alone": {
			`{"format_version":"1.2","resource_changes":[{"address":"tenant.a","mode":"managed","change":{"actions":["no-op"],"before":{"y":1},"after":{"y":1},"after_unknown":{}}}],
			  "output_changes":{"o":{"actions":["update"],"before":1,"after":2}}}`, []string{},
		},
		"a creation": {`{"format_version":"1.2","resource_changes":[{"address":"tenant.a","mode":"managed","change":{"actions":["create"],"before":null,"after":{"y":1},"after_unknown":{}}}]}`, []string{"tenant.a"}},
		"a value that only the apply knows": {
			`{"format_version":"1.2","resource_changes":[{"address":"tenant.a","mode":"managed","change":{"actions":["update"],"before":{"y":{"z":1}},"after":{"y":{}},"after_unknown":{"y":{"z":true}}}}]}`, []string{"tenant.a y"},
		},
		"a data source":    {`{"format_version":"1.2","resource_changes":[{"address":"data.x.a","mode":"data","change":{"actions":["read"],"before":null,"after":{"y":1},"after_unknown":{}}}]}`, []string{}},
		"a failed check":   {`{"format_version":"1.2","checks":[{"address":{"to_display":"check.ready"},"status":"fail","instances":[{"problems":[{"message":"not ready"}]}]}]}`, []string{"check.ready !"}},
		"a check in doubt": {`{"format_version":"1.2","checks":[{"address":{"to_display":"check.ready"},"status":"unknown"}]}`, []string{}},
		"an errored plan":  {`{"format_version":"1.2","errored":true}`, []string{"(plan) ?"}},
		"a deferred plan":  {`{"format_version":"1.2","complete":false}`, []string{"(plan) ?"}},
	} {
		t.Run(name, func(t *testing.T) {
			if diff := cmp.Diff(c.want, found(t, c.plan)); diff != "" {
				t.Error(diff)
			}
		})
	}
}

func TestWhatIsNoPlanIsNotReadAsOneWithoutDrift(t *testing.T) {
	for _, content := range []string{"", "{}", "[]", `{"format_version":"2.0"}`, "<html>", `{"format_version":"1.2"`} {
		if got, err := drift.ReadPlan([]byte(content)); err == nil {
			t.Errorf("%q was read as %v", content, got)
		}
	}
}

func FuzzReadPlan(f *testing.F) {
	f.Add([]byte(`{"format_version":"1.2","resource_drift":[{"change":{"before":{},"after":{"x":[{"y":null}]},"after_unknown":{"x":[{"y":true}]}}}]}`))
	f.Fuzz(func(_ *testing.T, content []byte) { _, _ = drift.ReadPlan(content) })
}
