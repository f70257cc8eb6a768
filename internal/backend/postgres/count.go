package postgres

import (
	"context"
	"fmt"
	"strconv"

	"github.com/jackc/pgx/v5"
)

// holdings is how much a tenant's container holds.
type holdings struct {
	// objects are those that make a plain DROP fail: tables, views, functions…
	objects int64
	tables  int64
	rows    int64
	// estimated: some tables are so large that the server's estimate is taken.
	estimated bool
	// uncounted: the database is closed, so nothing is known.
	uncounted bool
}

// details returns the counts for evidence.
func (h holdings) details() map[string]string {
	if h.uncounted {
		return map[string]string{"counted": "false"}
	}
	return map[string]string{
		"objects":        strconv.FormatInt(h.objects, 10),
		"tables":         strconv.FormatInt(h.tables, 10),
		"rows":           strconv.FormatInt(h.rows, 10),
		"rows_estimated": strconv.FormatBool(h.estimated),
	}
}

func (h holdings) String() string {
	return fmt.Sprintf("%d objects, among them %d tables with %d rows", h.objects, h.tables, h.rows)
}

// userSchemas is the SQL for the schemas $1 covers: the one of that name, or
// all that are not the system's when it is empty.
const userSchemas = `(n.nspname = $1 OR $1 = '' AND n.nspname !~ '^pg_' AND n.nspname <> 'information_schema')`

// countObjects counts what depends on the schemas as DROP … RESTRICT does, but
// for our own table; in a whole database, further schemas and large objects
// count, too.
const countObjects = `
	SELECT (SELECT count(*) FROM pg_depend d JOIN pg_namespace n ON n.oid = d.refobjid
	        WHERE d.refclassid = 'pg_namespace'::regclass AND d.deptype = 'n' AND ` + userSchemas + `
	        AND NOT (d.classid = 'pg_class'::regclass AND d.objid IN (
	            SELECT c.oid FROM pg_class c WHERE c.relnamespace = n.oid AND c.relname = $2)))
	     + (SELECT count(*) FROM pg_namespace n WHERE $1 = '' AND ` + userSchemas + ` AND n.nspname <> 'public')
	     + (SELECT count(*) FROM pg_largeobject_metadata WHERE $1 = '')`

// countedPages is the size, in pages of 8 KiB, up to which rows are counted:
// 400 MiB take about a second.
const countedPages = 50_000

const listTables = `
	SELECT n.nspname::text, c.relname::text, c.relpages > $3, greatest(c.reltuples, 0)::bigint
	FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace
	WHERE c.relkind = 'r' AND ` + userSchemas + ` AND c.relname <> $2`

// count measures a place; tx is in the database that holds it, and may read
// what the owner role owns.
func count(ctx context.Context, tx pgx.Tx, p place) (holdings, error) {
	schema := p.schema()
	if p.isDatabase() {
		schema = ""
	}
	var h holdings
	if err := tx.QueryRow(ctx, countObjects, schema, seedTable).Scan(&h.objects); err != nil {
		return h, fmt.Errorf("count objects: %w", err)
	}
	rows, err := tx.Query(ctx, listTables, schema, seedTable, countedPages)
	if err != nil {
		return h, fmt.Errorf("list tables: %w", err)
	}
	tables, err := pgx.CollectRows(rows, pgx.RowToStructByPos[table])
	if err != nil {
		return h, fmt.Errorf("list tables: %w", err)
	}
	h.tables = int64(len(tables))
	for _, t := range tables {
		n := t.Estimate
		if !t.Large {
			name := pgx.Identifier{t.Schema, t.Name}.Sanitize()
			if err := tx.QueryRow(ctx, "SELECT count(*) FROM ONLY "+name).Scan(&n); err != nil {
				return h, fmt.Errorf("count rows of %s: %w", name, err)
			}
		}
		h.rows += n
		h.estimated = h.estimated || t.Large
	}
	return h, nil
}

type table struct {
	Schema, Name string
	Large        bool
	Estimate     int64
}
