package e2e_test

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"net/url"
	"path/filepath"
	"testing"

	"github.com/jackc/pgx/v5"
	"github.com/minio/minio-go/v7"
	"github.com/minio/minio-go/v7/pkg/credentials"

	"github.com/tenantplane/terraform-provider-tenant/internal/acctest"
	"github.com/tenantplane/terraform-provider-tenant/internal/sandbox"
)

// world is everything outside: PostgreSQL, PowerDNS and S3 for real, identity
// and billing by the sandbox.
type world struct {
	database, zone string
	dns            acctest.PowerDNSServer
	s3             acctest.S3Server
	sandbox        *sandbox.Server
	buckets        *minio.Client
}

// newWorld gives a test a database, a zone, an account and a sandbox of its own.
func newWorld(t *testing.T, name string) *world {
	t.Helper()
	w := &world{
		database: acctest.Postgres(t).NewDatabase(t), zone: name + ".example.org.",
		s3: acctest.S3(t).Account(t, name),
	}
	w.dns = acctest.PowerDNS(t, w.zone)
	server, err := sandbox.Open(t.Context(), sandbox.Options{Path: filepath.Join(t.TempDir(), "sandbox.db")})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = server.Close() })
	w.sandbox = server
	endpoint, err := url.Parse(w.s3.Endpoint)
	if err != nil {
		t.Fatal(err)
	}
	w.buckets, err = minio.New(endpoint.Host, &minio.Options{
		Creds: credentials.NewStaticV4(w.s3.AccessKey, w.s3.SecretKey, ""), Region: w.s3.Region,
	})
	if err != nil {
		t.Fatal(err)
	}
	return w
}

// config is a tenant "acme" whose DNS is asked at dnsURL.
func (w *world) config(installation, dnsURL string) string {
	c := w.sandbox.Credentials
	return fmt.Sprintf(`
terraform {
  required_providers {
    tenant = { source = "tenantplane/tenant" }
  }
}

provider "tenant" {
  installation = %q
  identity = { keycloak = { url = %q, realm = %q, client_id = %q, client_secret = %q } }
  billing  = { stripe = { url = %q, api_key = %q } }
  regions = {
    "us-east" = {
      database = { postgres = { url = %q } }
      storage  = { s3 = { endpoint = %q, region = %q, access_key = %q, secret_key = %q } }
      domain   = { powerdns = { url = %q, api_key = %q } }
    }
  }
}

resource "tenant" "acme" {
  tenant_id    = "acme"
  display_name = "Acme Robotics"
  region       = "us-east"
  identity     = { domains = ["acme.example"] }
  billing      = { plan = "pro", email = "ap@acme.example", seats = 5 }
  database     = { isolation = "schema" }
  storage      = {}
  domain       = { hostname = "www.%s", target = "edge.example.net" }
  deletion     = { data = "delete" }
}

resource "tenant_ready" "acme" {
  tenant_id = tenant.acme.tenant_id
}
`, installation, w.sandbox.KeycloakURL(), c.KeycloakRealm, c.KeycloakClientID, c.KeycloakClientSecret,
		w.sandbox.StripeURL(), c.StripeAPIKey, w.database, w.s3.Endpoint, w.s3.Region, w.s3.AccessKey, w.s3.SecretKey,
		dnsURL, w.dns.APIKey, w.zone[:len(w.zone)-1])
}

// count tells how many objects of each kind there are. It asks the systems
// themselves, past the provider and past the proxy.
func (w *world) count(ctx context.Context) (map[string]int, error) {
	counts := map[string]int{}
	inventory, err := sandbox.Admin{BaseURL: w.sandbox.AdminURL()}.Objects(ctx, sandbox.Filter{})
	if err != nil {
		return nil, err
	}
	for _, kind := range []string{"organization", "customer", "subscription"} {
		counts[kind] = inventory.Counts["keycloak/"+kind] + inventory.Counts["stripe/"+kind]
	}
	if counts["schema"], err = w.schemas(ctx); err != nil {
		return nil, err
	}
	buckets, err := w.buckets.ListBuckets(ctx)
	if err != nil {
		return nil, fmt.Errorf("list buckets: %w", err)
	}
	counts["bucket"] = len(buckets)
	counts["rrset"], err = w.records()
	return counts, err
}

func (w *world) schemas(ctx context.Context) (n int, err error) {
	conn, err := pgx.Connect(ctx, w.database)
	if err != nil {
		return 0, fmt.Errorf("connect to PostgreSQL: %w", err)
	}
	defer conn.Close(ctx)
	err = conn.QueryRow(ctx, `SELECT count(*) FROM pg_namespace WHERE nspname LIKE 'tnt%'`).Scan(&n)
	return n, err
}

// records counts the record sets that are not the zone's own.
func (w *world) records() (int, error) {
	status, answer, err := w.dns.Call(http.MethodGet, "/zones/"+w.zone, nil)
	if err != nil {
		return 0, err
	}
	var zone struct {
		RRsets []struct{ Name, Type string } `json:"rrsets"`
	}
	if err := json.Unmarshal(answer, &zone); err != nil || status != http.StatusOK {
		return 0, fmt.Errorf("read zone: status %d: %w", status, err)
	}
	n := 0
	for _, set := range zone.RRsets {
		if set.Name != w.zone {
			n++
		}
	}
	return n, nil
}

// deleteRecord removes the tenant's record as a person would.
func (w *world) deleteRecord(t *testing.T) {
	t.Helper()
	change := map[string]any{"rrsets": []any{map[string]any{"name": "www." + w.zone, "type": "CNAME", "changetype": "DELETE"}}}
	status, answer, err := w.dns.Call(http.MethodPatch, "/zones/"+w.zone, change)
	if err != nil || status != http.StatusNoContent {
		t.Fatalf("delete the record by hand: %d %s %v", status, answer, err)
	}
}
