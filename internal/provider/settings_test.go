package provider_test

import (
	"fmt"
	"strings"

	"github.com/tenantplane/terraform-provider-tenant/internal/provider"
)

// settings is a provider block in plain values. A backend whose address is ""
// is left to the sandbox.
type settings struct {
	installation string
	workspace    string
	ledger       string
	sandbox      string
	zones, plans []string
	region       string
	databaseURL  string
	dnsURL       string
	dnsKey       string
	s3Endpoint   string
	s3AccessKey  string
	s3SecretKey  string
	// secretsInEnvironment leaves secrets out of the block.
	secretsInEnvironment bool
	identity             string // HCL of the attribute identity
	billing              string // HCL of the attribute billing
}

// providerBlock renders a provider block.
func (s settings) providerBlock() string {
	var b strings.Builder
	b.WriteString("provider \"tenant\" {\n")
	line := func(name, value string) { fmt.Fprintf(&b, "  %s = %s\n", name, value) }
	if s.installation != "" {
		line("installation", quote(s.installation))
	}
	if s.workspace != "" {
		line("workspace", quote(s.workspace))
	}
	switch {
	case provider.IsLedgerURL(s.ledger):
		line("ledger", fmt.Sprintf("{ url = %q }", s.ledger))
	case s.ledger != "":
		line("ledger", fmt.Sprintf("{ path = %q }", s.ledger))
	}
	if s.sandbox != "" {
		line("sandbox", fmt.Sprintf("{ path = %q, zones = %s, plans = %s }", s.sandbox, list(s.zones), list(s.plans)))
	}
	if s.identity != "" {
		line("identity", s.identity)
	}
	if s.billing != "" {
		line("billing", s.billing)
	}
	if region := s.regionBlock(); region != "" {
		line("regions", fmt.Sprintf("{ %q = {%s} }", s.region, region))
	}
	b.WriteString("}\n")
	return b.String()
}

func (s settings) regionBlock() string {
	block := ""
	secret := func(name, value string) string {
		if s.secretsInEnvironment {
			return ""
		}
		return fmt.Sprintf("%s = %q", name, value)
	}
	if s.databaseURL != "" {
		block += fmt.Sprintf("\n    database = { postgres = { %s } }", secret("url", s.databaseURL))
	}
	if s.s3Endpoint != "" {
		block += fmt.Sprintf("\n    storage = { s3 = { endpoint = %q, access_key = %q, %s } }",
			s.s3Endpoint, s.s3AccessKey, secret("secret_key", s.s3SecretKey))
	}
	if s.dnsURL != "" {
		block += fmt.Sprintf("\n    domain = { powerdns = { url = %q, %s } }", s.dnsURL, secret("api_key", s.dnsKey))
	}
	if block != "" {
		block += "\n  "
	}
	return block
}

func quote(text string) string { return fmt.Sprintf("%q", text) }

// list renders strings as a list, null for none.
func list(values []string) string {
	if len(values) == 0 {
		return "null"
	}
	quoted := make([]string, 0, len(values))
	for _, v := range values {
		quoted = append(quoted, quote(v))
	}
	return "[" + strings.Join(quoted, ", ") + "]"
}

// declaration is a resource "tenant". Attributes are HCL; "" leaves one out.
type declaration struct {
	label    string
	id       string
	name     string
	region   string
	identity string
	billing  string
	database string
	storage  string
	domain   string
	deletion string
	timeouts string
	rest     string
}

// resourceBlock renders the resource.
func (d declaration) resourceBlock() string {
	label := d.label
	if label == "" {
		label = "acme"
	}
	var b strings.Builder
	fmt.Fprintf(&b, "resource \"tenant\" %q {\n  tenant_id = %q\n  display_name = %q\n  region = %q\n", label, d.id, d.name, d.region)
	for _, attribute := range [][2]string{
		{"identity", d.identity}, {"billing", d.billing}, {"database", d.database},
		{"storage", d.storage}, {"domain", d.domain}, {"deletion", d.deletion}, {"timeouts", d.timeouts},
	} {
		if attribute[1] != "" {
			fmt.Fprintf(&b, "  %s = %s\n", attribute[0], attribute[1])
		}
	}
	return b.String() + d.rest + "\n}\n"
}

// gate is a tenant_ready of the resource tenant.acme.
const gate = `
resource "tenant_ready" "acme" {
  tenant_id = tenant.acme.tenant_id
}
`

// acme is the address of the resource most tests declare.
const acme = "tenant.acme"
