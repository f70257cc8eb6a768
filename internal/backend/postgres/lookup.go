package postgres

import (
	"context"
	"errors"
	"fmt"

	"github.com/jackc/pgx/v5"

	"github.com/tenantplane/terraform-provider-tenant/internal/backend"
	"github.com/tenantplane/terraform-provider-tenant/internal/component/database"
	"github.com/tenantplane/terraform-provider-tenant/internal/tenant"
)

// found is what the catalogs say about a place.
type found struct {
	present bool
	comment comment
	// open: the container takes connections; always true for a schema.
	open bool
	// mine: the container belongs to the admin.
	mine          bool
	owner, reader role
}

// role is what the catalogs say about one role.
type role struct {
	name    string
	present bool
	login   bool
	comment comment
}

// roles returns both, the owner first.
func (f found) roles() []role { return []role{f.owner, f.reader} }

// marker returns whose the container is. A database that is closed, unmarked
// and the admin's own is one whose creation was cut short; its owner role was
// marked before and speaks for it.
func (f found) marker() tenant.Marker {
	if m := f.comment.marker(); !m.IsZero() || !f.present {
		return m
	}
	if !f.open && f.mine {
		return f.owner.comment.marker()
	}
	return tenant.Marker{}
}

// ownRoles returns the names of the roles that exist and carry the target's
// marker; those without any, too, when the removal may take such.
func (f found) ownRoles(removal backend.Removal) []string {
	var names []string
	for _, r := range f.roles() {
		m := r.comment.marker()
		if r.present && (m == removal.Marker() || m.IsZero() && removal.TakeUnmarked) {
			names = append(names, r.name)
		}
	}
	return names
}

const lookupSchema = `
	SELECT coalesce(obj_description(oid, 'pg_namespace'), ''), true, pg_get_userbyid(nspowner) = current_user
	FROM pg_namespace WHERE nspname = $1`

const lookupDatabase = `
	SELECT coalesce(shobj_description(oid, 'pg_database'), ''), datallowconn, pg_get_userbyid(datdba) = current_user
	FROM pg_database WHERE datname = $1`

// look reads what there is at a place.
func look(ctx context.Context, tx pgx.Tx, p place) (found, error) {
	query := lookupSchema
	if p.isDatabase() {
		query = lookupDatabase
	}
	f := found{present: true}
	err := tx.QueryRow(ctx, query, p.name).Scan(&f.comment, &f.open, &f.mine)
	if errors.Is(err, pgx.ErrNoRows) {
		f = found{}
	} else if err != nil {
		return found{}, fmt.Errorf("look for %s: %w", p.container(), err)
	}
	if f.owner, err = lookRole(ctx, tx, p.owner()); err != nil {
		return found{}, err
	}
	f.reader, err = lookRole(ctx, tx, p.reader())
	return f, err
}

func lookRole(ctx context.Context, tx pgx.Tx, name string) (role, error) {
	r := role{name: name, present: true}
	err := tx.QueryRow(ctx, `
		SELECT rolcanlogin, coalesce(shobj_description(oid, 'pg_authid'), '')
		FROM pg_roles WHERE rolname = $1`, name).Scan(&r.login, &r.comment)
	if errors.Is(err, pgx.ErrNoRows) {
		return role{name: name}, nil
	}
	if err != nil {
		return role{}, fmt.Errorf("look for role %s: %w", name, err)
	}
	return r, nil
}

// locate finds a target whose isolation is not known: callers that observe or
// remove are not told. A schema and a database of one name can both exist; the
// one that is ours is meant, the schema when neither or both are.
func locate(ctx context.Context, tx pgx.Tx, target backend.Target) (place, found, error) {
	schema := placeOf(target, database.IsolationSchema)
	inSchema, err := look(ctx, tx, schema)
	if err != nil || inSchema.present && inSchema.marker() == schema.marker {
		return schema, inSchema, err
	}
	own := placeOf(target, database.IsolationDatabase)
	inOwn, err := look(ctx, tx, own)
	if err != nil {
		return own, inOwn, err
	}
	if inOwn.present && (!inSchema.present || inOwn.marker() == own.marker) {
		return own, inOwn, nil
	}
	return schema, inSchema, nil
}

func placeOf(target backend.Target, isolation string) place {
	return place{name: target.Name, isolation: isolation, marker: target.Marker(), path: target.Path}
}
