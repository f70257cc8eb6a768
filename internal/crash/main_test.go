package crash_test

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"sync"
	"testing"

	"github.com/tenantplane/terraform-provider-tenant/internal/acctest"
)

func TestMain(m *testing.M) {
	code := acctest.Main(m)
	_ = os.RemoveAll(binFolder)
	os.Exit(code)
}

// binFolder is where the provider is built, once for all samples.
var binFolder = filepath.Join(os.TempDir(), fmt.Sprintf("tenant-crash-%d", os.Getpid()))

// build makes the provider that announces its ledger writes.
var build = sync.OnceValues(func() (string, error) {
	binary := filepath.Join(binFolder, "terraform-provider-tenant")
	cmd := exec.Command("go", "build", "-buildvcs=false", "-tags", "crash", "-ldflags", "-s -w", "-o", binary, ".")
	cmd.Dir = filepath.Join("..", "..")
	cmd.Env = append(os.Environ(), "CGO_ENABLED=0")
	if output, err := cmd.CombinedOutput(); err != nil {
		return "", fmt.Errorf("go build: %w\n%s", err, output)
	}
	return filepath.EvalSymlinks(binary)
})

// provider returns the path of the built provider, free of symbolic links.
func provider(t *testing.T) string {
	t.Helper()
	binary, err := build()
	if err != nil {
		t.Fatal(err)
	}
	return binary
}

// terraform returns the path of Terraform or OpenTofu.
func terraform(t *testing.T) string {
	t.Helper()
	if path := os.Getenv("TF_ACC_TERRAFORM_PATH"); path != "" {
		return path
	}
	for _, name := range []string{"terraform", "tofu"} {
		if path, err := exec.LookPath(name); err == nil {
			return path
		}
	}
	t.Fatal("neither terraform nor tofu is on PATH; make crash builds OpenTofu when both are missing")
	return ""
}
