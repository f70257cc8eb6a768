package acctest

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"
)

// providers are the binaries this test binary built, by their build tags.
var providers struct {
	sync.Mutex
	built map[string]string
}

// Provider builds the provider, once a test binary and set of build tags, and
// returns its path, free of symbolic links.
func Provider(t testing.TB, tags ...string) string {
	t.Helper()
	providers.Lock()
	defer providers.Unlock()
	key := strings.Join(tags, ",")
	if binary := providers.built[key]; binary != "" {
		return binary
	}
	binary := filepath.Join(folder(t, "provider"), "terraform-provider-tenant")
	build := exec.Command("go", "build", "-buildvcs=false", "-tags="+key, "-ldflags=-s -w", "-o", binary, ".")
	build.Dir = moduleRoot(t)
	build.Env = append(os.Environ(), "CGO_ENABLED=0")
	if output, err := build.CombinedOutput(); err != nil {
		t.Fatalf("build the provider: %v\n%s", err, output)
	}
	binary, err := filepath.EvalSymlinks(binary)
	if err != nil {
		t.Fatalf("find the built provider: %v", err)
	}
	if providers.built == nil {
		providers.built = map[string]string{}
	}
	providers.built[key] = binary
	return binary
}

// Terraform returns the path of Terraform or OpenTofu.
func Terraform(t testing.TB) string {
	t.Helper()
	if path := os.Getenv("TF_ACC_TERRAFORM_PATH"); path != "" {
		return path
	}
	for _, name := range []string{"terraform", "tofu"} {
		if path, err := exec.LookPath(name); err == nil {
			return path
		}
	}
	t.Fatal("neither terraform nor tofu is on PATH; make test builds OpenTofu when both are missing")
	return ""
}
