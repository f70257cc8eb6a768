package sqlite

import (
	"context"
	"database/sql"
	"fmt"
	"os"
	"strconv"
	"strings"

	"github.com/tenantplane/terraform-provider-tenant/internal/backend"
	"github.com/tenantplane/terraform-provider-tenant/internal/fault"
	"github.com/tenantplane/terraform-provider-tenant/internal/tenant"
)

const outcomeAbsent = "already absent"

// own runs f on the tenant's file when it is there and ours, or without any
// marker where the caller knows better.
func (b *Backend) own(ctx context.Context, target backend.Target, takeUnmarked bool, f func(context.Context, record) (backend.Receipt, error)) (backend.Receipt, error) {
	receipt := backend.Receipt{Outcome: outcomeAbsent}
	err := b.locked(ctx, func(ctx context.Context) error {
		r, err := b.find(ctx, target)
		if err != nil || !r.present {
			return err
		}
		if r.marker != target.Marker() && !(r.marker.IsZero() && takeUnmarked) {
			return conflict(target, r)
		}
		receipt, err = f(ctx, r)
		return err
	})
	return receipt, err
}

// Disable implements backend.Disabler.
func (b *Backend) Disable(ctx context.Context, target backend.Target, _ string) (backend.Receipt, error) {
	// A recorded file is ours even when it lost the marker.
	recorded := target.ExternalID != ""
	receipt, err := b.own(ctx, target, recorded, func(ctx context.Context, r record) (backend.Receipt, error) {
		off := b.disabled(target.Name)
		receipt := backend.Receipt{Outcome: "disabled", Details: map[string]string{"file": off}}
		if r.disabled {
			return receipt, nil
		}
		return receipt, b.move(ctx, r.path, off)
	})
	return receipt, b.wrap("disable", target.Name, err)
}

// Remove implements backend.Backend. A file with the tenant's own tables or
// views goes only under tenant.DeleteData.
func (b *Backend) Remove(ctx context.Context, removal backend.Removal) (backend.Receipt, error) {
	receipt, err := b.own(ctx, removal.Target, removal.TakeUnmarked, func(ctx context.Context, r record) (backend.Receipt, error) {
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
	err := b.transact(ctx, path, func(tx *sql.Tx) error {
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
