package sqlite_test

import (
	"crypto/rand"
	"io/fs"
	"os"
	"path/filepath"
	"testing"
	"testing/iotest"
	"time"

	"github.com/tenantplane/terraform-provider-tenant/internal/clock"
	"github.com/tenantplane/terraform-provider-tenant/internal/ledger"
	"github.com/tenantplane/terraform-provider-tenant/internal/ledger/sqlite"
)

func open(t *testing.T, path string) ledger.Store {
	t.Helper()
	store, err := sqlite.Open(t.Context(), path, clock.System{}, rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := store.Close(); err != nil {
			t.Error(err)
		}
	})
	return store
}

func TestANewLedgerIsItsOwnersAlone(t *testing.T) {
	path := filepath.Join(t.TempDir(), "tenant-ledger.db")
	store := open(t, path)
	if _, err := store.Declare(t.Context(), declaration(counted, "first")); err != nil {
		t.Fatal(err)
	}
	for _, suffix := range []string{"", "-wal", "-shm", ".lock"} {
		info, err := os.Stat(path + suffix)
		if err != nil {
			t.Fatal(err)
		}
		if info.Mode().Perm() != 0o600 {
			t.Errorf("ledger%s has mode %v, want 0600", suffix, info.Mode().Perm())
		}
	}
}

func TestAMissingFolderIsCreatedForTheOwnerAlone(t *testing.T) {
	folder := filepath.Join(t.TempDir(), "state")
	open(t, filepath.Join(folder, "tenant-ledger.db"))
	info, err := os.Stat(folder)
	if err != nil {
		t.Fatal(err)
	}
	if info.Mode() != fs.ModeDir|0o700 {
		t.Errorf("the folder has mode %v, want 0700", info.Mode())
	}
}

func TestAPathMayHoldAnyCharacters(t *testing.T) {
	path := filepath.Join(t.TempDir(), "a b?c#d%41&mode=memory é.db")
	id, err := open(t, path).Installation(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	again, err := open(t, path).Installation(t.Context())
	if err != nil || again != id {
		t.Errorf("installation %s, then %s (%v)", id, again, err)
	}
	if _, err := os.Stat(path); err != nil {
		t.Error(err)
	}
}

func TestALedgerWhoseCreationFailedIsFinishedByTheNextOpen(t *testing.T) {
	path := filepath.Join(t.TempDir(), "tenant-ledger.db")
	if _, err := sqlite.Open(t.Context(), path, clock.System{}, iotest.ErrReader(fs.ErrInvalid)); err == nil {
		t.Fatal("a ledger was created without randomness")
	}
	if id, err := open(t, path).Installation(t.Context()); err != nil || id == "" {
		t.Errorf("installation %q, %v", id, err)
	}
}

// Several rounds: whether eight processes collide is a matter of luck.
func TestEightFirstOpensMakeOneLedger(t *testing.T) {
	for range 5 {
		path := filepath.Join(t.TempDir(), "tenant-ledger.db")
		seen := openTogether(t, 8, path)
		if len(seen) != 1 {
			t.Errorf("eight openers saw the installations %v, want one", seen)
		}
		intact(t, path)
	}
}

// openTogether lets n processes open the ledger at once and counts the
// installations they saw.
func openTogether(t *testing.T, n int, path string) map[string]int {
	t.Helper()
	var openers []*child
	for range n {
		openers = append(openers, spawn(t, "open", path, ""))
	}
	time.Sleep(50 * time.Millisecond) // most wait at the gate by now
	for _, c := range openers {
		c.release()
	}
	seen := map[string]int{}
	for _, c := range openers {
		got, _ := c.wait()
		if got.Error != "" {
			t.Errorf("an opener failed: %s", got.Error)
		}
		seen[got.Installation]++
	}
	return seen
}
