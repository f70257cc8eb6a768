package engine_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/tenantplane/terraform-provider-tenant/internal/engine"
	"github.com/tenantplane/terraform-provider-tenant/internal/tenant"
)

func TestASuspendedTenantIsShutBeforeAnythingElseAndNotChangedOtherwise(t *testing.T) {
	d := installation()
	d.Suspended = true
	seen := alive(d)
	organization, record := oid("identity", "organization"), oid("domain", "record")
	stale := seen[organization]
	stale.Fields = tenant.Fields{"content": {"stale"}}
	seen[organization] = stale
	other := seen[record]
	other.Fields = tenant.Fields{"content": {"stale"}}
	seen[record] = other
	plan := engine.Converge(d, nil, seen, now)
	if diff := cmp.Diff([]string{"disable identity.organization", "disable database.schema", "update domain.record"}, ids(plan)); diff != "" {
		t.Error(diff)
	}
	for _, id := range []engine.ObjectID{organization, oid("database", "schema")} {
		s := seen[id]
		s.Disabled = true
		seen[id] = s
	}
	if diff := cmp.Diff([]string{"update domain.record"}, ids(engine.Converge(d, nil, seen, now))); diff != "" {
		t.Errorf("once it is shut: %s", diff)
	}
	d.Suspended = false
	if diff := cmp.Diff([]string{"update identity.organization", "update database.schema", "update domain.record"}, ids(engine.Converge(d, nil, seen, now))); diff != "" {
		t.Errorf("once it is resumed: %s", diff)
	}
}

func TestWhatLetsPeopleInIsNotMadeWhileTheTenantIsSuspended(t *testing.T) {
	d := installation()
	d.Suspended = true
	seen := alive(d)
	delete(seen, oid("identity", "organization"))
	delete(seen, oid("domain", "record"))
	plan := engine.Converge(d, nil, seen, now)
	if diff := cmp.Diff([]string{"disable database.schema"}, ids(plan)); diff != "" {
		t.Error(diff)
	}
	if diff := cmp.Diff([]engine.ObjectID{oid("identity", "organization"), oid("domain", "record")}, plan.Held); diff != "" {
		t.Errorf("held: %s", diff)
	}
}
