package e2e_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/tenantplane/terraform-provider-tenant/internal/acctest"
	"github.com/tenantplane/terraform-provider-tenant/internal/clock"
	"github.com/tenantplane/terraform-provider-tenant/internal/ledger"
	"github.com/tenantplane/terraform-provider-tenant/internal/ledger/sqlite"
)

// workdir is a folder with one configuration, its state and its ledger.
type workdir struct {
	folder, terraform string
}

// newWorkdir writes a configuration and points terraform at the built provider.
func newWorkdir(t *testing.T, config string) workdir {
	t.Helper()
	w := workdir{folder: t.TempDir(), terraform: acctest.Terraform(t)}
	w.configure(t, config)
	rc := fmt.Sprintf("provider_installation {\n  dev_overrides {\n    \"tenantplane/tenant\" = %q\n  }\n  direct {}\n}\n", filepath.Dir(acctest.Provider(t)))
	w.write(t, "terraform.rc", rc)
	return w
}

// configure replaces the configuration.
func (w workdir) configure(t *testing.T, config string) {
	t.Helper()
	w.write(t, "main.tf", config)
}

func (w workdir) write(t *testing.T, name, content string) {
	t.Helper()
	if err := os.WriteFile(w.path(name), []byte(content), 0o600); err != nil {
		t.Fatal(err)
	}
}

// state is the state file's content.
func (w workdir) state(t *testing.T) string {
	t.Helper()
	content, err := os.ReadFile(w.path("terraform.tfstate"))
	if err != nil {
		t.Fatal(err)
	}
	return string(content)
}

// push replaces the state, whatever it was.
func (w workdir) push(t *testing.T, state string) {
	t.Helper()
	w.write(t, "pushed.tfstate", state)
	w.run(t, "push.log", 0, "state", "push", "-force", "pushed.tfstate")
}

// flat is what terraform printed without frames and line breaks.
func flat(output string) string {
	return strings.Join(strings.Fields(strings.ReplaceAll(output, "│", " ")), " ")
}

// wantWords wants words in what terraform printed, wherever it broke the lines.
func wantWords(t *testing.T, output string, words ...string) {
	t.Helper()
	for _, w := range words {
		if !strings.Contains(flat(output), w) {
			t.Errorf("terraform does not say %q:\n%s", w, output)
		}
	}
}

func (w workdir) path(name string) string { return filepath.Join(w.folder, name) }

// command prepares terraform with a provider log of its own.
func (w workdir) command(t *testing.T, log string, args ...string) (*exec.Cmd, *bytes.Buffer) {
	t.Helper()
	// Where a command takes files, flags come before them.
	args = slices.Insert(slices.Clone(args), commandWords(args), "-no-color")
	cmd := exec.CommandContext(t.Context(), w.terraform, args...)
	cmd.Dir = w.folder
	cmd.Env = append(os.Environ(), "TF_CLI_CONFIG_FILE="+w.path("terraform.rc"), "TF_IN_AUTOMATION=1", "CHECKPOINT_DISABLE=1",
		"TF_LOG_PROVIDER=INFO", "TF_LOG_PATH="+w.path(log))
	var output bytes.Buffer
	cmd.Stdout, cmd.Stderr = &output, &output
	return cmd, &output
}

// commandWords counts the words that name the command: "apply", "state push".
func commandWords(args []string) int {
	if args[0] == "state" {
		return 2
	}
	return 1
}

// run runs terraform and wants an exit code.
func (w workdir) run(t *testing.T, log string, code int, args ...string) string {
	t.Helper()
	cmd, output := w.command(t, log, args...)
	err := cmd.Run()
	var exit *exec.ExitError
	if err != nil && !errors.As(err, &exit) {
		t.Fatalf("terraform %v: %v", args, err)
	}
	if got := cmd.ProcessState.ExitCode(); got != code {
		t.Fatalf("terraform %v ended with %d, want %d:\n%s", args, got, code, output)
	}
	return output.String()
}

// wantUntainted reads the state and fails if any resource in it is tainted.
// It returns how many resources there are.
func (w workdir) wantUntainted(t *testing.T) int {
	t.Helper()
	cmd, output := w.command(t, "show.log", "show", "-json")
	cmd.Stderr = nil
	if err := cmd.Run(); err != nil {
		t.Fatalf("terraform show: %v", err)
	}
	var state struct {
		Values struct {
			RootModule struct {
				Resources []struct {
					Address string
					Tainted bool
				}
			} `json:"root_module"`
		}
	}
	if err := json.Unmarshal(output.Bytes(), &state); err != nil {
		t.Fatalf("read state: %v", err)
	}
	for _, r := range state.Values.RootModule.Resources {
		if r.Tainted {
			t.Errorf("%s is tainted: the next apply would destroy it", r.Address)
		}
	}
	return len(state.Values.RootModule.Resources)
}

// stateIsEmpty tells whether terraform left an empty state file: a second
// interrupt can end it between truncating and writing it.
func (w workdir) stateIsEmpty(t *testing.T) bool {
	t.Helper()
	info, err := os.Stat(w.path("terraform.tfstate"))
	if err != nil {
		t.Fatal(err)
	}
	return info.Size() == 0
}

// ledger opens the ledger as another process does.
func (w workdir) ledger(t *testing.T) ledger.Store {
	t.Helper()
	store, err := sqlite.Open(t.Context(), w.path("tenant-ledger.db"), clock.System{}, strings.NewReader(""))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = store.Close() })
	return store
}

// loggedKey counts the lines of a provider log whose idempotency key is
// exactly key: the key of a second life or attempt begins with the first one's.
func (w workdir) loggedKey(t *testing.T, log, key string) (n int) {
	t.Helper()
	for _, line := range w.logged(t, log, "idempotency_key=") {
		if slices.Contains(strings.Fields(line), "idempotency_key="+key) {
			n++
		}
	}
	return n
}

// logged returns the lines of a provider log that say words.
func (w workdir) logged(t *testing.T, log, words string) []string {
	t.Helper()
	content, err := os.ReadFile(w.path(log))
	if err != nil {
		t.Fatal(err)
	}
	var lines []string
	for line := range strings.Lines(string(content)) {
		if strings.Contains(line, words) {
			lines = append(lines, line)
		}
	}
	return lines
}
