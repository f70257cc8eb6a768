package postgres

import (
	"context"
	"fmt"

	"github.com/jackc/pgx/v5"

	"github.com/tenantplane/terraform-provider-tenant/internal/backend"
)

// ensureDatabase makes a database in steps that can each be the last one
// before a crash: roles, marked; the database, closed; its marker and grants,
// and with them the opening; what is inside. Each step looks what there is, so
// the next call goes on where this one ended.
//
// The connection stays in the maintenance database and the template is
// template0, to which nobody connects: sessions on template1 would make CREATE
// DATABASE fail with 55006 (C20).
func (b *Backend) ensureDatabase(ctx context.Context, p place, want backend.Want) (backend.Observation, error) {
	var o backend.Observation
	err := b.withConnection(ctx, maintenance, func(conn *pgx.Conn) error {
		if err := b.lockSession(ctx, conn, p.name); err != nil {
			return err
		}
		if err := b.makeDatabase(ctx, conn, p, want); err != nil {
			return err
		}
		if err := b.transact(ctx, p.database(), func(tx pgx.Tx) error { return b.furnish(ctx, tx, p, want) }); err != nil {
			return err
		}
		return b.inTransaction(ctx, conn, func(tx pgx.Tx) error {
			f, err := look(ctx, tx, p)
			if err != nil {
				return err
			}
			o, err = b.describe(ctx, tx, p, f)
			return err
		})
	})
	return o, err
}

// makeDatabase ends with a database that is there, marked and open.
func (b *Backend) makeDatabase(ctx context.Context, conn *pgx.Conn, p place, want backend.Want) error {
	var f found
	err := b.inTransaction(ctx, conn, func(tx pgx.Tx) (err error) {
		if f, err = b.admit(ctx, tx, p, want); err != nil {
			return err
		}
		return b.makeRoles(ctx, tx, p, f)
	})
	if err != nil {
		return err
	}
	if !f.present {
		if err := executeAlone(ctx, conn, "CREATE "+p.container()+" TEMPLATE template0 ALLOW_CONNECTIONS false"); err != nil {
			return fmt.Errorf("create: %w", err)
		}
		f.mine = true
	}
	return b.inTransaction(ctx, conn, func(tx pgx.Tx) error {
		if err := mark(ctx, tx, p, f); err != nil {
			return err
		}
		return execute(ctx, tx,
			"REVOKE ALL ON "+p.container()+" FROM PUBLIC, "+quoteAll([]string{p.owner(), p.reader()}),
			"GRANT CONNECT, TEMPORARY ON "+p.container()+" TO "+quote(p.owner()),
			"GRANT CONNECT ON "+p.container()+" TO "+quote(p.reader()),
			"ALTER "+p.container()+" ALLOW_CONNECTIONS true")
	})
}
