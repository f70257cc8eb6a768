package sqlite

import (
	"context"
	"database/sql"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"time"

	"github.com/tenantplane/terraform-provider-tenant/internal/backend"
)

// metaArchived is the key under which an archive keeps its receipt's details.
const metaArchived = "archived"

// Archive implements backend.Archiver. The archive's name is its path below
// the folder without the ending, and serves as a target's name, so that it can
// be removed when its time has come.
func (b *Backend) Archive(ctx context.Context, removal backend.Removal) (backend.Receipt, error) {
	receipt, err := b.own(ctx, removal.Target, removal.TakeUnmarked, func(ctx context.Context, r record) (backend.Receipt, error) {
		return b.putAway(ctx, r, removal)
	})
	if err == nil && receipt.Outcome == outcomeAbsent {
		receipt, err = b.archivedBefore(ctx, removal)
	}
	return receipt, b.wrap("archive", removal.Name, err)
}

func (b *Backend) putAway(ctx context.Context, r record, removal backend.Removal) (backend.Receipt, error) {
	details, err := b.count(ctx, r.path)
	if err != nil {
		return backend.Receipt{}, err
	}
	name := archiveName(removal.Name, removal.RetainUntil)
	path := b.active(name)
	details["archive"], details["file"], details["key"] = name, path, removal.Key
	if !removal.RetainUntil.IsZero() {
		details["retain_until"] = removal.RetainUntil.UTC().Format(time.RFC3339)
	}
	if err := b.noteArchive(ctx, r.path, removal, details); err != nil {
		return backend.Receipt{}, err
	}
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		return backend.Receipt{}, err
	}
	return backend.Receipt{Outcome: "archived", Details: details}, b.move(ctx, r.path, path)
}

// archiveName is where a tenant's file is kept until a date.
func archiveName(name string, until time.Time) string {
	suffix := "_kept"
	if !until.IsZero() {
		suffix = "_until_" + until.UTC().Format("20060102_150405")
	}
	return filepath.Join("archive", name+suffix)
}

// noteArchive writes into the file what the receipt will say.
func (b *Backend) noteArchive(ctx context.Context, path string, removal backend.Removal, details map[string]string) error {
	text, err := json.Marshal(details)
	if err != nil {
		return fmt.Errorf("word the note on the archive: %w", err)
	}
	return b.transact(ctx, path, func(tx *sql.Tx) error {
		if err := makeTables(ctx, tx); err != nil {
			return err
		}
		if err := writeMeta(ctx, tx, "marker", removal.Marker().String()); err != nil {
			return err
		}
		return writeMeta(ctx, tx, metaArchived, string(text))
	})
}

// archivedBefore answers for a file that is absent: a call that was cut short
// after the move is repeated, perhaps with a later date, and has to say again
// where the data is. The key tells it from archives of other lives.
func (b *Backend) archivedBefore(ctx context.Context, removal backend.Removal) (backend.Receipt, error) {
	paths, err := os.ReadDir(filepath.Join(b.folder, "archive"))
	if os.IsNotExist(err) {
		return backend.Receipt{Outcome: outcomeAbsent}, nil
	}
	if err != nil {
		return backend.Receipt{}, err
	}
	for _, entry := range paths {
		ours, err := filepath.Match(removal.Name+"_*"+fileEnd, entry.Name())
		if err != nil || !ours {
			continue
		}
		details, err := b.archivedUnder(ctx, filepath.Join(b.folder, "archive", entry.Name()), removal)
		if err != nil {
			return backend.Receipt{}, err
		}
		if details != nil {
			return backend.Receipt{Outcome: "archived", Details: details}, nil
		}
	}
	return backend.Receipt{Outcome: outcomeAbsent}, nil
}

// archivedUnder returns the details noted in an archive when the removal made
// it, else nil.
func (b *Backend) archivedUnder(ctx context.Context, path string, removal backend.Removal) (details map[string]string, err error) {
	err = b.transact(ctx, path, func(tx *sql.Tx) error {
		r, err := readRecord(ctx, tx, path, removal.Name)
		if err != nil || r.marker != removal.Marker() {
			return err
		}
		text, err := readMeta(ctx, tx, metaArchived)
		if err != nil || text == "" {
			return err
		}
		return json.Unmarshal([]byte(text), &details)
	})
	if err != nil || details["key"] != removal.Key {
		return nil, err
	}
	return details, nil
}
