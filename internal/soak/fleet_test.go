package soak

import (
	"crypto/rand"
	"encoding/json"
	"fmt"
	mathrand "math/rand/v2"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/google/uuid"
	"golang.org/x/sync/errgroup"

	"github.com/tenantplane/terraform-provider-tenant/internal/acctest"
	"github.com/tenantplane/terraform-provider-tenant/internal/ledger"
	"github.com/tenantplane/terraform-provider-tenant/internal/ledger/postgres"
	"github.com/tenantplane/terraform-provider-tenant/internal/sandbox"
	"github.com/tenantplane/terraform-provider-tenant/internal/tenant"
)

const (
	installation = "soak"
	claim        = "the soak"
	// billedShare is the part of the fleet that has billing: one of so many. A
	// customer is looked for in the whole list of customers, so that a fleet with
	// billing takes the square of its size in calls.
	billedShare = 20
)

// fleet is the ledger with its tenants, and the systems they live in.
type fleet struct {
	t       *testing.T
	size    int
	random  *mathrand.Rand
	folder  string
	store   ledger.Store
	admin   sandbox.Admin
	weather *weather

	// generation counts what is written into display names.
	generation                         int
	changed, drifted, suspended, ended int
	newcomers                          map[tenant.ID]time.Time
	waited                             []time.Duration
	deleted                            map[tenant.ID]bool
	off                                map[tenant.ID]bool
}

func newFleet(t *testing.T, size int, random *mathrand.Rand) *fleet {
	t.Helper()
	f := &fleet{
		t: t, size: size, random: random, folder: t.TempDir(), newcomers: map[tenant.ID]time.Time{}, deleted: map[tenant.ID]bool{},
		off: map[tenant.ID]bool{}, weather: &weather{random: mathrand.New(mathrand.NewPCG(random.Uint64(), 7))},
	}
	url := acctest.Postgres(t).NewDatabase(t)
	server, err := sandbox.Open(t.Context(), sandbox.Options{Path: filepath.Join(f.folder, "sandbox.db"), Zones: zones(size)})
	f.must(err)
	t.Cleanup(func() { _ = server.Close() })
	f.admin = sandbox.Admin{BaseURL: server.AdminURL()}
	f.store, err = postgres.Open(t.Context(), url, rand.Reader)
	f.must(err)
	t.Cleanup(func() { _ = f.store.Close() })
	f.must(f.store.AdoptInstallation(t.Context(), installation))
	f.must(os.Mkdir(filepath.Join(f.folder, "storage"), 0o700))
	c := server.Credentials
	config := fmt.Sprintf(`provider "tenant" {
  installation = %q
  ledger       = { url = %q }
  identity     = { keycloak = { url = %q, realm = %q, client_id = %q, client_secret = %q } }
  billing      = { stripe = { url = %q, api_key = %q } }
  regions = { r = {
    storage = { localdir = { path = "storage" } }
    domain  = { powerdns = { url = %q, api_key = %q } }
  } }
  events = { sinks = { log = { file = { path = "events.ndjson" }, backlog = true } } }
}
`, installation, url, f.weather.front(t, server.KeycloakURL()), c.KeycloakRealm, c.KeycloakClientID, c.KeycloakClientSecret,
		f.weather.front(t, server.StripeURL()), c.StripeAPIKey, f.weather.front(t, server.PowerDNSURL()), c.PowerDNSAPIKey)
	f.must(os.WriteFile(filepath.Join(f.folder, "main.tf"), []byte(config), 0o600))
	return f
}

func (f *fleet) must(err error) {
	f.t.Helper()
	if err != nil {
		f.t.Fatal(err)
	}
}

// perZone is how many tenants share a DNS zone: PowerDNS 4.7 answers a read of
// one name with the comments of its whole zone, and our markers are comments.
const perZone = 100

func zone(n int) string { return fmt.Sprintf("z%d.example", n/perZone) }

// zones are those of a fleet with room for newcomers.
func zones(size int) []string {
	var out []string
	for n := 0; n < 2*size; n += perZone {
		out = append(out, zone(n))
	}
	return out
}

func id(n int) tenant.ID { return tenant.ID(fmt.Sprintf("t%05d", n)) }

// isBilled tells whether the nth tenant has billing.
func isBilled(n int) bool { return n%billedShare == 0 }

func (f *fleet) spec(n int) tenant.Spec {
	components := map[string]json.RawMessage{
		"identity": json.RawMessage(fmt.Sprintf(`{"domains":["%s.example"]}`, id(n))),
		"storage":  json.RawMessage(`{}`),
		"domain":   json.RawMessage(fmt.Sprintf(`{"hostname":"%s.%s","target":"edge.example.net"}`, id(n), zone(n))),
	}
	if isBilled(n) {
		components["billing"] = json.RawMessage(fmt.Sprintf(`{"plan":"pro","email":"ap@%s.example","seats":5}`, id(n)))
	}
	return tenant.Spec{
		Subject:    tenant.Subject{Installation: installation, ID: id(n), DisplayName: fmt.Sprintf("Tenant %d, %d", n, f.generation), Region: "r"},
		Components: components, Deletion: tenant.Deletion{Data: tenant.DeleteData}, Drift: tenant.Drift{Policy: tenant.RepairDrift},
	}
}

func (f *fleet) declare(n int) error {
	_, err := f.store.Declare(f.t.Context(), ledger.Declaration{Spec: f.spec(n), Claim: claim, CorrelationID: uuid.NewString(), EventID: uuid.NewString()})
	return err
}

func (f *fleet) declareAll() {
	f.t.Helper()
	var group errgroup.Group
	group.SetLimit(6)
	for n := range f.size {
		group.Go(func() error { return f.declare(n) })
	}
	f.must(group.Wait())
}

// endure lets things happen until the time is over.
func (f *fleet) endure(w *workers, long time.Duration) {
	f.t.Helper()
	end, nextKill, nextStorm := time.Now().Add(long), time.Now().Add(5*time.Second), time.Now().Add(10*time.Second)
	for time.Now().Before(end) {
		time.Sleep(300 * time.Millisecond)
		f.disturb()
		now := time.Now()
		if now.After(nextKill) {
			w.kill(f.random.IntN(workerCount))
			nextKill = now.Add(time.Duration(3+f.random.IntN(8)) * time.Second)
		}
		if now.After(nextStorm) {
			f.weather.storm(time.Duration(1+f.random.IntN(6)) * time.Second)
			nextStorm = now.Add(time.Duration(20+f.random.IntN(30)) * time.Second)
		}
		f.greetNewcomers()
	}
}

// disturb lets one thing happen to one tenant.
func (f *fleet) disturb() {
	f.t.Helper()
	n := f.random.IntN(f.size)
	if f.deleted[id(n)] {
		return
	}
	switch dice := f.random.IntN(100); {
	case dice < 40:
		f.generation++
		f.changed++
		f.must(f.declare(n))
	case dice < 55:
		row, err := f.store.Tenant(f.t.Context(), id(n))
		f.must(err)
		if row.Status == ledger.Ready {
			f.drifted++
			f.must(f.admin.PutRecords(f.t.Context(), zone(n)+".", string(id(n))+"."+zone(n)+".", "CNAME",
				sandbox.RecordSet{TTL: 300, Contents: []string{"elsewhere.example.net."}}))
		}
	case dice < 65 && f.off[id(n)]:
		_, err := f.store.Resume(f.t.Context(), id(n), nil)
		f.must(err)
		f.off[id(n)] = false
	case dice < 65:
		row, err := f.store.Tenant(f.t.Context(), id(n))
		f.must(err)
		if row.ObservedGeneration == 0 {
			return // who is suspended before he was ever let in has nothing to be shut
		}
		f.suspended++
		_, err = f.store.Suspend(f.t.Context(), id(n), "unpaid", nil)
		f.must(err)
		f.off[id(n)] = true
	case dice < 75 && f.ended < f.size/20:
		f.ended++
		_, err := f.store.BeginDeletion(f.t.Context(), id(n), claim, nil)
		f.must(err)
		f.deleted[id(n)] = true
	case dice < 85 && len(f.newcomers)+len(f.waited) < f.size/10:
		f.must(f.declare(f.size))
		f.newcomers[id(f.size)] = time.Now()
		f.size++
	}
}

// greetNewcomers notes how long new tenants waited until they were ready.
func (f *fleet) greetNewcomers() {
	f.t.Helper()
	for one, since := range f.newcomers {
		row, err := f.store.Tenant(f.t.Context(), one)
		f.must(err)
		if row.ObservedGeneration > 0 {
			f.waited = append(f.waited, time.Since(since))
			delete(f.newcomers, one)
		}
		return // one a round is enough
	}
}
