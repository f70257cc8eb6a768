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

// archiveFolder holds what was archived.
const archiveFolder = "archive"

// Archive implements backend.Archiver. The folder moves into the archive, and
// its name is free. The Receipt is pending until the end of the retention,
// after which Purge destroys it.
func (b *Backend) Archive(ctx context.Context, removal backend.Removal) (backend.Receipt, error) {
	root, err := b.enter(ctx, "archive", removal.Target)
	if err != nil {
		return backend.Receipt{}, err
	}
	defer func() { _ = root.Close() }()
	switch _, err := b.own(root, "archive", removal.Target, false); {
	case fault.Is(err, fault.NotFound):
		return b.archivedBefore(root, removal)
	case err != nil:
		return backend.Receipt{}, err
	}
	place, files, err := archive(root, folderName(removal.Target), removal.RetainUntil.UTC(), removal.Key)
	if err != nil {
		return backend.Receipt{}, b.failed("archive", removal.Target, err)
	}
	return b.archiveReceipt(place, removal.RetainUntil, files), nil
}

func (b *Backend) archiveReceipt(place string, until time.Time, files int) backend.Receipt {
	return backend.Receipt{
		Outcome: outcomeArchived, PendingUntil: until,
		Details: map[string]string{
			"archive":      path.Join(b.path, place),
			"retain_until": until.UTC().Format(time.RFC3339),
			"files":        strconv.Itoa(files),
		},
	}
}

// archivedBefore answers a repeated call for a folder that is gone: with where
// the call of this key put it, or with its absence.
func (b *Backend) archivedBefore(root *os.Root, removal backend.Removal) (backend.Receipt, error) {
	entries, err := fs.ReadDir(root.FS(), archiveFolder)
	if errors.Is(err, fs.ErrNotExist) {
		return backend.Receipt{Outcome: outcomeAbsent}, nil
	}
	if err != nil {
		return backend.Receipt{}, b.failed("archive", removal.Target, err)
	}
	for _, entry := range entries {
		if !strings.HasPrefix(entry.Name(), folderName(removal.Target)+".") {
			continue
		}
		place := path.Join(archiveFolder, entry.Name())
		l, err := readLabel(root, place)
		if err != nil || l.marker() != removal.Marker() || l.ArchiveKey == "" || l.ArchiveKey != removal.Key {
			continue
		}
		files, err := countFiles(root, place)
		if err != nil {
			return backend.Receipt{}, b.failed("archive", removal.Target, err)
		}
		return b.archiveReceipt(place, l.ArchivedUntil, files), nil
	}
	return backend.Receipt{Outcome: outcomeAbsent}, nil
}

// archive writes the date and the key into the label and moves the folder. Interrupted in
// between, it does both again.
func archive(root *os.Root, name string, until time.Time, key string) (place string, files int, err error) {
	l, err := readLabel(root, name)
	if err != nil {
		return "", 0, err
	}
	l.ArchivedUntil, l.ArchiveKey = until, key
	if err := writeLabel(root, name, l); err != nil {
		return "", 0, err
	}
	if err := root.Mkdir(archiveFolder, 0o750); err != nil && !errors.Is(err, fs.ErrExist) {
		return "", 0, err
	}
	if files, err = countFiles(root, name); err != nil {
		return "", 0, err
	}
	place, err = freePlace(root, name, until)
	if err != nil {
		return "", 0, err
	}
	return place, files, root.Rename(name, place)
}

// freePlace names the archived folder after its date. A second life of the
// tenant that ends on the same date gets a number.
func freePlace(root *os.Root, name string, until time.Time) (string, error) {
	base := path.Join(archiveFolder, name+"."+until.Format("20060102T150405Z"))
	place := base
	for n := 2; ; n++ {
		_, err := root.Lstat(place)
		if errors.Is(err, fs.ErrNotExist) {
			return place, nil
		}
		if err != nil {
			return "", err
		}
		place = fmt.Sprintf("%s.%d", base, n)
	}
}
