package provider_test

import (
	"fmt"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/hashicorp/terraform-plugin-testing/helper/resource"
	"github.com/hashicorp/terraform-plugin-testing/terraform"
)

// mistake is something people get wrong. The plan says where, what was found
// and what to do; nothing is made.
type mistake struct {
	name string
	// make gets the settings and a tenant that are right.
	make func(s *settings, d *declaration)
	// says are words of the message, in their order.
	says []string
}

func mistakes(zone string) []mistake {
	tenant := func(change func(d *declaration)) func(*settings, *declaration) {
		return func(_ *settings, d *declaration) { change(d) }
	}
	id := func(id string) func(*settings, *declaration) { return tenant(func(d *declaration) { d.id = id }) }
	domain := func(text string) func(*settings, *declaration) {
		return tenant(func(d *declaration) { d.domain = strings.ReplaceAll(text, "ZONE", zone) })
	}
	billing := func(text string) func(*settings, *declaration) {
		return tenant(func(d *declaration) { d.billing = text })
	}
	block := func(change func(s *settings)) func(*settings, *declaration) {
		return func(s *settings, _ *declaration) { change(s) }
	}
	const closed = "http://127.0.0.1:1" // nobody listens there
	return []mistake{
		{"an id that is empty", id(""), []string{"tenant_id", "empty", "use 1 to 63"}},
		{"an id of 64 bytes", id(strings.Repeat("a", 64)), []string{"tenant_id", "64 bytes", "at most 63"}},
		{"an id in upper case", id("Acme"), []string{"tenant_id", "'A'", "lower-case"}},
		{"an id with dots", id("acme.eu"), []string{"tenant_id", "'.'", "allowed"}},
		{"an id with SQL in it", id("a; DROP SCHEMA public"), []string{"tenant_id", "';'", "allowed"}},
		{"a host name with an empty label", domain(`{ hostname = "acme..ZONE", target = "edge.example.net" }`), []string{"domain.hostname", "write a host name"}},
		{"a zone that nobody serves", domain(`{ hostname = "acme.elsewhere.test", target = "edge.example.net" }`), []string{"domain.hostname", "zone"}},
		{"a CNAME at the apex", domain(`{ hostname = "ZONE", target = "edge.example.net" }`), []string{"domain.hostname", "addresses"}},
		{"a TTL of -1", domain(`{ hostname = "acme.ZONE", target = "edge.example.net", ttl = -1 }`), []string{"domain.ttl", "1 (to|and) 2147483647", "-1"}},
		{"an address twice", domain(`{ hostname = "acme.ZONE", addresses = ["2001:DB8:0::1", "2001:db8::1"] }`), []string{"domain.addresses", "same address", "remove one"}},
		{"a plan that does not exist", billing(`{ plan = "gold", email = "ap@acme.example" }`), []string{"billing.plan", "gold"}},
		{"an archived plan", billing(`{ plan = "legacy", email = "ap@acme.example" }`), []string{"billing.plan", "legacy", "archived|not active|inactive"}},
		{"no seats", billing(`{ plan = "pro", email = "ap@acme.example", seats = 0 }`), []string{"billing.seats", "at least 1", "0"}},
		{"a seed file that is not there", tenant(func(d *declaration) { d.database = `{ seed = ["nowhere.sql"] }` }), []string{`database.seed\[0\]`, "nowhere.sql", "existing file"}},
		{"a region that is not configured", func(s *settings, d *declaration) {
			s.sandbox, d.region, d.identity, d.billing = "", "mars-1", "", "" // the sandbox would serve any region
		}, []string{"region", "mars-1", "add regions"}},
		{"a negative retention", tenant(func(d *declaration) { d.deletion = `{ retention_days = -1 }` }), []string{"deletion.retention_days", "between 0 and 3650", "-1"}},
		{"a retention of eleven years", tenant(func(d *declaration) { d.deletion = `{ retention_days = 4000 }` }), []string{"deletion.retention_days", "between 0 and 3650", "4000"}},
		{"a data policy that does not exist", tenant(func(d *declaration) { d.deletion = `{ data = "shred" }` }), []string{"deletion.data", "one of", "shred"}},

		{"DNS that cannot be reached", block(func(s *settings) { s.dnsURL = closed }), []string{"domain", "refused"}},
		{"a database that cannot be reached", block(func(s *settings) { s.databaseURL = "postgres://u:p@127.0.0.1:1/db" }), []string{"database", "refused"}},
		{"an object store that cannot be reached", block(func(s *settings) { s.s3Endpoint = closed }), []string{"storage", "refused"}},
		{"an identity provider that cannot be reached", block(func(s *settings) {
			s.identity = fmt.Sprintf(`{ keycloak = { url = %q, realm = "r", client_id = "c", client_secret = "s" } }`, closed)
		}), []string{"identity", "refused"}},
		{"billing that cannot be reached", block(func(s *settings) {
			s.billing = fmt.Sprintf(`{ stripe = { url = %q, api_key = "sk_test_x" } }`, closed)
		}), []string{"billing", "refused"}},
		{"a wrong key of DNS", block(func(s *settings) { s.dnsKey = "wrong" }), []string{"domain", "401", "api_key"}},
		{"a wrong password of the database", block(func(s *settings) { s.databaseURL = wrongPassword(s.databaseURL) }), []string{"database", "password|credentials|authentication"}},
		{"a wrong key of the object store", block(func(s *settings) { s.s3SecretKey = "wrong" }), []string{"storage", "secret_key|credentials|signature"}},

		{"a ledger in a folder that is none", block(func(s *settings) { s.ledger = "/dev/null/ledger.db" }), []string{"ledger.path", "/dev/null is not a folder", "correct"}},
		{"an installation that is none", block(func(s *settings) { s.installation = "No!" }), []string{"installation", "No!|lower-case"}},
		{"another installation's ledger", block(func(s *settings) { s.installation = "other" }), []string{"installation", "other", "Remove the attribute"}},
	}
}

func wrongPassword(address string) string {
	return regexp.MustCompile(`//postgres:[^@]*@`).ReplaceAllString(address, "//postgres:wrong@")
}

func TestAccAMistakeIsOneClearErrorAtPlanAndNothingIsMade(t *testing.T) {
	w := onRealServers(t)
	for _, m := range mistakes(w.zone) {
		t.Run(m.name, func(t *testing.T) {
			s, d := w.settings, w.acme()
			m.make(&s, &d)
			run(t, resource.TestStep{
				Config: s.providerBlock() + d.resourceBlock(), PlanOnly: true, ExpectError: inOrder(m.says),
			})
		})
	}
	w.mustHold(nothing)
}

// inOrder matches words in their order, across the line breaks and frames that
// Terraform makes.
func inOrder(words []string) *regexp.Regexp {
	var parts []string
	for _, word := range words {
		parts = append(parts, "("+strings.ReplaceAll(word, " ", `\s+`)+")")
	}
	return regexp.MustCompile(`(?s)` + strings.Join(parts, ".*"))
}

func TestAccTwoResourcesWithOneIDAreRefusedBeforeAnythingExists(t *testing.T) {
	w := inSandbox(t)
	first, second := w.acme(), w.acme()
	second.label = "again"
	run(t, resource.TestStep{
		Config: w.config(first, second), PlanOnly: true,
		ExpectError: inOrder([]string{"tenant_id", "declared by another resource", "id of its own"}),
	})
	w.mustHold(nothing)
}

func TestC60_AccASecondWorkspaceCannotTakeATenantThatAnotherOwns(t *testing.T) {
	w := inSandbox(t)
	w.workspace = "production"
	other := w.settings
	other.workspace = "staging"
	run(t, resource.TestStep{Config: w.config(w.acme()), Check: func(s *terraform.State) error {
		run(t, resource.TestStep{
			Config: other.providerBlock() + w.acme().resourceBlock(), PlanOnly: true,
			ExpectError: inOrder([]string{"tenant_id", "acme", "owned by production", "import"}),
		})
		return w.holdsNow(wholeTenantInSandbox)(s)
	}})
	w.mustHold(nothing)
}

func TestAccAProtectedTenantIsNeitherDestroyedNorReplaced(t *testing.T) {
	w := inSandbox(t)
	protected, renamed := w.acme(), w.acme()
	protected.deletion = `{ protection = true, data = "delete" }`
	renamed.deletion, renamed.id = protected.deletion, "acme2"
	moved := protected
	moved.region = "eu-west"
	run(t,
		resource.TestStep{Config: w.config(protected)},
		resource.TestStep{Config: w.config(renamed), PlanOnly: true, ExpectError: inOrder([]string{"tenant_id", "acme2", "protection", "apply first"})},
		resource.TestStep{Config: w.config(moved), PlanOnly: true, ExpectError: inOrder([]string{"region", "eu-west", "protection", "apply first"})},
		resource.TestStep{Config: w.config(protected), Destroy: true, ExpectError: inOrder([]string{"deletion.protection", "acme", "false"})},
		resource.TestStep{Config: w.config(w.acme()), Check: w.holdsNow(wholeTenantInSandbox)},
	)
	w.mustHold(nothing)
}

func TestAccALedgerThatCannotBeWrittenIsNamed(t *testing.T) {
	w := inSandbox(t)
	w.ledger = filepath.Join(t.TempDir(), "no", "such", "folder", "ledger.db")
	run(t, resource.TestStep{Config: w.config(w.acme()), PlanOnly: true, ExpectError: inOrder([]string{"ledger.path", "no/such/folder", "correct the ledger's path"})})
	w.mustHold(nothing)
}
