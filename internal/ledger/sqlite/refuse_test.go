package sqlite_test

import (
	"bytes"
	"crypto/rand"
	"database/sql"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/tenantplane/terraform-provider-tenant/internal/clock"
	"github.com/tenantplane/terraform-provider-tenant/internal/fault"
	"github.com/tenantplane/terraform-provider-tenant/internal/ledger"
	"github.com/tenantplane/terraform-provider-tenant/internal/ledger/sqlite"
)

// Each case makes what is found at a path inside folder, and returns the path.
var refusals = []struct {
	name, code string
	make       func(t *testing.T, folder string) string
}{
	{"a text file", "ledger.not_a_ledger", func(t *testing.T, folder string) string {
		return file(t, folder, []byte(strings.Repeat("resource \"tenant\" {}\n", 500)))
	}},
	{"two bytes", "ledger.not_a_ledger", func(t *testing.T, folder string) string { return file(t, folder, []byte("x\n")) }},
	{"511 bytes", "ledger.not_a_ledger", func(t *testing.T, folder string) string {
		return file(t, folder, bytes.Repeat([]byte("x"), 511))
	}},
	{"512 bytes", "ledger.not_a_ledger", func(t *testing.T, folder string) string {
		return file(t, folder, bytes.Repeat([]byte("x"), 512))
	}},
	{"3000 zeros", "ledger.not_a_ledger", func(t *testing.T, folder string) string {
		return file(t, folder, make([]byte, 3000))
	}},
	{"a ledger cut in half", "ledger.corrupt", func(t *testing.T, folder string) string {
		whole := ledgerBytes(t, folder)
		return file(t, folder, whole[:len(whole)/2])
	}},
	{"a ledger with a scrambled schema", "ledger.corrupt", func(t *testing.T, folder string) string {
		whole := ledgerBytes(t, folder)
		return file(t, folder, append(whole[:100:100], append(bytes.Repeat([]byte{0xa5}, 3000), whole[3100:]...)...))
	}},
	{"a ledger with scrambled tables", "ledger.corrupt", func(t *testing.T, folder string) string {
		whole := ledgerBytes(t, folder)
		return file(t, folder, append(whole[:4096:4096], bytes.Repeat([]byte{0xff}, len(whole)-4096)...))
	}},
	{"a database of another program", "ledger.foreign", func(t *testing.T, folder string) string {
		path := filepath.Join(folder, "tenant-ledger.db")
		execute(t, path, "CREATE TABLE goose_db_version (id INTEGER)")
		return path
	}},
	{"a ledger of a newer version", "ledger.newer", func(t *testing.T, folder string) string {
		path := file(t, folder, ledgerBytes(t, folder))
		execute(t, path, "INSERT INTO goose_db_version (version_id, is_applied) VALUES (9999, 1)")
		return path
	}},
	{"a folder", "ledger.path", func(t *testing.T, folder string) string { return folder }},
	{"a path below a file", "ledger.path", func(t *testing.T, folder string) string {
		return filepath.Join(file(t, folder, []byte("x")), "tenant-ledger.db")
	}},
	{"a path two missing folders deep", "ledger.path", func(t *testing.T, folder string) string {
		return filepath.Join(folder, "no", "such", "tenant-ledger.db")
	}},
	{"a device", "ledger.path", func(*testing.T, string) string { return "/dev/null" }},
	{"nothing", "ledger.path", func(*testing.T, string) string { return "" }},
	// Not even root can create a file in procfs.
	{"a file system that takes no files", "ledger.unwritable", func(*testing.T, string) string {
		return "/proc/tenant-ledger.db"
	}},
}

func TestWhatCannotBeALedgerIsExplainedAndLeftAlone(t *testing.T) {
	for _, c := range refusals {
		t.Run(c.name, func(t *testing.T) {
			path := c.make(t, t.TempDir())
			before, readable := os.ReadFile(path)
			for range 2 { // the second attempt must find what the first did
				_, err := sqlite.Open(t.Context(), path, clock.System{}, rand.Reader)
				refused(t, err, c.code, path)
			}
			if after, err := os.ReadFile(path); readable == nil && (err != nil || !bytes.Equal(before, after)) {
				t.Errorf("the file was changed (%v)", err)
			}
		})
	}
}

func refused(t *testing.T, err error, code, path string) {
	t.Helper()
	var f *fault.Fault
	if !errors.As(err, &f) {
		t.Fatalf("got %v, want a fault", err)
	}
	if f.Kind != fault.Terminal || f.Code != code {
		t.Errorf("got %s %s, want terminal %s: %v", f.Kind, f.Code, code, err)
	}
	if f.Action == "" || !strings.Contains(f.Error(), filepath.Dir(path)) && path != "" {
		t.Errorf("the error does not say where and what to do: %v", err)
	}
	if errors.Is(err, ledger.ErrNewer) != (code == "ledger.newer") {
		t.Errorf("errors.Is ErrNewer is wrong for %v", err)
	}
}

// ledgerBytes makes a ledger with content and returns the closed file.
func ledgerBytes(t *testing.T, folder string) []byte {
	t.Helper()
	path := filepath.Join(folder, "made.db")
	store, err := sqlite.Open(t.Context(), path, clock.System{}, rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := store.Declare(t.Context(), declaration(counted, strings.Repeat("long ", 5000))); err != nil {
		t.Fatal(err)
	}
	if err := store.Close(); err != nil {
		t.Fatal(err)
	}
	content, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return content
}

func file(t *testing.T, folder string, content []byte) string {
	t.Helper()
	path := filepath.Join(folder, "tenant-ledger.db")
	if err := os.WriteFile(path, content, 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

func execute(t *testing.T, path, statement string) {
	t.Helper()
	db, err := sql.Open("sqlite", "file:"+path)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := db.Exec(statement); err != nil {
		t.Fatal(err)
	}
	if err := db.Close(); err != nil {
		t.Fatal(err)
	}
}
