package sqlite

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"time"

	"github.com/gofrs/flock"

	"github.com/tenantplane/terraform-provider-tenant/internal/fault"
)

// place makes path absolute and checks that a file can be there. A missing
// folder is created when its own parent exists; more missing levels look like
// a typing error and are refused.
func place(path string) (string, error) {
	if path == "" {
		return "", terminal("ledger.path", "the ledger's path is empty", "name a file, such as tenant-ledger.db", nil)
	}
	path, err := filepath.Abs(path)
	if err != nil {
		return "", terminal("ledger.path", "the working directory is unknown: "+err.Error(), "use an absolute path", err)
	}
	if err := makeFolder(filepath.Dir(path)); err != nil {
		return "", err
	}
	return path, checkFile(path)
}

func makeFolder(folder string) error {
	info, err := os.Stat(folder)
	switch {
	case err == nil && info.IsDir():
		return nil
	case err == nil:
		return terminal("ledger.path", folder+" is not a folder, so no ledger can be in it", "correct the ledger's path", nil)
	case !errors.Is(err, fs.ErrNotExist):
		return unwritable(folder, err)
	}
	err = os.Mkdir(folder, 0o700)
	switch {
	case err == nil, errors.Is(err, fs.ErrExist): // another process made it meanwhile
		return nil
	case errors.Is(err, fs.ErrNotExist):
		return terminal("ledger.path", "neither the folder "+folder+" nor its parent exists", "correct the ledger's path or create the folder", err)
	}
	return unwritable(folder, err)
}

func checkFile(path string) error {
	info, err := os.Stat(path)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil
	case err != nil:
		return unwritable(path, err)
	case info.IsDir():
		return terminal("ledger.path", path+" is a folder", "name a file in it, such as "+filepath.Join(path, "tenant-ledger.db"), nil)
	case !info.Mode().IsRegular():
		return terminal("ledger.path", path+" is not a regular file", "correct the ledger's path", nil)
	}
	return nil
}

// create makes an empty file that only its owner can read; SQLite gives its
// companion files the same mode. It never opens an existing file: closing it
// again would drop the locks that another Store of this process holds on it
// (sqlite.org/howtocorrupt.html, section 2.2).
func create(path string) error {
	file, err := os.OpenFile(path, os.O_CREATE|os.O_EXCL|os.O_RDWR, 0o600)
	if errors.Is(err, fs.ErrExist) {
		return nil
	}
	if err != nil {
		return unwritable(path, err)
	}
	return file.Close()
}

// lockPatience bounds the wait for others that open the same ledger, which
// takes each of them milliseconds, or seconds when it migrates.
const lockPatience = time.Minute

// Lock keeps every other process and goroutine from opening the ledger at
// path until the returned function is called. SQLite's own lock would not do:
// migrating takes several transactions.
func Lock(ctx context.Context, path string) (unlock func(), err error) {
	file := flock.New(path + ".lock")
	waiting, cancel := context.WithTimeout(ctx, lockPatience)
	defer cancel()
	_, err = file.TryLockContext(waiting, 5*time.Millisecond)
	switch {
	case err == nil:
		return func() { _ = file.Close() }, nil // the kernel drops the lock in any case
	case ctx.Err() != nil:
		return nil, ctx.Err()
	case errors.Is(err, context.DeadlineExceeded):
		f := fault.NewRetryable("ledger.busy", fmt.Sprintf("another process has been opening %s for %s", path, lockPatience), err)
		f.Action = "end that process if it hangs, then try again"
		return nil, f
	}
	return nil, unwritable(path, err)
}

// unwritable explains a refusal of the operating system.
func unwritable(path string, err error) error {
	return terminal("ledger.unwritable", fmt.Sprintf("the ledger %s cannot be written: %v", path, err),
		"give this user write access to the file and its folder, or choose another path", err)
}
