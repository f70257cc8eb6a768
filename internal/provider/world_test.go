package provider_test

import (
	"context"
	"fmt"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/hashicorp/terraform-plugin-framework/providerserver"
	"github.com/hashicorp/terraform-plugin-go/tfprotov6"
	"github.com/hashicorp/terraform-plugin-testing/helper/resource"

	"github.com/tenantplane/terraform-provider-tenant/internal/acctest"
	"github.com/tenantplane/terraform-provider-tenant/internal/provider"
	"github.com/tenantplane/terraform-provider-tenant/internal/sandbox"
)

// worlds numbers the worlds, so that none meets another on a shared server.
var worlds atomic.Int64

// world is one installation: a provider block and what stands behind it.
type world struct {
	settings
	t       *testing.T
	zone    string
	sandbox *sandbox.Server
	admin   sandbox.Admin
	// Real servers; nil where the sandbox serves.
	postgres *acctest.PostgresServer
	powerDNS *acctest.PowerDNSServer
	s3       *acctest.S3Server
}

// inSandbox is a world where the sandbox serves everything.
func inSandbox(t *testing.T) *world {
	t.Helper()
	folder := t.TempDir()
	w := &world{t: t, zone: fmt.Sprintf("world%d.example", worlds.Add(1))}
	w.settings = settings{
		installation: "inst" + strings.TrimSuffix(strings.TrimPrefix(w.zone, "world"), ".example") + "x",
		ledger:       filepath.Join(folder, "ledger.db"),
		sandbox:      filepath.Join(folder, "sandbox"),
		zones:        []string{w.zone}, plans: []string{"starter", "pro"},
		region: "us-east",
	}
	w.openSandbox()
	return w
}

// onRealServers is a world on PostgreSQL, PowerDNS and S3, with identity and
// billing from the sandbox.
func onRealServers(t *testing.T) *world {
	t.Helper()
	w := inSandbox(t)
	postgres, powerDNS, s3 := acctest.Postgres(t), acctest.PowerDNS(t, w.zone), acctest.S3(t)
	w.postgres, w.powerDNS, w.s3 = &postgres, &powerDNS, &s3
	w.databaseURL = postgres.NewDatabase(t)
	w.dnsURL, w.dnsKey = powerDNS.URL, powerDNS.APIKey
	w.s3Endpoint, w.s3AccessKey, w.s3SecretKey = s3.Endpoint, s3.AccessKey, s3.SecretKey
	return w
}

func (w *world) openSandbox() {
	w.t.Helper()
	// The provider makes the folder; whoever comes first fills the state.
	config := provider.SandboxConfig{Path: w.settings.sandbox, Zones: w.zones, Plans: w.plans}
	session, err := provider.Program{}.Open(context.Background(), provider.Config{Ledger: provider.LedgerConfig{Path: w.ledger}, Installation: w.installation, Sandbox: &config})
	if err != nil {
		w.t.Fatal(err)
	}
	if err := session.Close(); err != nil {
		w.t.Fatal(err)
	}
	w.sandbox, err = sandbox.Open(context.Background(), provider.SandboxOptions(config))
	if err != nil {
		w.t.Fatal(err)
	}
	w.t.Cleanup(func() { _ = w.sandbox.Close() })
	w.admin = sandbox.Admin{BaseURL: w.sandbox.AdminURL()}
}

// acme declares a whole tenant.
func (w *world) acme() declaration {
	return declaration{
		id: "acme", name: "Acme Robotics", region: w.region,
		identity: `{ domains = ["acme.example"] }`,
		billing:  `{ plan = "pro", email = "ap@acme.example", seats = 5 }`,
		database: `{}`,
		storage:  `{}`,
		domain:   fmt.Sprintf(`{ hostname = "acme.%s", target = "edge.example.net" }`, w.zone),
		deletion: `{ data = "delete" }`,
		// What cannot be done is not to be tried for long.
		timeouts: `{ create = "30s", update = "15s", delete = "15s" }`,
	}
}

// config is a whole configuration.
func (w *world) config(declarations ...declaration) string {
	text := w.providerBlock()
	for _, d := range declarations {
		text += d.resourceBlock()
	}
	return text
}

// run runs the steps of a test case; it ends with a destroy.
func run(t *testing.T, steps ...resource.TestStep) {
	t.Helper()
	resource.UnitTest(t, resource.TestCase{ProtoV6ProviderFactories: factories(), Steps: steps})
}

func factories() map[string]func() (tfprotov6.ProviderServer, error) {
	return map[string]func() (tfprotov6.ProviderServer, error){
		"tenant": providerserver.NewProtocol6WithError(provider.New(provider.Program{Version: "test"})()),
	}
}
