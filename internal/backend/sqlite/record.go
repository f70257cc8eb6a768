package sqlite

import (
	"context"
	"database/sql"
	"encoding/json"
	"errors"
	"fmt"

	"github.com/tenantplane/terraform-provider-tenant/internal/backend"
	"github.com/tenantplane/terraform-provider-tenant/internal/component/database"
	"github.com/tenantplane/terraform-provider-tenant/internal/tenant"
)

// Our own tables in a tenant's file.
const (
	metaTable = "tenant_provider_meta"
	seedTable = "tenant_provider_seed"
)

// record is what a file says about itself.
type record struct {
	path string
	// present: the file is there and holds at least one table.
	present  bool
	disabled bool
	marker   tenant.Marker
	fields   tenant.Fields
}

// find reads the tenant's file, wherever it is. When there are two, as an
// application may make a new file while access is off, the marked one counts.
func (b *Backend) find(ctx context.Context, target backend.Target) (record, error) {
	off, err := b.readFile(ctx, b.disabled(target.Name), target)
	off.disabled = off.present
	if err != nil || off.present && off.marker == target.Marker() {
		return off, err
	}
	on, err := b.readFile(ctx, b.active(target.Name), target)
	if err != nil || on.present || !off.present {
		return on, err
	}
	return off, nil
}

func (b *Backend) readFile(ctx context.Context, path string, target backend.Target) (record, error) {
	r := record{path: path}
	there, err := b.present(path, target)
	if err != nil || !there {
		return r, err
	}
	err = b.transact(ctx, path, func(tx *sql.Tx) error {
		var read error
		r, read = readRecord(ctx, tx, path, target.Name)
		return read
	})
	return r, err
}

func readRecord(ctx context.Context, tx *sql.Tx, path, name string) (record, error) {
	r := record{path: path, fields: tenant.Fields{}}
	var tables, meta int
	err := tx.QueryRowContext(ctx, "SELECT count(*), count(*) FILTER (WHERE name = ?) FROM sqlite_schema WHERE type = 'table'", metaTable).Scan(&tables, &meta)
	if err != nil {
		return r, fmt.Errorf("list tables: %w", err)
	}
	r.present = tables > 0
	r.fields.Set(database.FieldName, name)
	r.fields.Set(database.FieldIsolation, database.IsolationSchema)
	if meta == 0 {
		return r, nil
	}
	marker, err := readMeta(ctx, tx, "marker")
	if err != nil {
		return r, err
	}
	r.marker = tenant.ParseMarker(marker)
	if err := readFields(ctx, tx, r.fields); err != nil {
		return r, err
	}
	return r, readSeeds(ctx, tx, r.fields)
}

func readMeta(ctx context.Context, tx *sql.Tx, key string) (value string, err error) {
	err = tx.QueryRowContext(ctx, "SELECT value FROM "+metaTable+" WHERE key = ?", key).Scan(&value)
	if errors.Is(err, sql.ErrNoRows) {
		return "", nil
	}
	if err != nil {
		return "", fmt.Errorf("read %s: %w", key, err)
	}
	return value, nil
}

// readFields adds what the spec says and a file cannot show: isolation, roles,
// grants.
func readFields(ctx context.Context, tx *sql.Tx, fields tenant.Fields) error {
	text, err := readMeta(ctx, tx, "fields")
	if err != nil || text == "" {
		return err
	}
	if err := json.Unmarshal([]byte(text), &fields); err != nil {
		return fmt.Errorf("read %s: %w", metaTable, err)
	}
	return nil
}

// readSeeds adds the seeds in force.
func readSeeds(ctx context.Context, tx *sql.Tx, fields tenant.Fields) error {
	rows, err := tx.QueryContext(ctx, "SELECT name, sha256 FROM "+seedTable+" WHERE position IS NOT NULL ORDER BY position")
	if err != nil {
		return fmt.Errorf("read seeds: %w", err)
	}
	defer rows.Close()
	var refs []string
	for rows.Next() {
		var name, hash string
		if err := rows.Scan(&name, &hash); err != nil {
			return fmt.Errorf("read seeds: %w", err)
		}
		refs = append(refs, database.SeedRef(name, hash))
	}
	fields.Set(database.FieldSeed, refs...)
	return rows.Err()
}

// writeRecord makes our tables and stores marker and fields.
func writeRecord(ctx context.Context, tx *sql.Tx, want backend.Want) error {
	fields := want.Fields.Clone()
	delete(fields, database.FieldSeed)
	text, err := json.Marshal(fields)
	if err != nil {
		return fmt.Errorf("write %s: %w", metaTable, err)
	}
	if err := makeTables(ctx, tx); err != nil {
		return err
	}
	if err := writeMeta(ctx, tx, "marker", want.Marker().String()); err != nil {
		return err
	}
	return writeMeta(ctx, tx, "fields", string(text))
}

func makeTables(ctx context.Context, tx *sql.Tx) error {
	_, err := tx.ExecContext(ctx, "CREATE TABLE IF NOT EXISTS "+metaTable+" (key TEXT PRIMARY KEY, value TEXT NOT NULL);"+
		"CREATE TABLE IF NOT EXISTS "+seedTable+" (name TEXT, sha256 TEXT, position INTEGER, applied_at TEXT NOT NULL DEFAULT CURRENT_TIMESTAMP, PRIMARY KEY (name, sha256))")
	if err != nil {
		return fmt.Errorf("make %s: %w", metaTable, err)
	}
	return nil
}

func writeMeta(ctx context.Context, tx *sql.Tx, key, value string) error {
	_, err := tx.ExecContext(ctx, "INSERT INTO "+metaTable+" (key, value) VALUES (?, ?) ON CONFLICT (key) DO UPDATE SET value = excluded.value", key, value)
	if err != nil {
		return fmt.Errorf("write %s: %w", key, err)
	}
	return nil
}

func (r record) observation(target backend.Target) backend.Observation {
	return backend.Observation{
		ExternalID: target.Name + fileEnd,
		Name:       target.Name,
		Fields:     r.fields,
		Marker:     r.marker,
		Disabled:   r.disabled,
	}
}
