package postgres

import (
	"context"
	"fmt"
	"slices"

	"github.com/jackc/pgx/v5"

	"github.com/tenantplane/terraform-provider-tenant/internal/backend"
	"github.com/tenantplane/terraform-provider-tenant/internal/component/database"
	"github.com/tenantplane/terraform-provider-tenant/internal/fault"
	"github.com/tenantplane/terraform-provider-tenant/internal/tenant"
)

// Observe implements backend.Backend. Everything comes from the catalogs, so
// an absence is proven.
func (b *Backend) Observe(ctx context.Context, target backend.Target) (backend.Observation, error) {
	ctx, cancel := context.WithTimeout(ctx, b.timeout)
	defer cancel()
	var o backend.Observation
	err := b.transact(ctx, maintenance, func(tx pgx.Tx) error {
		p, f, err := locate(ctx, tx, target)
		if err != nil {
			return err
		}
		if !f.present {
			return absent(target.Name)
		}
		o, err = b.describe(ctx, tx, p, f)
		return err
	})
	if err != nil {
		return backend.Observation{}, b.wrap("observe", target.Name, err)
	}
	return o, nil
}

func absent(name string) *fault.Fault {
	return fault.NewNotFound("postgres.absent", fmt.Sprintf("there is no schema and no database %s", name))
}

// describe says what stands at a place; tx is in the maintenance database.
func (b *Backend) describe(ctx context.Context, tx pgx.Tx, p place, f found) (backend.Observation, error) {
	fields := tenant.Fields{}
	fields.Set(database.FieldIsolation, p.isolation)
	fields.Set(database.FieldName, p.name)
	marker := f.marker()
	if f.owner.present && f.owner.comment.marker() == marker {
		fields.Set(database.FieldOwnerRole, f.owner.name)
	}
	if f.reader.present && f.reader.comment.marker() == marker {
		fields.Set(database.FieldReaderRole, f.reader.name)
	}
	grants, err := b.describeInside(ctx, tx, p, f, fields)
	if err != nil {
		return backend.Observation{}, err
	}
	if p.isDatabase() {
		onDatabase, err := texts(ctx, tx, databaseGrants, p.name, p.owner(), p.reader())
		if err != nil {
			return backend.Observation{}, fmt.Errorf("read grants on %s: %w", p.container(), err)
		}
		grants = append(grants, onDatabase...)
	}
	slices.Sort(grants)
	fields.Set(database.FieldGrants, grants...)
	return backend.Observation{
		ExternalID: p.externalID(),
		Name:       p.name,
		Fields:     fields,
		Marker:     marker,
		Disabled:   !marker.IsZero() && !letsIn(p, grants),
	}, nil
}

// letsIn tells whether the grants let either role reach the data at all.
func letsIn(p place, grants []string) bool {
	door := "USAGE ON SCHEMA TO "
	if p.isDatabase() {
		door = "CONNECT ON DATABASE TO "
	}
	return slices.Contains(grants, door+"owner") || slices.Contains(grants, door+"reader")
}

// describeInside adds what can be read only in the tenant's own database and
// returns the grants on the schema. A closed database tells nothing.
func (b *Backend) describeInside(ctx context.Context, tx pgx.Tx, p place, f found, fields tenant.Fields) (grants []string, err error) {
	inside := func(tx pgx.Tx) (err error) {
		if grants, err = texts(ctx, tx, schemaGrants, p.schema(), p.owner(), p.reader()); err != nil {
			return fmt.Errorf("read grants on schema %s: %w", p.schema(), err)
		}
		defaults, err := texts(ctx, tx, defaultPrivileges, p.schema(), p.owner(), p.reader())
		if err != nil {
			return fmt.Errorf("read default privileges in schema %s: %w", p.schema(), err)
		}
		fields.Set(database.FieldDefaultPrivileges, defaults...)
		seeds, err := seedsInForce(ctx, tx, p)
		fields.Set(database.FieldSeed, seeds...)
		return err
	}
	switch {
	case !p.isDatabase():
		err = inside(tx)
	case f.open:
		err = b.transact(ctx, p.database(), inside)
	}
	return grants, err
}

// granteeName is the SQL that words a grantee ($2 owner, $3 reader) and drops
// grants to anybody else.
const granteeName = `
	JOIN (SELECT oid, CASE rolname WHEN $2 THEN 'owner' ELSE 'reader' END AS word
	      FROM pg_roles WHERE rolname IN ($2, $3)
	      UNION ALL SELECT 0, 'public') g ON g.oid = acl.grantee`

const schemaGrants = `
	SELECT DISTINCT acl.privilege_type || ' ON SCHEMA TO ' || g.word
	FROM pg_namespace n, aclexplode(coalesce(n.nspacl, acldefault('n', n.nspowner))) acl ` + granteeName + `
	WHERE n.nspname = $1`

const databaseGrants = `
	SELECT DISTINCT acl.privilege_type || ' ON DATABASE TO ' || g.word
	FROM pg_database d, aclexplode(coalesce(d.datacl, acldefault('d', d.datdba))) acl ` + granteeName + `
	WHERE d.datname = $1`

// defaultPrivileges are those that the owner role's future objects get: what
// another creator's objects would get is of no use to the reader (C18).
const defaultPrivileges = `
	SELECT DISTINCT acl.privilege_type || ' ON '
	       || CASE a.defaclobjtype WHEN 'r' THEN 'TABLES' ELSE 'SEQUENCES' END
	       || ' TO ' || g.word
	FROM pg_default_acl a
	JOIN pg_namespace n ON n.oid = a.defaclnamespace
	JOIN pg_roles o ON o.oid = a.defaclrole,
	aclexplode(a.defaclacl) acl ` + granteeName + `
	WHERE n.nspname = $1 AND o.rolname = $2 AND a.defaclobjtype IN ('r', 'S') AND g.word <> 'owner'`

// texts returns the one text column of a query, sorted by bytes as the
// component sorts, not by the database's collation.
func texts(ctx context.Context, tx pgx.Tx, query string, arguments ...any) ([]string, error) {
	rows, err := tx.Query(ctx, query, arguments...)
	if err != nil {
		return nil, err
	}
	found, err := pgx.CollectRows(rows, pgx.RowTo[string])
	slices.Sort(found)
	return found, err
}
