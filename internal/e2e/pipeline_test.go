package e2e_test

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/tenantplane/terraform-provider-tenant/internal/acctest"
)

// pipelines are the examples under test.
const pipelines = "../../examples/pipelines"

// script runs one of the examples with the built provider on PATH and returns
// its exit code and what it said.
func script(t *testing.T, name, input string, args ...string) (int, string) {
	t.Helper()
	path, err := filepath.Abs(filepath.Join(pipelines, name))
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.CommandContext(t.Context(), path, args...)
	cmd.Stdin = strings.NewReader(input)
	cmd.Env = append(os.Environ(), "PATH="+filepath.Dir(acctest.Provider(t))+":"+os.Getenv("PATH"))
	output, err := cmd.CombinedOutput()
	if err != nil && cmd.ProcessState == nil {
		t.Fatal(err)
	}
	return cmd.ProcessState.ExitCode(), string(output)
}

// drifted is the drift command as a person types it.
func drifted(t *testing.T, plan, verdict string) {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), acctest.Provider(t), "drift", "--plan", plan, "--out", verdict)
	if output, err := cmd.CombinedOutput(); err != nil && cmd.ProcessState.ExitCode() != 2 {
		t.Fatalf("drift: %v\n%s", err, output)
	}
}

// Field case C66: whatever a wrapper makes of exit codes, the verdict decides;
// one that is missing, incomplete or unknown is a failure.
func TestC66_TheVerdictDecidesAndNotTheExitCode(t *testing.T) {
	folder := t.TempDir()
	file := func(name, content string) string {
		path := filepath.Join(folder, name)
		if err := os.WriteFile(path, []byte(content), 0o600); err != nil {
			t.Fatal(err)
		}
		return path
	}
	none := file("none.json", `{"format_version":"1.2"}`)
	some := file("some.json", `{"format_version":"1.2","resource_drift":[{"address":"tenant.a","mode":"managed","change":{"actions":["update"],"before":{"y":1},"after":{"y":2},"after_unknown":{}}}]}`)
	clean, dirty := filepath.Join(folder, "clean.verdict"), filepath.Join(folder, "dirty.verdict")
	drifted(t, none, clean)
	drifted(t, some, dirty)
	whole, err := os.ReadFile(clean)
	if err != nil {
		t.Fatal(err)
	}
	for name, c := range map[string]struct {
		verdict string
		code    int
	}{
		"no drift":               {clean, 0},
		"drift":                  {dirty, 2},
		"no file":                {filepath.Join(folder, "nowhere"), 1},
		"an empty file":          {file("empty", ""), 1},
		"half a file":            {file("half", string(whole[:len(whole)/2])), 1},
		"killed before the end":  {file("begun", strings.Replace(string(whole), `"complete": true`, `"complete": false`, 1)), 1},
		"a version of to-morrow": {file("newer", strings.Replace(string(whole), `"schema_version": 1`, `"schema_version": 2`, 1)), 1},
		"a log line":             {file("log", "Error: no ledger"), 1},
	} {
		t.Run(name, func(t *testing.T) {
			if code, output := script(t, "verdict.sh", "", c.verdict); code != c.code {
				t.Errorf("exit code %d, want %d:\n%s", code, c.code, output)
			}
		})
	}
}

// Field cases C67 and C68 with what Terraform really writes: a changed output
// alone is no drift although the exit code is 2, and a failed check is
// unhealthy although it is 0.
func TestC68_AnOutputIsNoDriftAndAFailedCheckIsUnhealthy(t *testing.T) {
	const resource = "resource \"terraform_data\" \"a\" {\n  input = \"x\"\n}\n"
	dir := newWorkdir(t, resource+"output \"o\" { value = \"before\" }\n")
	dir.run(t, "apply.log", 0, "apply", "-auto-approve")
	for name, c := range map[string]struct {
		config string
		exit   int // terraform plan -detailed-exitcode
		code   int // verdict.sh
		says   string
	}{
		"nothing":               {resource + "output \"o\" { value = \"before\" }\n", 0, 0, ""},
		"an output alone":       {resource + "output \"o\" { value = \"after\" }\n", 2, 0, ""},
		"a changed resource":    {strings.Replace(resource, `"x"`, `"y"`, 1) + "output \"o\" { value = \"before\" }\n", 2, 2, "terraform_data.a"},
		"a check that fails":    {resource + "output \"o\" { value = \"before\" }\ncheck \"ready\" {\n  assert {\n    condition     = terraform_data.a.output == \"z\"\n    error_message = \"acme is not ready\"\n  }\n}\n", 0, 2, "acme is not ready"},
		"a check that is happy": {resource + "output \"o\" { value = \"before\" }\ncheck \"ready\" {\n  assert {\n    condition     = terraform_data.a.output == \"x\"\n    error_message = \"acme is not ready\"\n  }\n}\n", 0, 0, ""},
	} {
		t.Run(name, func(t *testing.T) {
			if err := os.WriteFile(dir.path("main.tf"), []byte(c.config), 0o600); err != nil {
				t.Fatal(err)
			}
			dir.run(t, "plan.log", c.exit, "plan", "-detailed-exitcode", "-out", "saved.plan")
			if err := os.WriteFile(dir.path("plan.json"), []byte(dir.run(t, "show.log", 0, "show", "-json", "saved.plan")), 0o600); err != nil {
				t.Fatal(err)
			}
			drifted(t, dir.path("plan.json"), dir.path("verdict.json"))
			if code, output := script(t, "verdict.sh", "", dir.path("verdict.json")); code != c.code || !strings.Contains(output, c.says) {
				t.Errorf("exit code %d, want %d and %q:\n%s", code, c.code, c.says, output)
			}
		})
	}
}

// hcp stands for HCP Terraform: it offers a plan and takes the result.
type hcp struct {
	plan          string
	authorization string
	result        struct {
		Data struct {
			Attributes struct{ Status, Message string }
		}
	}
}

func (h *hcp) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	h.authorization = r.Header.Get("Authorization")
	if r.Method != http.MethodPatch {
		_, _ = io.WriteString(w, h.plan)
		return
	}
	if err := json.NewDecoder(r.Body).Decode(&h.result); err != nil {
		http.Error(w, err.Error(), http.StatusBadRequest)
	}
}

func TestTheRunTaskAnswersWithTheVerdict(t *testing.T) {
	for name, c := range map[string]struct {
		plan, status, message string
		code                  int
	}{
		"no drift":   {`{"format_version":"1.2"}`, "passed", "No drift.", 0},
		"drift":      {`{"format_version":"1.2","resource_drift":[{"address":"tenant.a","mode":"managed","change":{"actions":["update"],"before":{"y":1},"after":{"y":2},"after_unknown":{}}}]}`, "failed", "tenant.a", 1},
		"no plan":    {`<html>try again</html>`, "failed", "incomplete", 1},
		"a bad plan": {`{"format_version":"9"}`, "failed", "incomplete", 1},
	} {
		t.Run(name, func(t *testing.T) {
			h := &hcp{plan: c.plan}
			server := httptest.NewServer(h)
			defer server.Close()
			payload := fmt.Sprintf(`{"access_token":"t0ken","plan_json_api_url":"%s/plan","task_result_callback_url":"%s/result"}`, server.URL, server.URL)
			code, output := script(t, "hcp-terraform/run-task.sh", payload)
			got := h.result.Data.Attributes
			if code != c.code || got.Status != c.status || !strings.Contains(got.Message, c.message) || h.authorization != "Bearer t0ken" {
				t.Errorf("exit code %d, %s: %q, authorized by %q, want %d, %s: %q\n%s", code, got.Status, got.Message, h.authorization, c.code, c.status, c.message, output)
			}
		})
	}
}
