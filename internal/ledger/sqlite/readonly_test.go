package sqlite_test

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
)

// nobody is a user that owns nothing; 65534 by convention on Linux.
const nobody = 65534

// Root may write everything, so that these tests let another process open the
// ledger: as the same user, or as nobody when that user is root.
func TestALedgerThatCannotBeWrittenIsExplainedAndLeftAlone(t *testing.T) {
	for _, c := range []struct {
		name         string
		file, folder os.FileMode
	}{
		{"a read-only file", 0o444, 0o777},
		{"a file of somebody else", 0o000, 0o777},
		{"a read-only folder", 0o666, 0o555},
	} {
		t.Run(c.name, func(t *testing.T) {
			folder := public(t)
			content := ledgerBytes(t, t.TempDir())
			path := file(t, folder, content)
			restrict(t, path, c.file)
			restrict(t, folder, c.folder)

			opener := stranger(t, "open", path)
			opener.release()
			got, _ := opener.wait()
			if got.Code != "ledger.unwritable" || !strings.Contains(got.Error, path) {
				t.Errorf("got %s: %s", got.Code, got.Error)
			}
			restrict(t, path, 0o600)
			if after, err := os.ReadFile(path); err != nil || !bytes.Equal(after, content) {
				t.Errorf("the file was changed (%v)", err)
			}
		})
	}
}

// public makes a folder that every user can reach.
func public(t *testing.T) string {
	t.Helper()
	folder := t.TempDir()
	restrict(t, filepath.Dir(folder), 0o755)
	return folder
}

func restrict(t *testing.T, path string, mode os.FileMode) {
	t.Helper()
	if err := os.Chmod(path, mode); err != nil {
		t.Fatal(err)
	}
}

// stranger starts a child that file permissions bind.
func stranger(t *testing.T, name, path string) *child {
	t.Helper()
	if os.Getuid() != 0 {
		return spawn(t, name, path, "")
	}
	binary, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	content, err := os.ReadFile(binary)
	if err != nil {
		t.Fatal(err)
	}
	reachable := filepath.Join(public(t), "child")
	if err := os.WriteFile(reachable, content, 0o755); err != nil {
		t.Fatal(err)
	}
	return spawnAs(t, &syscall.Credential{Uid: nobody, Gid: nobody}, reachable, name, path, "")
}
