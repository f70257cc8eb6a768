package sqlite_test

import (
	"context"
	"crypto/rand"
	"fmt"
	"os/signal"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	driver "modernc.org/sqlite"

	"github.com/tenantplane/terraform-provider-tenant/internal/clock"
	"github.com/tenantplane/terraform-provider-tenant/internal/ledger/sqlite"
)

// fullChild declares the same tenant anew until there is no room: SQLite's own
// limit of pages, which it reports as it does a full disk, or the operating
// system's limit of a file's size, which fails the write itself.
func fullChild(path, limit string) (report, error) {
	switch limit {
	case "pages":
		driver.RegisterConnectionHook(func(conn driver.ExecQuerierContext, _ string) error {
			_, err := conn.ExecContext(context.Background(), "PRAGMA max_page_count = 60", nil)
			return err
		})
	case "file size":
		signal.Ignore(syscall.SIGXFSZ) // the write is to fail, not the process
		size := syscall.Rlimit{Cur: 400 << 10, Max: 400 << 10}
		if err := syscall.Setrlimit(syscall.RLIMIT_FSIZE, &size); err != nil {
			return report{}, err
		}
	}
	var done report
	store, err := sqlite.Open(context.Background(), path, clock.System{}, rand.Reader)
	if err != nil {
		return done, err
	}
	for done.Declarations < 1000 {
		name := fmt.Sprint(done.Declarations, strings.Repeat("x", 1000*int(done.Declarations)))
		if err := redeclare(context.Background(), store, name); err != nil {
			return done, err
		}
		done.Declarations++
	}
	return done, nil
}

func TestADiskThatFillsUpInTheMiddleOfAWriteLosesNothing(t *testing.T) {
	for limit, code := range map[string]string{"pages": "ledger.full", "file size": "ledger.failed"} {
		t.Run(limit, func(t *testing.T) {
			path := filepath.Join(t.TempDir(), "tenant-ledger.db")
			writer := spawn(t, "full", path, limit)
			writer.release()
			got, killed := writer.wait()
			if killed || got.Code != code || !strings.Contains(got.Error, path) || !strings.Contains(got.Error, "disk") {
				t.Errorf("the writer heard %s: %s", got.Code, got.Error)
			}
			if got.Declarations < 3 {
				t.Errorf("there was room for %d declarations only", got.Declarations)
			}
			store := open(t, path) // with room again
			row, err := store.Tenant(t.Context(), declared)
			if err != nil || int64(row.DesiredGeneration) != got.Declarations {
				t.Errorf("the ledger is at generation %d (%v), %d declarations were confirmed", row.DesiredGeneration, err, got.Declarations)
			}
			if err := redeclare(t.Context(), store, "with room again"); err != nil {
				t.Errorf("the next write fails: %v", err)
			}
			intact(t, path)
		})
	}
}
