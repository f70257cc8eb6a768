package provider_test

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"github.com/tenantplane/terraform-provider-tenant/internal/acctest"
)

// cli runs the real terraform with the real, built provider, where exit codes,
// logs and files matter.
type cli struct {
	t         *testing.T
	folder    string
	terraform string
}

// newCLI writes a configuration and points terraform at the built provider.
func newCLI(t *testing.T, config string) *cli {
	t.Helper()
	c := &cli{t: t, folder: t.TempDir(), terraform: acctest.Terraform(t)}
	c.write("terraform.rc", fmt.Sprintf("provider_installation {\n  dev_overrides {\n    \"tenantplane/tenant\" = %q\n  }\n}\n", filepath.Dir(acctest.Provider(t))))
	c.configure(config)
	return c
}

// configure replaces the configuration.
func (c *cli) configure(config string) {
	c.t.Helper()
	c.write("main.tf", "terraform {\n  required_providers {\n    tenant = { source = \"tenantplane/tenant\" }\n  }\n}\n"+config)
}

func (c *cli) write(name, text string) {
	c.t.Helper()
	if err := os.WriteFile(filepath.Join(c.folder, name), []byte(text), 0o600); err != nil {
		c.t.Fatal(err)
	}
}

// run returns what terraform printed; another exit code than want fails the
// test.
func (c *cli) run(want int, args ...string) string {
	c.t.Helper()
	return c.runWith(nil, want, args...)
}

// runWith is run with further environment variables.
func (c *cli) runWith(env []string, want int, args ...string) string {
	c.t.Helper()
	var output bytes.Buffer
	cmd := exec.Command(c.terraform, append(args, "-no-color")...)
	cmd.Dir, cmd.Stdout, cmd.Stderr = c.folder, &output, &output
	cmd.Env = append(os.Environ(), "TF_CLI_CONFIG_FILE="+filepath.Join(c.folder, "terraform.rc"), "CHECKPOINT_DISABLE=1", "TF_IN_AUTOMATION=1")
	cmd.Env = append(cmd.Env, env...)
	err := cmd.Run()
	var exit *exec.ExitError
	if err != nil && !errors.As(err, &exit) {
		c.t.Fatal(err)
	}
	if got := cmd.ProcessState.ExitCode(); got != want {
		c.t.Fatalf("terraform %v: exit code %d, want %d:\n%s", args, got, want, output.String())
	}
	return output.String()
}
