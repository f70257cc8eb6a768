package localdir

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"strconv"
	"strings"
	"time"

	"github.com/tenantplane/terraform-provider-tenant/internal/backend"
	"github.com/tenantplane/terraform-provider-tenant/internal/fault"
)

// Purge implements backend.Purger. An archive is moved aside before it is
// destroyed: one whose destruction was interrupted, and whose label is gone, is
// still known by that.
func (b *Backend) Purge(ctx context.Context, removal backend.Removal) (backend.Receipt, error) {
	root, err := b.enter(ctx, "purge", removal.Target)
	if err != nil {
		return backend.Receipt{}, err
	}
	defer func() { _ = root.Close() }()
	place := path.Join(archiveFolder, path.Base(removal.Name))
	aside := path.Join(archiveFolder, removingPrefix+path.Base(removal.Name))
	if _, err := root.Lstat(aside); err == nil { // an earlier call was interrupted
		return b.removeArchive(root, removal, aside)
	}
	if _, err := root.Lstat(place); errors.Is(err, fs.ErrNotExist) {
		return backend.Receipt{Outcome: outcomeAbsent}, b.mounted(root, "purge", removal.Target)
	}
	until, err := b.endOf(root, place, removal)
	if err != nil {
		return backend.Receipt{}, err
	}
	if until.After(removal.Now) {
		return backend.Receipt{Outcome: "its retention runs", PendingUntil: until}, nil
	}
	if err := root.Rename(place, aside); err != nil {
		return backend.Receipt{}, b.failed("purge the archive of", removal.Target, err)
	}
	return b.removeArchive(root, removal, aside)
}

// removeArchive destroys an archive that was moved aside: that it was, is the
// word that it may go, whatever of it is left.
func (b *Backend) removeArchive(root *os.Root, removal backend.Removal, aside string) (backend.Receipt, error) {
	files, err := countFiles(root, aside)
	if err == nil {
		err = root.RemoveAll(aside)
	}
	if err != nil {
		return backend.Receipt{}, b.failed("purge the archive of", removal.Target, err)
	}
	return backend.Receipt{Outcome: backend.OutcomeDestroyed, Details: map[string]string{
		"archive": removal.Name, "files": strconv.Itoa(files),
	}}, nil
}

// endOf reads an archive's date, and refuses one that is not this tenant's.
func (b *Backend) endOf(root *os.Root, place string, removal backend.Removal) (time.Time, error) {
	rest, ours := strings.CutPrefix(path.Base(place), folderName(removal.Target)+".")
	date, _, _ := strings.Cut(rest, ".")
	until, err := time.Parse("20060102T150405Z", date)
	if !ours || err != nil {
		return time.Time{}, wrap("purge", removal.Target, fault.NewConflict("storage.not_archived", removal.Path,
			fmt.Sprintf("%s is not an archive of this folder", place), "move it away if nobody needs it there"))
	}
	l, err := readLabel(root, place)
	if err != nil {
		return time.Time{}, b.failed("purge the archive of", removal.Target, err)
	}
	if m := l.marker(); m != removal.Marker() {
		return time.Time{}, conflict("purge the archive of", removal.Target, m)
	}
	return until, nil
}
