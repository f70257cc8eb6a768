package sqlite

import (
	"context"
	"database/sql"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"github.com/tenantplane/terraform-provider-tenant/internal/backend"
	"github.com/tenantplane/terraform-provider-tenant/internal/fault"
	"github.com/tenantplane/terraform-provider-tenant/internal/tenant"
)

const outcomeAbsent = "already absent"

// own runs f on the tenant's file when it is there and ours.
func (b *Backend) own(ctx context.Context, target backend.Target, f func(context.Context, record) (backend.Receipt, error)) (backend.Receipt, error) {
	receipt := backend.Receipt{Outcome: outcomeAbsent}
	err := b.locked(ctx, func(ctx context.Context) error {
		r, err := b.find(ctx, target)
		if err != nil || !r.present {
			return err
		}
		if r.marker != target.Marker() {
			return conflict(target, r)
		}
		receipt, err = f(ctx, r)
		return err
	})
	return receipt, err
}

// Disable implements backend.Disabler.
func (b *Backend) Disable(ctx context.Context, target backend.Target, _ string) (backend.Receipt, error) {
	receipt, err := b.own(ctx, target, func(ctx context.Context, r record) (backend.Receipt, error) {
		off := b.disabled(target.Name)
		receipt := backend.Receipt{Outcome: "disabled", Details: map[string]string{"file": off}}
		if r.disabled {
			return receipt, nil
		}
		return receipt, b.move(ctx, r.path, off)
	})
	return receipt, b.wrap("disable", target.Name, err)
}

// Archive implements backend.Archiver.
func (b *Backend) Archive(ctx context.Context, removal backend.Removal) (backend.Receipt, error) {
	path := b.archived(removal.Name, removal.RetainUntil)
	receipt, err := b.own(ctx, removal.Target, func(ctx context.Context, r record) (backend.Receipt, error) {
		held, err := b.count(ctx, r.path)
		if err != nil {
			return backend.Receipt{}, err
		}
		if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
			return backend.Receipt{}, err
		}
		return archivedAt(path, removal.RetainUntil, held), b.move(ctx, r.path, path)
	})
	if err == nil && receipt.Outcome == outcomeAbsent {
		receipt, err = b.archivedBefore(ctx, removal, path)
	}
	return receipt, b.wrap("archive", removal.Name, err)
}

func archivedAt(path string, until time.Time, held map[string]string) backend.Receipt {
	details := maps.Clone(held)
	details["archive"] = path
	details["retain_until"] = until.UTC().Format(time.RFC3339)
	return backend.Receipt{Outcome: "archived", Details: details}
}

// archivedBefore answers for a call that was cut short after the move and is
// repeated: it has to say again where the data is.
func (b *Backend) archivedBefore(ctx context.Context, removal backend.Removal, path string) (backend.Receipt, error) {
	r, err := b.readFile(ctx, path, removal.Target)
	if err != nil || !r.present || r.marker != removal.Marker() {
		return backend.Receipt{Outcome: outcomeAbsent}, err
	}
	held, err := b.count(ctx, path)
	return archivedAt(path, removal.RetainUntil, held), err
}

// Remove implements backend.Backend. A file with the tenant's own tables or
// views goes only under tenant.DeleteData.
func (b *Backend) Remove(ctx context.Context, removal backend.Removal) (backend.Receipt, error) {
	receipt, err := b.own(ctx, removal.Target, func(ctx context.Context, r record) (backend.Receipt, error) {
		held, err := b.count(ctx, r.path)
		if err != nil {
			return backend.Receipt{}, err
		}
		if held["objects"] != "0" && removal.Data != tenant.DeleteData {
			return backend.Receipt{}, fault.NewTerminal("sqlite.holds_data", removal.Path,
				fmt.Sprintf("%s holds %s objects, among them %s tables with %s rows, and the policy is to retain data", r.path, held["objects"], held["tables"], held["rows"]),
				`set database.on_destroy (or deletion.data) to "archive" to keep the file out of reach, or to "cascade" ("delete") to destroy it; or move the data away`)
		}
		if err := b.settle(ctx, r.path); err != nil {
			return backend.Receipt{}, err
		}
		return backend.Receipt{Outcome: "deleted", Details: held}, os.Remove(r.path)
	})
	return receipt, b.wrap("remove", removal.Name, err)
}

// count measures what is the tenant's own in a file.
func (b *Backend) count(ctx context.Context, path string) (map[string]string, error) {
	var objects, rows int64
	var tables []string
	err := b.transact(ctx, path, "rw", func(tx *sql.Tx) error {
		found, err := tx.QueryContext(ctx, "SELECT type, name FROM sqlite_schema WHERE tbl_name NOT IN (?, ?) AND name NOT LIKE 'sqlite\\_%' ESCAPE '\\'", metaTable, seedTable)
		if err != nil {
			return fmt.Errorf("list objects: %w", err)
		}
		defer found.Close()
		for found.Next() {
			var kind, name string
			if err := found.Scan(&kind, &name); err != nil {
				return fmt.Errorf("list objects: %w", err)
			}
			objects++
			if kind == "table" {
				tables = append(tables, name)
			}
		}
		if err := found.Err(); err != nil {
			return fmt.Errorf("list objects: %w", err)
		}
		for _, name := range tables {
			var n int64
			quoted := `"` + strings.ReplaceAll(name, `"`, `""`) + `"`
			if err := tx.QueryRowContext(ctx, "SELECT count(*) FROM "+quoted).Scan(&n); err != nil {
				return fmt.Errorf("count rows of %s: %w", name, err)
			}
			rows += n
		}
		return nil
	})
	return map[string]string{
		"objects": strconv.FormatInt(objects, 10),
		"tables":  strconv.Itoa(len(tables)),
		"rows":    strconv.FormatInt(rows, 10),
	}, err
}
