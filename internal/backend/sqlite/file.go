package sqlite

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"io/fs"
	"net/url"
	"os"
	"path/filepath"
	"time"

	"github.com/gofrs/flock"

	"github.com/tenantplane/terraform-provider-tenant/internal/backend"
	"github.com/tenantplane/terraform-provider-tenant/internal/fault"
)

const (
	fileEnd     = ".db"
	disabledEnd = ".disabled"
	lockFile    = ".tenant.lock"
	// lockPoll is how often a waiting call tries the folder's lock.
	lockPoll = 10 * time.Millisecond
)

// active is where a tenant's file is, disabled where it is while access is off.
func (b *Backend) active(name string) string   { return filepath.Join(b.folder, name+fileEnd) }
func (b *Backend) disabled(name string) string { return b.active(name) + disabledEnd }

// sentinel is a file that says that the folder is the one that held tenants.
func (b *Backend) sentinel() string { return filepath.Join(b.folder, ".tenant-folder") }

// leaveSentinel marks the folder before the first tenant's file is made.
func (b *Backend) leaveSentinel() error {
	file, err := os.OpenFile(b.sentinel(), os.O_CREATE|os.O_WRONLY, 0o600)
	if err != nil {
		return err
	}
	return file.Close()
}

// present tells whether a file is there. Absence from a folder that is missing,
// or that never held a tenant, proves nothing about an object that was
// recorded: a volume may not be mounted.
func (b *Backend) present(path string, target backend.Target) (bool, error) {
	_, err := os.Stat(path)
	if err == nil {
		return true, nil
	}
	if !errors.Is(err, fs.ErrNotExist) {
		return false, err
	}
	if _, err := os.Stat(b.sentinel()); err != nil && target.ExternalID != "" {
		f := fault.NewTerminal("sqlite.folder_missing", b.path,
			fmt.Sprintf("the file %s is not there, so the folder is not the one that held tenants", b.sentinel()),
			"mount or restore the right one; if that is gone for good, make an empty file of that name")
		f.BackendWide = true
		return false, f
	}
	return false, nil
}

// locked runs f while no other process changes anything in the folder.
func (b *Backend) locked(ctx context.Context, f func(context.Context) error) error {
	ctx, cancel := context.WithTimeout(ctx, b.timeout)
	defer cancel()
	if _, err := os.Stat(b.folder); errors.Is(err, fs.ErrNotExist) {
		return f(ctx) // nothing there to be changed
	}
	lock := flock.New(filepath.Join(b.folder, lockFile), flock.SetPermissions(0o600))
	if _, err := lock.TryLockContext(ctx, lockPoll); err != nil {
		return fmt.Errorf("wait for the folder's lock: %w", err)
	}
	defer func() { _ = lock.Unlock() }()
	return f(ctx)
}

// transact runs f in one write transaction on an existing file; it never makes
// one.
func (b *Backend) transact(ctx context.Context, path string, f func(*sql.Tx) error) error {
	u := url.URL{Scheme: "file", Path: path, RawQuery: url.Values{
		"mode":    {"rw"},
		"_txlock": {"immediate"},
		"_pragma": {fmt.Sprintf("busy_timeout(%d)", b.timeout.Milliseconds()/2), "foreign_keys(1)"},
	}.Encode()}
	db, err := sql.Open("sqlite", u.String())
	if err != nil {
		return err
	}
	defer db.Close()
	tx, err := db.BeginTx(ctx, nil)
	if err != nil {
		return err
	}
	defer func() { _ = tx.Rollback() }() // does nothing after a commit
	if err := f(tx); err != nil {
		return err
	}
	return tx.Commit()
}

// settle makes the file complete without its companions and tells when some
// program is using it, so that it can be renamed.
func (b *Backend) settle(ctx context.Context, path string) error {
	u := url.URL{Scheme: "file", Path: path, RawQuery: "mode=rw&_txlock=exclusive"}
	db, err := sql.Open("sqlite", u.String())
	if err != nil {
		return err
	}
	defer db.Close()
	db.SetMaxOpenConns(1)
	if _, err := db.ExecContext(ctx, "PRAGMA journal_mode = DELETE"); err != nil {
		return fmt.Errorf("fold in the write-ahead log: %w", err)
	}
	tx, err := db.BeginTx(ctx, nil)
	if err != nil {
		return fmt.Errorf("get the file for ourselves: %w", err)
	}
	return tx.Rollback()
}

// move settles and renames a file; it never replaces another one.
func (b *Backend) move(ctx context.Context, from, to string) error {
	if err := b.settle(ctx, from); err != nil {
		return err
	}
	if _, err := os.Lstat(to); !errors.Is(err, fs.ErrNotExist) {
		return errors.Join(err, fault.NewConflict("sqlite.in_the_way", b.path, "the file "+to+" is in the way", "move it away"))
	}
	return os.Rename(from, to)
}
