package storage

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/tenantplane/terraform-provider-tenant/internal/engine"
	"github.com/tenantplane/terraform-provider-tenant/internal/fault"
	"github.com/tenantplane/terraform-provider-tenant/internal/tenant"
)

var northstar = tenant.Subject{Installation: "acme", ID: "northstar-us", DisplayName: "Northstar", Region: "us-east"}

func TestOneTenantGetsOneBucketWithItsDerivedName(t *testing.T) {
	raw := json.RawMessage(`{"isolation":"bucket","versioning":true,"adopt":"matching"}`)
	objects, faults := Component{}.Compile(northstar, tenant.Deletion{Data: tenant.ArchiveData, RetentionDays: 90}, raw)
	if len(faults) > 0 {
		t.Fatalf("a valid spec was refused: %v", faults[0])
	}
	want := []engine.Object{{
		ID:           engine.ObjectID{Component: "storage", Object: "bucket"},
		Name:         "tnt-northstar-us-acme",
		Path:         "storage",
		Fields:       tenant.Fields{"name": {"tnt-northstar-us-acme"}, "versioning": {"true"}},
		Immutable:    []string{"name"},
		Adopt:        "matching",
		Finalization: engine.Finalization{Data: tenant.ArchiveData, RetentionDays: 90},
		Spec:         raw,
	}}
	if diff := cmp.Diff(want, objects); diff != "" {
		t.Errorf("objects (-want +got):\n%s", diff)
	}
}

func TestOnDestroyOverridesTheTenantsDataPolicy(t *testing.T) {
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
		{"purge", tenant.RetainData, tenant.DeleteData},
	} {
		raw, err := json.Marshal(Spec{OnDestroy: c.onDestroy})
		if err != nil {
			t.Fatal(err)
		}
		objects, faults := Component{}.Compile(northstar, tenant.Deletion{Data: c.deletion}, raw)
		if len(faults) > 0 {
			t.Fatalf("on_destroy %q was refused: %v", c.onDestroy, faults[0])
		}
		if got := objects[0].Finalization.Data; got != c.want {
			t.Errorf("on_destroy %q with deletion.data %q: got %q, want %q", c.onDestroy, c.deletion, got, c.want)
		}
	}
}

func TestEveryMistakeInASpecIsReportedAtItsPath(t *testing.T) {
	raw := json.RawMessage(`{"isolation":"prefix","on_destroy":"keep","adopt":"yes"}`)
	_, faults := Component{}.Compile(northstar, tenant.Deletion{}, raw)
	var paths []string
	for _, f := range faults {
		if f.Kind != fault.Terminal || f.Action == "" {
			t.Errorf("%v: want a terminal fault that says what to do", f)
		}
		paths = append(paths, f.Path)
	}
	want := []string{"storage.isolation", "storage.on_destroy", "storage.adopt"}
	if diff := cmp.Diff(want, paths); diff != "" {
		t.Errorf("paths (-want +got):\n%s", diff)
	}
	if _, faults := (Component{}).Compile(northstar, tenant.Deletion{}, json.RawMessage(`{"versioning":3}`)); len(faults) != 1 || !strings.Contains(faults[0].Found, "cannot be read") {
		t.Errorf("a malformed spec gave %v", faults)
	}
}
