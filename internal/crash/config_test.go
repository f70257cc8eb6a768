package crash_test

import (
	"fmt"

	"github.com/tenantplane/terraform-provider-tenant/internal/sandbox"
)

// operation is what a sample does to its tenant.
type operation string

// The operations, in the order of a life.
const (
	create  operation = "create"
	update  operation = "update"
	destroy operation = "destroy"
)

var operations = []operation{create, update, destroy}

// config is the configuration of an operation; a destruction needs the one of
// the update.
func (s *stage) config(op operation, ledger, isolation string) string {
	c := sandbox.KnownCredentials()
	return fmt.Sprintf(`
terraform {
  required_providers {
    tenant = { source = "tenantplane/tenant" }
  }
}

provider "tenant" {
  installation = "crash"
  ledger       = { %s }
  identity     = { keycloak = { url = "%s/keycloak", realm = %q, client_id = %q, client_secret = %q } }
  billing      = { stripe = { url = "%s/stripe", api_key = %q } }
  regions = {
    "us-east" = {
      database = { postgres = { url = %q } }
      storage  = { s3 = { endpoint = %q, region = %q, access_key = %q, secret_key = %q } }
      domain   = { powerdns = { url = %q, api_key = %q } }
    }
  }
}
`, ledger, s.sandboxURL, c.KeycloakRealm, c.KeycloakClientID, c.KeycloakClientSecret, s.sandboxURL, c.StripeAPIKey,
		s.databaseURL, s.s3URL, s.s3.Region, s.s3.AccessKey, s.s3.SecretKey, s.dnsURL, s.dns.APIKey) + s.resource(op, isolation)
}

// resource is the tenant. The update changes every component that can change.
func (s *stage) resource(op operation, isolation string) string {
	name, plan, seats, seed, versioning, target := "Acme Robotics", "pro", 5, `"one.sql"`, "false", "one"
	domains := fmt.Sprintf("%q", s.tenant+".example")
	if op != create {
		name, plan, seats, seed, versioning, target = "Acme Robotics Inc.", "enterprise", 8, `"one.sql", "two.sql"`, "true", "two"
		domains += fmt.Sprintf(", %q", s.tenant+".example.com")
	}
	return fmt.Sprintf(`
resource "tenant" "acme" {
  tenant_id    = %q
  display_name = %q
  region       = "us-east"
  identity     = { domains = [%s] }
  billing      = { plan = %q, email = "ap@acme.example", seats = %d }
  database     = { isolation = %q, seed = [%s] }
  storage      = { versioning = %s }
  domain       = { hostname = "www.%s", target = "%s.example.net" }
  deletion     = { data = "delete" }
}

resource "tenant_ready" "acme" {
  tenant_id = tenant.acme.tenant_id
}
`, s.tenant, name, domains, plan, seats, isolation, seed, versioning, s.zone[:len(s.zone)-1], target)
}

// seeds are the scripts the configuration names.
var seeds = map[string]string{
	"one.sql": "CREATE TABLE one (id int PRIMARY KEY); INSERT INTO one VALUES (1);",
	"two.sql": "CREATE TABLE two (id int PRIMARY KEY); INSERT INTO two VALUES (2);",
}
