package cli_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/tenantplane/terraform-provider-tenant/internal/cli"
	"github.com/tenantplane/terraform-provider-tenant/internal/drift"
	"github.com/tenantplane/terraform-provider-tenant/internal/provider"
	"github.com/tenantplane/terraform-provider-tenant/internal/sandbox"
)

// place is a folder with a configuration, its ledger and its sandbox.
type place struct {
	*testing.T
	folder string
	admin  sandbox.Admin
}

// newPlace makes tenants whose configuration is in a folder.
func newPlace(t *testing.T, made ...string) place {
	t.Helper()
	p := place{T: t, folder: t.TempDir()}
	config := fmt.Sprintf("provider \"tenant\" {\n  installation = %q\n  ledger = { path = \"x.db\" }\n  sandbox = { path = var.sandbox }\n}\nvariable \"sandbox\" { default = \"box\" }\n", installation)
	if err := os.WriteFile(p.path("main.tf"), []byte(config), 0o600); err != nil {
		t.Fatal(err)
	}
	fillIn(t, provider.LedgerConfig{Path: p.path("x.db")}, p.path("box"), made, nil)
	server, err := sandbox.Open(t.Context(), provider.SandboxOptions(provider.SandboxConfig{Path: p.path("box")}))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = server.Close() })
	p.admin = sandbox.Admin{BaseURL: server.AdminURL()}
	return p
}

func (p place) path(name string) string { return filepath.Join(p.folder, name) }

// look runs a command in the folder and wants an exit code.
func (p place) look(code int, args ...string) string {
	p.Helper()
	before, err := os.Getwd()
	if err != nil {
		p.Fatal(err)
	}
	output, err := tool(p.T, append(args, "--chdir", p.folder)...)
	if back := os.Chdir(before); back != nil {
		p.Fatal(back)
	}
	if got := codeOf(err); got != code {
		p.Fatalf("%v ended with %d (%v), want %d:\n%s", args, got, err, code, output)
	}
	if err != nil {
		output += err.Error()
	}
	return output
}

func codeOf(err error) int {
	var exit cli.ExitError
	switch {
	case err == nil:
		return 0
	case errors.As(err, &exit):
		return exit.Code
	}
	return 1
}

func (p place) verdict(name string) drift.Verdict {
	p.Helper()
	content, err := os.ReadFile(p.path(name))
	if err != nil {
		p.Fatal(err)
	}
	var v drift.Verdict
	if err := json.Unmarshal(content, &v); err != nil {
		p.Fatal(err)
	}
	return v
}

func (p place) must(err error) {
	p.Helper()
	if err != nil {
		p.Fatal(err)
	}
}

func TestDriftIsFoundWithoutTerraformAndDated(t *testing.T) {
	p := newPlace(t, "acme", "northstar")
	says(t, p.look(0, "drift", "--out", "v.json"), "2 tenants looked at: 0 drifted")
	p.must(p.admin.PutRecords(t.Context(), "example.com.", "acme.example.com.", "CNAME", sandbox.RecordSet{TTL: 300, Contents: []string{"stray.example.net."}}))
	says(t, p.look(2, "drift", "--out", "v.json"), "acme", "domain.record", "stray.example.net", "edge.example.net", "1 drifted")
	if v := p.verdict("v.json"); !v.Complete || v.Counts.Drifted != 1 || v.Installation != string(installation) {
		t.Errorf("the verdict is %+v", v)
	}
	p.look(2, "drift", "acme", "--out", "v.json")
	if since := p.verdict("v.json").Tenants[0].Drifts[0].Since; since.IsZero() {
		t.Error("the second look does not know when the first one saw it")
	}
}

func TestAPlanTellsEachStepAndItsReason(t *testing.T) {
	p := newPlace(t, "acme")
	says(t, p.look(0, "plan", "acme"), "acme: 0 steps")
	says(t, p.look(0, "plan", "acme", "--destroy"), "delete billing.subscription", "stop billing", "delete domain.record", "remove audit record")
	says(t, p.look(0, "plan", "acme", "--destroy", "-o", "mermaid"), "flowchart LR", "-->")
	says(t, p.look(0, "plan", "acme", "--destroy", "-o", "dot"), "digraph", `"delete billing.subscription" -> "delete billing.customer"`)
	var view struct {
		Steps []struct{ Step, Reason string }
	}
	p.must(json.Unmarshal([]byte(p.look(0, "plan", "acme", "--destroy", "-o", "json")), &view))
	if len(view.Steps) == 0 || view.Steps[0].Reason == "" {
		t.Errorf("got %+v", view)
	}
}

func TestATenantThatCannotBeReadIsNeverWithoutDrift(t *testing.T) {
	p := newPlace(t, "acme")
	_, err := p.admin.AddFault(t.Context(), sandbox.Fault{System: "powerdns", Method: "GET", Count: -1, Effect: sandbox.Forbidden})
	p.must(err)
	says(t, p.look(1, "drift", "--out", "v.json"), "INCOMPLETE", "domain")
	if v := p.verdict("v.json"); v.Complete || v.Counts.Unread != 1 || v.Counts.Drifts != 0 {
		t.Errorf("the verdict is %+v", v)
	}
}

func TestC66_ALookThatDoesNotTakePlaceLeavesAnIncompleteVerdict(t *testing.T) {
	p := newPlace(t, "acme")
	p.look(0, "drift", "--out", "v.json")
	if !p.verdict("v.json").Complete {
		t.Fatal("the first look is not complete")
	}
	p.must(os.WriteFile(p.path("main.tf"), []byte("provider \"tenant\" {\n  ledger = { path = null_resource.x.id }\n}\n"), 0o600))
	says(t, p.look(1, "drift", "--out", "v.json"), "null_resource.x.id", "Terraform alone")
	if p.verdict("v.json").Complete {
		t.Error("the verdict of the look before is still there")
	}
}

func TestExpectedDriftIsCountedApart(t *testing.T) {
	p := newPlace(t, "acme")
	p.must(p.admin.PutRecords(t.Context(), "example.com.", "acme.example.com.", "CNAME", sandbox.RecordSet{TTL: 60, Contents: []string{"edge.example.net."}}))
	p.must(os.WriteFile(p.path("noise.txt"), []byte("acme domain.record.ttl\n"), 0o600))
	p.look(2, "drift")
	says(t, p.look(0, "drift", "--noise", "noise.txt"), "1 expected differences")
}

func TestTheFormsOfADrift(t *testing.T) {
	p := newPlace(t, "acme")
	says(t, p.look(0, "drift", "-o", "junit"), "<testsuites>", `name="acme"`)
	says(t, p.look(0, "drift", "-o", "sarif"), `"version": "2.1.0"`)
	if output := p.look(1, "drift", "-o", "yaml"); !strings.Contains(output, "table json junit sarif") {
		t.Errorf("the refusal does not name the forms: %s", output)
	}
}
