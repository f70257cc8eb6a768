package localdir

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"strconv"

	"github.com/tenantplane/terraform-provider-tenant/internal/backend"
	"github.com/tenantplane/terraform-provider-tenant/internal/fault"
	"github.com/tenantplane/terraform-provider-tenant/internal/tenant"
)

// removingPrefix begins the name of a folder that is being destroyed.
const removingPrefix = ".removing-"

// Outcomes of removals.
const (
	outcomeDeleted  = "deleted"
	outcomeAbsent   = "already absent"
	outcomeArchived = "archived"
)

// Remove implements backend.Backend. With ArchiveData it does what Archive does.
func (b *Backend) Remove(ctx context.Context, removal backend.Removal) (backend.Receipt, error) {
	if removal.Data == tenant.ArchiveData {
		return b.Archive(ctx, removal)
	}
	root, err := b.enter(ctx, "remove", removal.Target)
	if err != nil {
		return backend.Receipt{}, err
	}
	defer func() { _ = root.Close() }()
	finished, err := b.finish(root, removal)
	if err != nil {
		return backend.Receipt{}, err
	}
	unmarked, err := b.own(root, "remove", removal.Target, removal.TakeUnmarked)
	switch {
	case fault.Is(err, fault.NotFound) && finished:
		return backend.Receipt{Outcome: outcomeDeleted}, nil
	case fault.Is(err, fault.NotFound):
		return backend.Receipt{Outcome: outcomeAbsent}, nil
	case err != nil:
		return backend.Receipt{}, err
	}
	if unmarked {
		// Its name alone says that it is ours. One that holds anything may be a
		// stranger's that took the name, whatever the policy for our data is.
		removal.Data = tenant.RetainData
	}
	return b.destroy(root, removal)
}

// own checks that the folder is there and ours, right before something is done
// to it. With takeUnmarked it may carry no marker at all.
func (b *Backend) own(root *os.Root, verb string, target backend.Target, takeUnmarked bool) (unmarked bool, err error) {
	found, err := b.look(root, verb, target)
	if err != nil {
		return false, err
	}
	unmarked = found.marker().IsZero()
	if found.marker() != target.Marker() && !(unmarked && takeUnmarked) {
		return false, conflict(verb, target, found.marker())
	}
	return unmarked, nil
}

// destroy moves the folder out of its users' reach and destroys it there,
// unless it holds files that the policy retains. It looks once more after the
// move: nothing can be written by name any more then.
func (b *Backend) destroy(root *os.Root, removal backend.Removal) (backend.Receipt, error) {
	name, aside := folderName(removal.Target), removingPrefix+folderName(removal.Target)
	if err := b.checkEmpty(root, name, removal); err != nil {
		return backend.Receipt{}, err
	}
	if err := root.Rename(name, aside); err != nil {
		return backend.Receipt{}, b.failed("remove", removal.Target, err)
	}
	if err := b.checkEmpty(root, aside, removal); err != nil {
		return backend.Receipt{}, errors.Join(err, root.Rename(aside, name))
	}
	files, err := countFiles(root, aside)
	if err == nil {
		err = root.RemoveAll(aside)
	}
	if err != nil {
		return backend.Receipt{}, b.failed("remove", removal.Target, err)
	}
	return backend.Receipt{Outcome: outcomeDeleted, Details: map[string]string{"files": strconv.Itoa(files)}}, nil
}

// checkEmpty returns a Terminal fault when the folder holds files and the
// policy is not to destroy them.
func (b *Backend) checkEmpty(root *os.Root, folder string, removal backend.Removal) error {
	if removal.Data == tenant.DeleteData {
		return nil
	}
	files, err := countFiles(root, folder)
	if err != nil {
		return b.failed("remove", removal.Target, err)
	}
	if files > 0 {
		return notEmpty(removal.Target, files)
	}
	return nil
}

func notEmpty(target backend.Target, files int) error {
	return wrap("remove", target, fault.NewTerminal("storage.folder_not_empty", target.Path,
		fmt.Sprintf("folder %s holds %d files, and the policy is to retain data", folderName(target), files),
		`empty the folder, or set storage.on_destroy to "archive" or "purge"`))
}

// finish ends a removal that was interrupted and tells whether there was one.
// Files that turned up in it under a policy to retain go back into place.
func (b *Backend) finish(root *os.Root, removal backend.Removal) (bool, error) {
	name, aside := folderName(removal.Target), removingPrefix+folderName(removal.Target)
	if _, err := root.Lstat(aside); errors.Is(err, fs.ErrNotExist) {
		return false, nil
	}
	if err := b.checkEmpty(root, aside, removal); err != nil {
		if _, occupied := root.Lstat(name); !errors.Is(occupied, fs.ErrNotExist) {
			return false, err
		}
		return false, errors.Join(err, root.Rename(aside, name))
	}
	if err := root.RemoveAll(aside); err != nil {
		return false, b.failed("remove", removal.Target, err)
	}
	return true, nil
}

// countFiles counts everything below a folder but folders and its own label,
// finished or not.
func countFiles(root *os.Root, folder string) (int, error) {
	var files int
	err := fs.WalkDir(root.FS(), folder, func(name string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() || name == path.Join(folder, labelFile) || name == path.Join(folder, unfinishedLabel) {
			return err
		}
		files++
		return nil
	})
	return files, err
}
