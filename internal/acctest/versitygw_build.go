package acctest

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"github.com/gofrs/flock"
)

// versityGWPackage is the main package of the S3 server; its version is pinned
// in internal/tools/versitygw/go.mod.
const versityGWPackage = "github.com/versity/versitygw/cmd/versitygw"

// versityGW returns the path of the S3 server's binary. It is built from the
// pinned module on first use, which takes minutes, and kept in the user's
// cache folder under the hash of that module's requirements. A lock lets test
// binaries that start together build it once, and a rename makes the result
// appear whole or not at all.
func versityGW(t testing.TB) string {
	t.Helper()
	root := moduleRoot(t)
	modfile := filepath.Join(root, "internal", "tools", "versitygw", "go.mod")
	cache := versityGWCache(t, modfile)
	binary := filepath.Join(cache, "versitygw")

	lock := flock.New(filepath.Join(cache, "lock"))
	if err := lock.Lock(); err != nil {
		t.Fatalf("lock %s: %v", cache, err)
	}
	defer func() { _ = lock.Unlock() }()
	if _, err := os.Stat(binary); err == nil {
		return binary
	}

	unfinished := binary + ".unfinished"
	build := exec.Command("go", "build", "-trimpath", "-ldflags=-s -w", "-modfile="+modfile, "-o", unfinished, versityGWPackage)
	build.Dir = root
	build.Env = append(os.Environ(), "GOFLAGS=", "CGO_ENABLED=0")
	if output, err := build.CombinedOutput(); err != nil {
		t.Fatalf("build %s from %s: %v\n%s", versityGWPackage, modfile, err, output)
	}
	if err := os.Rename(unfinished, binary); err != nil {
		t.Fatalf("keep the S3 server: %v", err)
	}
	return binary
}

// versityGWCache makes the folder that belongs to the requirements in modfile.
func versityGWCache(t testing.TB, modfile string) string {
	t.Helper()
	requirements, err := os.ReadFile(modfile)
	if err != nil {
		t.Fatalf("read the pinned version of the S3 server: %v", err)
	}
	base, err := os.UserCacheDir()
	if err != nil {
		t.Fatalf("find the cache folder for the S3 server: %v", err)
	}
	sum := sha256.Sum256(requirements)
	cache := filepath.Join(base, "terraform-provider-tenant", "versitygw", hex.EncodeToString(sum[:6]))
	if err := os.MkdirAll(cache, 0o755); err != nil {
		t.Fatalf("make the cache folder for the S3 server: %v", err)
	}
	return cache
}

// moduleRoot returns the folder of the provider's go.mod, looked for upwards
// from the test's working directory.
func moduleRoot(t testing.TB) string {
	t.Helper()
	start, err := os.Getwd()
	if err != nil {
		t.Fatalf("find the module root: %v", err)
	}
	for folder := start; ; folder = filepath.Dir(folder) {
		_, err := os.Stat(filepath.Join(folder, "go.mod"))
		if err == nil {
			return folder
		}
		if !errors.Is(err, fs.ErrNotExist) || folder == filepath.Dir(folder) {
			t.Fatalf("find the module root above %s: %v", start, err)
		}
	}
}
