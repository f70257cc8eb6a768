package executor_test

import (
	"crypto/rand"
	"encoding/json"
	"strings"
	"testing"

	"github.com/tenantplane/terraform-provider-tenant/internal/acctest"
	"github.com/tenantplane/terraform-provider-tenant/internal/backend/powerdns"
	"github.com/tenantplane/terraform-provider-tenant/internal/engine"
	"github.com/tenantplane/terraform-provider-tenant/internal/executor"
	"github.com/tenantplane/terraform-provider-tenant/internal/fault"
	"github.com/tenantplane/terraform-provider-tenant/internal/ledger"
	"github.com/tenantplane/terraform-provider-tenant/internal/ledger/sqlite"
	"github.com/tenantplane/terraform-provider-tenant/internal/tenant"
)

const c13Zone = "c13.example"

// tenantIn is the spec of a tenant that is nothing but a record in the zone.
func tenantIn(owner tenant.Installation, id, host string) tenant.Spec {
	return tenant.Spec{
		Subject:    tenant.Subject{Installation: owner, ID: tenant.ID(id), DisplayName: id, Region: "us-east"},
		Components: map[string]json.RawMessage{"domain": json.RawMessage(`{"hostname":"` + host + `.` + c13Zone + `","target":"edge-` + string(owner) + `.example.net"}`)},
	}
}

// neighbour is a stage with a ledger of its own installation, and domains on
// the real server.
func neighbour(t *testing.T, server acctest.PowerDNSServer, owner tenant.Installation) *stage {
	t.Helper()
	s := newStage(t)
	store, err := sqlite.Open(t.Context(), s.path(string(owner)+".db"), s.clock, rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = store.Close() })
	if err := store.AdoptInstallation(t.Context(), owner); err != nil {
		t.Fatal(err)
	}
	s.options.Ledger, s.options.Components = store, s.options.Components[len(s.options.Components)-1:]
	s.Executor = executor.New(s.options)
	s.replace("domain", powerdns.Driver(), map[string]string{"url": server.URL, "api_key": server.APIKey})
	return s
}

func TestC13_TwoInstallationsInOneZoneLeaveEachOthersRecordsAlone(t *testing.T) {
	server := acctest.PowerDNS(t, c13Zone)
	east, west := neighbour(t, server, "east"), neighbour(t, server, "west")
	east.apply(tenantIn("east", "acme", "acme"), ledger.Ready)
	west.apply(tenantIn("west", "globex", "globex"), ledger.Ready)
	before := zone(t, server)
	for range 3 {
		for s, id := range map[*stage]tenant.ID{east: "acme", west: "globex"} {
			if outcome, err := s.Pass(t.Context(), id, claim); err != nil || outcome.Status != ledger.Ready {
				t.Errorf("%s: %s %v, %v", id, outcome.Status, outcome.Faults, err)
			}
		}
	}
	if after := zone(t, server); after != before {
		t.Errorf("three passes each turned\n%s\ninto\n%s", before, after)
	}

	// The same name, and even the same tenant id: the installation decides.
	clash := tenantIn("west", "acme", "acme")
	for range 3 {
		outcome := west.apply(clash, ledger.Blocked)
		wantForeign(t, outcome.Faults, "tenant:east/acme")
	}
	if log := west.log.String(); !strings.Contains(log, `"foreign owner"`) || !strings.Contains(log, "tenant:east/acme") {
		t.Errorf("the log does not name the foreign owner:\n%s", log)
	}
	west.destroy("acme")
	if after := zone(t, server); after != before {
		t.Errorf("the clash and its end turned\n%s\ninto\n%s", before, after)
	}
	east.destroy("acme")
	if after := zone(t, server); strings.Contains(after, "edge-east") || !strings.Contains(after, "edge-west") {
		t.Errorf("after east's destroy the zone is\n%s", after)
	}
}

func wantForeign(t *testing.T, faults []engine.ObjectFault, owner string) {
	t.Helper()
	if len(faults) != 1 || faults[0].Fault.Kind != fault.Conflict || !strings.Contains(faults[0].Fault.Error(), owner) {
		t.Errorf("faults %v, want one conflict that names %s", faults, owner)
	}
}

// zone is all records with their comments, the serial number included.
func zone(t *testing.T, server acctest.PowerDNSServer) string {
	t.Helper()
	_, answer, err := server.Call("GET", "/zones/"+c13Zone+".", nil)
	if err != nil {
		t.Fatal(err)
	}
	return string(answer)
}
