package executor_test

import (
	"bytes"
	"context"
	"crypto/rand"
	"encoding/json"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"sync"
	"testing"
	"time"

	"github.com/google/uuid"

	"github.com/tenantplane/terraform-provider-tenant/internal/backend"
	"github.com/tenantplane/terraform-provider-tenant/internal/backend/keycloak"
	"github.com/tenantplane/terraform-provider-tenant/internal/backend/localdir"
	"github.com/tenantplane/terraform-provider-tenant/internal/backend/powerdns"
	sqlitebackend "github.com/tenantplane/terraform-provider-tenant/internal/backend/sqlite"
	"github.com/tenantplane/terraform-provider-tenant/internal/backend/stripe"
	"github.com/tenantplane/terraform-provider-tenant/internal/clock"
	"github.com/tenantplane/terraform-provider-tenant/internal/component/billing"
	"github.com/tenantplane/terraform-provider-tenant/internal/component/database"
	"github.com/tenantplane/terraform-provider-tenant/internal/component/domain"
	"github.com/tenantplane/terraform-provider-tenant/internal/component/identity"
	"github.com/tenantplane/terraform-provider-tenant/internal/component/storage"
	"github.com/tenantplane/terraform-provider-tenant/internal/engine"
	"github.com/tenantplane/terraform-provider-tenant/internal/executor"
	"github.com/tenantplane/terraform-provider-tenant/internal/fault"
	"github.com/tenantplane/terraform-provider-tenant/internal/ledger"
	"github.com/tenantplane/terraform-provider-tenant/internal/ledger/sqlite"
	"github.com/tenantplane/terraform-provider-tenant/internal/sandbox"
	"github.com/tenantplane/terraform-provider-tenant/internal/tenant"
)

const (
	installation = tenant.Installation("prod")
	claim        = "the state of this test"
)

var begin = time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)

// stage is everything a pass works with: a ledger, the sandbox's identity,
// billing and DNS, databases and storage in a folder.
type stage struct {
	*executor.Executor
	t       *testing.T
	clock   *clock.Virtual
	admin   sandbox.Admin
	folder  string
	log     *journal
	options executor.Options
	// through wraps a component's backend, for faults no system can be asked for.
	through map[string]func(backend.Backend) backend.Backend
}

// journal keeps log lines written side by side.
type journal struct {
	mu sync.Mutex
	bytes.Buffer
}

func (j *journal) Write(p []byte) (int, error) {
	j.mu.Lock()
	defer j.mu.Unlock()
	return j.Buffer.Write(p)
}

func newStage(t *testing.T) *stage {
	t.Helper()
	s := &stage{t: t, clock: clock.NewVirtual(begin), folder: t.TempDir(), log: &journal{}, through: map[string]func(backend.Backend) backend.Backend{}}
	server, err := sandbox.Open(t.Context(), sandbox.Options{Path: s.path("sandbox.db"), Clock: s.clock})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = server.Close() })
	s.admin = sandbox.Admin{BaseURL: server.AdminURL()}
	store, err := sqlite.Open(t.Context(), s.path("ledger.db"), s.clock, rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = store.Close() })
	if err := store.AdoptInstallation(t.Context(), installation); err != nil {
		t.Fatal(err)
	}
	open := s.open(server)
	s.options = executor.Options{
		Ledger:     store,
		Components: []engine.Component{billing.Component{}, identity.Component{}, database.Component{}, storage.Component{}, domain.Component{}},
		Backends: func(component, _ string) (backend.Backend, *fault.Fault) {
			b := open[component]
			if wrap := s.through[component]; wrap != nil {
				b = wrap(b)
			}
			return b, nil
		},
		Regional: func(component string) bool { return component != "identity" && component != "billing" },
		Clock:    s.clock, NewID: uuid.NewString, Worker: "worker-1", Logger: slog.New(slog.NewJSONHandler(s.log, nil)),
	}
	s.Executor = executor.New(s.options)
	return s
}

// worker is another process over the same ledger; change may alter what it
// works with.
func (s *stage) worker(name string, change func(*executor.Options)) *executor.Executor {
	o := s.options
	o.Worker = name
	if change != nil {
		change(&o)
	}
	return executor.New(o)
}

func (s *stage) path(name string) string { return filepath.Join(s.folder, name) }

// open opens the real backends; a call that hangs ends after a second.
func (s *stage) open(server *sandbox.Server) map[string]backend.Backend {
	s.t.Helper()
	c := server.Credentials
	out := map[string]backend.Backend{}
	for _, name := range []string{"databases", "storage"} {
		if err := os.Mkdir(s.path(name), 0o755); err != nil {
			s.t.Fatal(err)
		}
	}
	for _, place := range []struct {
		driver  backend.Driver
		options map[string]string
	}{
		{keycloak.Driver(), map[string]string{"url": server.KeycloakURL(), "realm": c.KeycloakRealm, "client_id": c.KeycloakClientID, "client_secret": c.KeycloakClientSecret}},
		{stripe.Driver(), map[string]string{"url": server.StripeURL(), "api_key": c.StripeAPIKey}},
		{powerdns.Driver(), map[string]string{"url": server.PowerDNSURL(), "api_key": c.PowerDNSAPIKey}},
		{sqlitebackend.Driver(), map[string]string{"path": s.path("databases")}},
		{localdir.Driver(), map[string]string{"path": s.path("storage")}},
	} {
		opened, f := place.driver.Open(backend.Settings{
			Options: place.options, Path: place.driver.Component, Timeout: time.Second, Logger: slog.New(slog.DiscardHandler),
		})
		if f != nil {
			s.t.Fatal(f)
		}
		out[place.driver.Component] = opened
	}
	return out
}

// spec wants a tenant with everything, whose data is archived at its end.
func spec(id string) tenant.Spec {
	return tenant.Spec{
		Subject: tenant.Subject{Installation: installation, ID: tenant.ID(id), DisplayName: "Tenant " + id, Region: "us-east"},
		Components: map[string]json.RawMessage{
			"billing":  json.RawMessage(`{"plan":"pro","email":"ap@example.org","seats":5}`),
			"identity": json.RawMessage(fmt.Sprintf(`{"domains":["%s.example"]}`, id)),
			"database": json.RawMessage(`{"isolation":"schema"}`),
			"storage":  json.RawMessage(`{}`),
			"domain":   json.RawMessage(fmt.Sprintf(`{"hostname":"%s.example.com","target":"edge.example.net"}`, id)),
		},
		Deletion: tenant.Deletion{Data: tenant.ArchiveData, RetentionDays: 30},
	}
}

// apply converges and wants a status.
func (s *stage) apply(want tenant.Spec, status ledger.Status) executor.Outcome {
	s.t.Helper()
	outcome, err := s.Converge(s.t.Context(), executor.Request{Spec: want, Claim: claim})
	if err != nil {
		s.t.Fatal(err)
	}
	if outcome.Status != status {
		s.t.Fatalf("the tenant is %s, want %s: %v", outcome.Status, status, outcome.Faults)
	}
	return outcome
}

// destroy finalizes and wants the end.
func (s *stage) destroy(id tenant.ID) {
	s.t.Helper()
	outcome, err := s.Destroy(s.t.Context(), id, claim)
	if err != nil || outcome.Status != ledger.Deleted {
		s.t.Fatalf("destroy: %s %v %v", outcome.Status, outcome.Faults, err)
	}
}

// fault leaves a fault with the sandbox.
func (s *stage) fault(f sandbox.Fault) {
	s.t.Helper()
	if _, err := s.admin.AddFault(s.t.Context(), f); err != nil {
		s.t.Fatal(err)
	}
}

// wantHit wants every fault to have hit its call.
func (s *stage) wantHit() {
	s.t.Helper()
	left, err := s.admin.Faults(s.t.Context())
	if err != nil || len(left) > 0 {
		s.t.Errorf("faults that hit nothing: %v %v", left, err)
	}
}

// exists counts a tenant's living objects by kind.
func (s *stage) exists(id string) map[string]int {
	s.t.Helper()
	inventory, err := s.admin.Objects(context.Background(), sandbox.Filter{})
	if err != nil {
		s.t.Fatal(err)
	}
	counts := map[string]int{}
	for _, o := range inventory.Objects {
		if o.Tenant == id {
			counts[o.Kind]++
		}
	}
	for kind, pattern := range map[string]string{"database": "databases/tnt_" + id + "_*.db", "bucket": "storage/tnt-" + id + "-*"} {
		found, err := filepath.Glob(s.path(pattern))
		if err != nil {
			s.t.Fatal(err)
		}
		if len(found) > 0 {
			counts[kind] = len(found)
		}
	}
	return counts
}

var (
	oneOfEach = map[string]int{"organization": 1, "customer": 1, "subscription": 1, "rrset": 1, "database": 1, "bucket": 1}
	nothing   = map[string]int{}
)

// keys lists the idempotency keys of the Stripe calls to a path, in order.
func (s *stage) keys(path string) []string {
	s.t.Helper()
	lines, err := s.admin.Requests(s.t.Context(), 0)
	if err != nil {
		s.t.Fatal(err)
	}
	var keys []string
	for _, l := range lines {
		if l.Method == "POST" && l.Path == path {
			keys = append(keys, l.IdempotencyKey)
		}
	}
	return keys
}
