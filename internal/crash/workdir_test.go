package crash_test

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"testing"
	"time"

	"github.com/tenantplane/terraform-provider-tenant/internal/acctest"
)

// runLimit is how long one run of terraform may take.
const runLimit = 90 * time.Second

// workdir is a folder with a configuration, its state and perhaps its ledger.
type workdir struct {
	folder, terraform, provider string
	// control is where the provider announces its ledger writes.
	control string
}

// newWorkdir makes a folder whose terraform uses the built provider. It is
// kept when the test fails.
func newWorkdir(t *testing.T, control string) workdir {
	t.Helper()
	folder, err := os.MkdirTemp("", "tenant-crash-sample-")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if t.Failed() {
			t.Logf("work folder: %s", folder)
			return
		}
		_ = os.RemoveAll(folder)
	})
	w := workdir{folder: folder, terraform: acctest.Terraform(t), provider: provider(t), control: control}
	w.write(t, "terraform.rc", fmt.Sprintf("provider_installation {\n  dev_overrides {\n    \"tenantplane/tenant\" = %q\n  }\n  direct {}\n}\n", filepath.Dir(w.provider)))
	return w
}

func (w workdir) path(name string) string { return filepath.Join(w.folder, name) }

func (w workdir) write(t *testing.T, name, content string) {
	t.Helper()
	if err := os.WriteFile(w.path(name), []byte(content), 0o600); err != nil {
		t.Fatal(err)
	}
}

// execution is one finished run of terraform.
type execution struct {
	args   []string
	code   int
	output string
	took   time.Duration
}

func (e execution) String() string {
	return fmt.Sprintf("terraform %v ended with %d after %.1fs:\n%s", e.args, e.code, e.took.Seconds(), e.output)
}

// start starts terraform; the returned function waits for its end. Code -1 is
// the end by a signal, the limit's included.
func (w workdir) start(ctx context.Context, args ...string) (*exec.Cmd, func() execution, error) {
	ctx, cancel := context.WithTimeout(ctx, runLimit)
	cmd := exec.CommandContext(ctx, w.terraform, append(args, "-no-color")...)
	cmd.Dir = w.folder
	// The output ends with terraform, whoever else still holds it.
	cmd.WaitDelay = time.Second
	cmd.Env = append(os.Environ(), "TF_CLI_CONFIG_FILE="+w.path("terraform.rc"), "TF_IN_AUTOMATION=1", "CHECKPOINT_DISABLE=1",
		"TENANT_CRASH_CONTROL="+w.control,
		"GOGC=400") // short processes on a busy machine: collecting costs more than it saves
	var output bytes.Buffer
	cmd.Stdout, cmd.Stderr = &output, &output
	begin := time.Now()
	if err := cmd.Start(); err != nil {
		cancel()
		return nil, nil, err
	}
	return cmd, func() execution {
		defer cancel()
		_ = cmd.Wait() // the exit code says it
		return execution{args: args, code: cmd.ProcessState.ExitCode(), output: output.String(), took: time.Since(begin)}
	}, nil
}

// state is what is kept of terraform's state file.
type state struct {
	Resources []struct {
		Type      string
		Instances []struct {
			Status     string
			Attributes json.RawMessage
		}
	}
}

// state reads terraform's state file. A missing one has nothing in it, and so
// has one of no length, which terraform makes before it has anything to write.
func (w workdir) state() (state, error) {
	var s state
	content, err := os.ReadFile(w.path("terraform.tfstate"))
	if os.IsNotExist(err) || err == nil && len(content) == 0 {
		return s, nil
	}
	if err != nil {
		return s, err
	}
	if err := json.Unmarshal(content, &s); err != nil {
		return s, fmt.Errorf("read state: %w", err)
	}
	return s, nil
}

// tainted counts what the next apply would destroy and make anew.
func (s state) tainted() (n int) {
	for _, r := range s.Resources {
		for _, i := range r.Instances {
			if i.Status == "tainted" {
				n++
			}
		}
	}
	return n
}

// mentions tells whether the tenant's attributes hold a text.
func (s state) mentions(text string) bool {
	for _, r := range s.Resources {
		for _, i := range r.Instances {
			if r.Type == "tenant" && bytes.Contains(i.Attributes, []byte(text)) {
				return true
			}
		}
	}
	return false
}
