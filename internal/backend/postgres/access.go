package postgres

import (
	"context"
	"fmt"
	"strconv"

	"github.com/jackc/pgx/v5"

	"github.com/tenantplane/terraform-provider-tenant/internal/backend"
)

// The outcomes of receipts.
const (
	outcomeAbsent   = "already absent"
	outcomeDisabled = "disabled"
	outcomeArchived = "archived"
	outcomeDeleted  = "deleted"
)

// Disable implements backend.Disabler: nobody but the admin and superusers may
// enter the schema (or connect to the database) any more, the two roles cannot
// log in, and the sessions of their members end. Of login roles that serve
// other tenants too, only sessions in the tenant's own database end; in a
// shared one, such sessions lose the schema and go on.
func (b *Backend) Disable(ctx context.Context, target backend.Target, _ string) (backend.Receipt, error) {
	ctx, cancel := context.WithTimeout(ctx, b.timeout)
	defer cancel()
	receipt := backend.Receipt{Outcome: outcomeAbsent}
	err := b.withConnection(ctx, maintenance, func(conn *pgx.Conn) error {
		p, present, err := b.shut(ctx, conn, target)
		if err != nil || !present {
			return err
		}
		ended, err := b.endSessions(ctx, conn, p)
		receipt = backend.Receipt{
			Outcome: outcomeDisabled,
			Details: map[string]string{p.isolation: p.name, "sessions_ended": strconv.Itoa(ended)},
		}
		return err
	})
	if err != nil {
		return backend.Receipt{}, b.wrap("disable", target.Name, err)
	}
	return receipt, nil
}

// shut closes the door. It commits before sessions are ended, or they would
// come back.
func (b *Backend) shut(ctx context.Context, conn *pgx.Conn, target backend.Target) (p place, present bool, err error) {
	err = b.inTransaction(ctx, conn, func(tx pgx.Tx) error {
		var f found
		// A recorded object is ours even when somebody overwrote the marker.
		recorded := target.ExternalID != ""
		if p, f, err = b.reread(ctx, tx, target, recorded); err != nil || !f.present {
			return err
		}
		present = true
		if err := revokeAll(ctx, tx, p); err != nil {
			return err
		}
		for _, r := range f.roles() {
			if err := loginOff(ctx, tx, p, r); err != nil {
				return fmt.Errorf("switch off role %s: %w", r.name, err)
			}
		}
		return nil
	})
	return p, present, err
}

// reread locks the tenant and finds a target that is about to be changed. What
// is not ours is a conflict; what has no marker is not ours, unless the caller
// knows better.
func (b *Backend) reread(ctx context.Context, tx pgx.Tx, target backend.Target, takeUnmarked bool) (place, found, error) {
	if err := lock(ctx, tx, target.Name); err != nil {
		return place{}, found{}, err
	}
	p, f, err := locate(ctx, tx, target)
	if err != nil || !f.present {
		return p, f, err
	}
	// The word is about the object that was recorded, not about another one
	// that has its name by now.
	takeUnmarked = takeUnmarked && (target.ExternalID == "" || target.ExternalID == p.externalID())
	if m := f.marker(); m != p.marker && !(m.IsZero() && takeUnmarked) {
		return p, f, conflict(p, p.container(), f.comment)
	}
	return p, f, nil
}

// revokeAll takes every privilege on the container from everybody but its
// owner, also from roles that people let in by hand: off is off.
func revokeAll(ctx context.Context, tx pgx.Tx, p place) error {
	acl := "SELECT aclexplode(coalesce(nspacl, acldefault('n', nspowner))) AS e, nspowner AS owner FROM pg_namespace WHERE nspname = $1"
	if p.isDatabase() {
		acl = "SELECT aclexplode(coalesce(datacl, acldefault('d', datdba))) AS e, datdba AS owner FROM pg_database WHERE datname = $1"
	}
	grantees, err := texts(ctx, tx, `SELECT DISTINCT CASE (e).grantee WHEN 0 THEN 'PUBLIC' ELSE quote_ident(pg_get_userbyid((e).grantee)) END
		FROM (`+acl+`) a WHERE (e).grantee <> owner`, p.name)
	if err != nil {
		return fmt.Errorf("read grants: %w", err)
	}
	for _, grantee := range grantees {
		if err := execute(ctx, tx, "REVOKE ALL ON "+p.container()+" FROM "+grantee+" CASCADE"); err != nil {
			return fmt.Errorf("revoke access of %s: %w", grantee, err)
		}
	}
	return nil
}

// loginOff takes LOGIN from a role that a person gave it to, and notes that.
func loginOff(ctx context.Context, tx pgx.Tx, p place, r role) error {
	if !r.present || !r.login || r.comment.marker() != p.marker {
		return nil
	}
	object := "ROLE " + quote(r.name)
	if err := execute(ctx, tx, "ALTER "+object+" NOLOGIN"); err != nil {
		return err
	}
	return remark(ctx, tx, object, r.comment.with(noteLoginOff))
}

// memberSessions lists the sessions of the roles $1 and of their members,
// except superusers and the admin: in the database $2, or anywhere when the
// login role serves nobody else.
const memberSessions = `
	WITH RECURSIVE members AS (
		SELECT oid FROM pg_roles WHERE rolname = ANY($1)
		UNION
		SELECT m.member FROM pg_auth_members m JOIN members ON members.oid = m.roleid)
	SELECT a.pid FROM pg_stat_activity a
	JOIN members ON members.oid = a.usesysid
	JOIN pg_roles r ON r.oid = a.usesysid AND NOT r.rolsuper AND r.rolname NOT IN (current_user, session_user)
	WHERE a.pid <> pg_backend_pid() AND (a.datname = $2 OR NOT EXISTS (
		SELECT FROM pg_auth_members o WHERE o.member = a.usesysid AND o.roleid NOT IN (SELECT oid FROM members)))`

// sessionEnd is how long a session may take to end, in milliseconds.
const sessionEnd = 2000

// endSessions ends the sessions of the tenant's roles and their members and
// returns how many there were. The lock keeps another call from removing the
// roles meanwhile.
func (b *Backend) endSessions(ctx context.Context, conn *pgx.Conn, p place) (ended int, err error) {
	err = b.inTransaction(ctx, conn, func(tx pgx.Tx) error {
		if err := lock(ctx, tx, p.name); err != nil {
			return err
		}
		giveBack, err := borrow(ctx, tx, p.owner(), p.reader())
		if err != nil {
			return err
		}
		rows, err := tx.Query(ctx, memberSessions, []string{p.owner(), p.reader()}, p.database())
		if err != nil {
			return fmt.Errorf("list sessions: %w", err)
		}
		pids, err := pgx.CollectRows(rows, pgx.RowTo[int32])
		if err != nil {
			return fmt.Errorf("list sessions: %w", err)
		}
		for _, pid := range pids {
			if _, err := tx.Exec(ctx, "SELECT pg_terminate_backend($1, $2)", pid, int64(sessionEnd)); err != nil {
				return fmt.Errorf("end session %d: %w", pid, err)
			}
		}
		ended = len(pids)
		return giveBack()
	})
	return ended, err
}
