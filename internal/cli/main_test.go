package cli_test

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/tenantplane/terraform-provider-tenant/internal/acctest"
	"github.com/tenantplane/terraform-provider-tenant/internal/cli"
	"github.com/tenantplane/terraform-provider-tenant/internal/executor"
	"github.com/tenantplane/terraform-provider-tenant/internal/ledger"
	"github.com/tenantplane/terraform-provider-tenant/internal/provider"
	"github.com/tenantplane/terraform-provider-tenant/internal/tenant"
)

const (
	installation = tenant.Installation("prod")
	claim        = "the state of this test"
)

func TestMain(m *testing.M) { os.Exit(acctest.Main(m)) }

// tool runs the command line as a pipe sees it.
func tool(t *testing.T, args ...string) (string, error) {
	t.Helper()
	var out, errOut bytes.Buffer
	err := cli.Run(t.Context(), provider.Program{Version: "1.2.3"}, args, &out, &errOut)
	return out.String(), err
}

// mustTool wants a command to succeed.
func mustTool(t *testing.T, args ...string) string {
	t.Helper()
	output, err := tool(t, args...)
	if err != nil {
		t.Fatalf("%v: %v", args, err)
	}
	return output
}

// tenants makes tenants in the sandbox, destroys those named, and returns the
// path of the ledger that knows them.
func tenants(t *testing.T, made []string, destroyed ...string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "ledger.db")
	fill(t, provider.LedgerConfig{Path: path}, made, destroyed)
	return path
}

// fill makes tenants in a sandbox and destroys those named.
func fill(t *testing.T, where provider.LedgerConfig, made, destroyed []string) {
	t.Helper()
	fillIn(t, where, filepath.Join(t.TempDir(), "sandbox"), made, destroyed)
}

func fillIn(t *testing.T, where provider.LedgerConfig, box string, made, destroyed []string) {
	t.Helper()
	session, err := provider.Program{}.Open(t.Context(), provider.Config{
		Installation: string(installation), Ledger: where, Sandbox: &provider.SandboxConfig{Path: box},
	})
	if err != nil {
		t.Fatal(err)
	}
	defer session.Close()
	for _, id := range made {
		outcome, err := session.Executor.Converge(t.Context(), executor.Request{Spec: spec(id), Claim: claim})
		if err != nil || outcome.Status != ledger.Ready {
			t.Fatalf("%s: %s %v %v", id, outcome.Status, outcome.Faults, err)
		}
	}
	for _, id := range destroyed {
		outcome, err := session.Executor.Destroy(context.WithoutCancel(t.Context()), tenant.ID(id), claim)
		if err != nil || outcome.Status != ledger.Deleted {
			t.Fatalf("%s: %s %v %v", id, outcome.Status, outcome.Faults, err)
		}
	}
}

func spec(id string) tenant.Spec {
	return tenant.Spec{
		Subject: tenant.Subject{Installation: installation, ID: tenant.ID(id), DisplayName: id, Region: "us-east"},
		Components: map[string]json.RawMessage{
			"billing": json.RawMessage(`{"plan":"pro","email":"ap@example.org"}`),
			"domain":  json.RawMessage(fmt.Sprintf(`{"hostname":"%s.example.com","target":"edge.example.net"}`, id)),
		},
	}
}

// says wants an output to say each of the words.
func says(t *testing.T, output string, words ...string) {
	t.Helper()
	for _, w := range words {
		if !strings.Contains(output, w) {
			t.Errorf("the output does not say %q:\n%s", w, output)
		}
	}
}
