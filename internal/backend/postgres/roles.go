package postgres

import (
	"context"
	"fmt"
	"strings"

	"github.com/jackc/pgx/v5"

	"github.com/tenantplane/terraform-provider-tenant/internal/fault"
)

// makeRoles makes the two roles where they are missing, marks them and gives
// LOGIN back where Disable took it.
func (b *Backend) makeRoles(ctx context.Context, tx pgx.Tx, p place, f found) error {
	for _, r := range f.roles() {
		if err := makeRole(ctx, tx, p, r); err != nil {
			return fmt.Errorf("make role %s: %w", r.name, err)
		}
	}
	return nil
}

func makeRole(ctx context.Context, tx pgx.Tx, p place, r role) error {
	object := "ROLE " + quote(r.name)
	if !r.present {
		if err := execute(ctx, tx, "CREATE "+object+" NOLOGIN"); err != nil {
			return err
		}
	}
	text := r.comment
	if _, off := text.note(noteLoginOff); off {
		if err := execute(ctx, tx, "ALTER "+object+" LOGIN"); err != nil {
			return err
		}
		text = text.without(noteLoginOff)
	}
	if text.marker() != p.marker {
		text = text.marked(p.marker)
	}
	if text == r.comment {
		return nil
	}
	return remark(ctx, tx, object, text)
}

// borrow makes the admin a member of roles, without which an admin who is no
// superuser can act neither as them nor on what they own, and returns how to
// give the memberships back. A rollback gives them back too. Memberships the
// admin had before are left alone.
//
// Before version 16 there is one membership per pair of roles, whoever granted
// it; since then each grantor has its own, and the one that CREATE ROLE leaves
// behind carries no right to act as the role.
func borrow(ctx context.Context, tx pgx.Tx, roles ...string) (giveBack func() error, err error) {
	missing, err := texts(ctx, tx, `
		SELECT r.rolname::text FROM pg_roles r JOIN pg_roles me ON me.rolname = current_user
		WHERE r.rolname = ANY($1) AND NOT me.rolsuper AND NOT EXISTS (
			SELECT FROM pg_auth_members m WHERE m.roleid = r.oid AND m.member = me.oid
			AND (m.grantor = me.oid OR current_setting('server_version_num')::int < 160000))`, roles)
	if err != nil {
		return nil, fmt.Errorf("read memberships: %w", err)
	}
	for _, name := range missing {
		if err := execute(ctx, tx, "GRANT "+quote(name)+" TO CURRENT_USER"); err != nil {
			return nil, fmt.Errorf("become a member of %s: %w", name, err)
		}
	}
	return func() error {
		for _, name := range missing {
			if err := execute(ctx, tx, "REVOKE "+quote(name)+" FROM CURRENT_USER"); err != nil {
				return fmt.Errorf("leave %s: %w", name, err)
			}
		}
		return nil
	}, nil
}

// elsewhere is the error of dropRoles when roles own or may do something in
// other databases, which the current connection cannot reach (C17).
type elsewhere struct{ databases []string }

func (e *elsewhere) Error() string {
	return "roles are in use in the databases " + strings.Join(e.databases, ", ")
}

// dropRoles removes roles. What they still own in this database goes to the
// admin, never away.
func dropRoles(ctx context.Context, tx pgx.Tx, names []string) error {
	if len(names) == 0 {
		return nil
	}
	others, err := texts(ctx, tx, `
		SELECT DISTINCT d.datname::text FROM pg_shdepend s JOIN pg_database d ON d.oid = s.dbid
		WHERE s.refclassid = 'pg_authid'::regclass AND d.datname <> current_database()
		AND s.refobjid IN (SELECT oid FROM pg_roles WHERE rolname = ANY($1))`, names)
	if err != nil {
		return fmt.Errorf("read what the roles own: %w", err)
	}
	if len(others) > 0 {
		return &elsewhere{databases: others}
	}
	if _, err := borrow(ctx, tx, names...); err != nil {
		return err
	}
	if err := disown(ctx, tx, names); err != nil {
		return err
	}
	return execute(ctx, tx, "DROP ROLE "+quoteAll(names)) // memberships go, too
}

// disown hands what roles own in this database over to the admin and ends
// their privileges here. One role at a time: when two stand in one default
// privilege, DROP OWNED BY both fails with XX000, as the first drops what it
// then looks for on behalf of the second (seen on 15.18).
func disown(ctx context.Context, tx pgx.Tx, names []string) error {
	for _, name := range names {
		err := execute(ctx, tx, "REASSIGN OWNED BY "+quote(name)+" TO CURRENT_USER", "DROP OWNED BY "+quote(name))
		if err != nil {
			return fmt.Errorf("disown %s: %w", name, err)
		}
	}
	return nil
}

// visit hands over to the admin what roles own in other databases and ends
// their privileges there.
func (b *Backend) visit(ctx context.Context, databases, roles []string) error {
	for _, name := range databases {
		err := b.transact(ctx, name, func(tx pgx.Tx) error {
			giveBack, err := borrow(ctx, tx, roles...)
			if err != nil {
				return err
			}
			if err := disown(ctx, tx, roles); err != nil {
				return err
			}
			return giveBack()
		})
		if err != nil {
			return b.outOfReach(name, err)
		}
	}
	return nil
}

// outOfReach is the fault of a database that could not be visited. One that
// takes no connections or does not let us in stays so until somebody acts.
func (b *Backend) outOfReach(database string, err error) *fault.Fault {
	f := *b.fault(err)
	f.Found = fmt.Sprintf("the tenant's roles are in use in database %s, where %s", database, f.Found)
	f.BackendWide, f.Path = false, ""
	if hasState(err, "55000") || f.Code == rights.code || f.Code == credentials.code {
		f.Kind, f.Code = fault.Terminal, "postgres.database_closed"
		f.Action = fmt.Sprintf("let the user of the URL connect to database %s, or drop what the roles own there, then destroy again", quote(database))
	}
	return &f
}

func quoteAll(names []string) string {
	quoted := make([]string, len(names))
	for i, name := range names {
		quoted[i] = quote(name)
	}
	return strings.Join(quoted, ", ")
}
