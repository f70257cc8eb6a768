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

// Purge implements backend.Purger. The date is in the archive's name, too, so
// that one whose destruction was interrupted, and whose label is gone, is still
// known.
func (b *Backend) Purge(ctx context.Context, removal backend.Removal) (backend.Receipt, error) {
	root, err := b.enter(ctx, "purge", removal.Target)
	if err != nil {
		return backend.Receipt{}, err
	}
	defer func() { _ = root.Close() }()
	place := path.Join(archiveFolder, path.Base(removal.Name))
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
	files, err := countFiles(root, place)
	if err == nil {
		err = root.RemoveAll(place)
	}
	if err != nil {
		return backend.Receipt{}, b.failed("purge the archive of", removal.Target, err)
	}
	return backend.Receipt{Outcome: backend.OutcomeDestroyed, Details: map[string]string{
		"archive": path.Join(b.path, place), "files": strconv.Itoa(files),
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
	if m := l.marker(); !m.IsZero() && m != removal.Marker() {
		return time.Time{}, conflict("purge the archive of", removal.Target, m)
	}
	return until, nil
}
