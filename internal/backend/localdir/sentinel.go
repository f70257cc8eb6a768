package localdir

import (
	"errors"
	"fmt"
	"io/fs"
	"os"

	"github.com/tenantplane/terraform-provider-tenant/internal/backend"
	"github.com/tenantplane/terraform-provider-tenant/internal/fault"
)

// sentinel is a file that says that a directory is the one that held tenants.
// Where a volume is not mounted, its mount point is an empty directory, and
// absence in there proves nothing.
const sentinel = ".tenant-folder"

// leaveSentinel marks the directory before the first tenant's folder is made.
func leaveSentinel(root *os.Root) error {
	file, err := root.OpenFile(sentinel, os.O_CREATE|os.O_WRONLY, 0o644)
	if err != nil {
		return err
	}
	return file.Close()
}

// mounted refuses to conclude anything about a recorded folder from a directory
// that never held a tenant.
func (b *Backend) mounted(root *os.Root, verb string, target backend.Target) error {
	if target.ExternalID == "" {
		return nil
	}
	_, err := root.Lstat(sentinel)
	if err == nil {
		return nil
	}
	if !errors.Is(err, fs.ErrNotExist) {
		return b.failed(verb, target, err)
	}
	f := fault.NewTerminal("storage.folder_missing", b.option,
		fmt.Sprintf("the directory %s has no file %s, so it is not the one that held tenants", b.path, sentinel),
		"mount or restore the right one; if that is gone for good, make an empty file of that name")
	f.BackendWide = true
	return wrap(verb, target, f)
}
