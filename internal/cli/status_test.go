package cli_test

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func TestStatusShowsTheTenantsAndLeavesOutTheDeleted(t *testing.T) {
	path := tenants(t, []string{"acme", "bravo", "carol"}, "carol")
	output := mustTool(t, "status", "--ledger", path)
	says(t, output, "Tenant", "acme", "bravo", "us-east", "ready", "1 of 1")
	if strings.Contains(output, "carol") {
		t.Errorf("a deleted tenant is shown unasked:\n%s", output)
	}
	says(t, mustTool(t, "status", "--all", "--ledger", path), "acme", "bravo", "carol", "deleted")
}

func TestStatusOfOneTenantShowsItsObjects(t *testing.T) {
	path := tenants(t, []string{"acme"})
	says(t, mustTool(t, "status", "acme", "--ledger", path),
		"acme  us-east  ready  generation 1 of 1", "billing.customer", "cus_", "billing.subscription", "domain.record", "Ready")
	if _, err := tool(t, "status", "nobody", "--ledger", path); err == nil || !strings.Contains(err.Error(), "nobody") {
		t.Errorf("an unknown tenant gives %v", err)
	}
}

func TestStatusAsJSONIsForPrograms(t *testing.T) {
	path := tenants(t, []string{"acme", "bravo"})
	type view struct {
		Tenant  string `json:"tenant_id"`
		Status  string `json:"status"`
		Desired int    `json:"desired_generation"`
		Objects []struct {
			Component, Object, Condition string
			ExternalID                   string `json:"external_id"`
			Epoch                        int
		}
	}
	var all []view
	decode(t, mustTool(t, "status", "-o", "json", "--ledger", path), &all)
	if len(all) != 2 || all[1].Tenant != "bravo" || all[1].Status != "ready" || all[1].Desired != 1 || len(all[1].Objects) != 3 {
		t.Errorf("all tenants are %+v", all)
	}
	var one view
	decode(t, mustTool(t, "status", "acme", "-o", "json", "--ledger", path), &one)
	first := one.Objects[0]
	if one.Tenant != "acme" || first.Component != "billing" || first.Object != "customer" || first.Condition != "Ready" || first.Epoch != 1 || first.ExternalID == "" {
		t.Errorf("one tenant is %+v", one)
	}
}

func decode(t *testing.T, output string, into any) {
	t.Helper()
	if err := json.Unmarshal([]byte(output), into); err != nil {
		t.Fatalf("%v:\n%s", err, output)
	}
}

func TestOutputIsPlainWhenPipedAndColouredOnRequest(t *testing.T) {
	path := tenants(t, []string{"acme"})
	plain := mustTool(t, "status", "--ledger", path) + mustTool(t, "status", "acme", "--ledger", path)
	if strings.ContainsAny(plain, "\x1b╭│") {
		t.Errorf("a pipe gets escape codes or boxes:\n%q", plain)
	}
	t.Setenv("CLICOLOR_FORCE", "1")
	says(t, mustTool(t, "status", "--ledger", path), "\x1b[", "╭")
	t.Setenv("NO_COLOR", "1")
	if output := mustTool(t, "status", "--ledger", path); strings.ContainsAny(output, "\x1b╭") {
		t.Errorf("NO_COLOR is ignored:\n%q", output)
	}
}

func TestALedgerThatIsNotThereIsAnErrorAndStaysAway(t *testing.T) {
	path := filepath.Join(t.TempDir(), "no-such-ledger.db")
	for _, args := range [][]string{{"status"}, {"status", "acme"}, {"evidence", "acme"}} {
		_, err := tool(t, append(args, "--ledger", path)...)
		if err == nil || !strings.Contains(err.Error(), path) || !strings.Contains(err.Error(), "--ledger") {
			t.Errorf("%v: %v; want the path and what to do", args, err)
		}
	}
	left, err := os.ReadDir(filepath.Dir(path))
	if err != nil || len(left) > 0 {
		t.Errorf("a look made %v, %v", left, err)
	}
}
