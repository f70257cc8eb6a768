package postgres

import (
	"context"
	"fmt"

	"github.com/jackc/pgx/v5"

	"github.com/tenantplane/terraform-provider-tenant/internal/backend"
)

// furnish brings everything inside the tenant's schema to what is wanted; tx
// is in the database that holds the schema.
func (b *Backend) furnish(ctx context.Context, tx pgx.Tx, p place, want backend.Want) error {
	giveBack, err := borrow(ctx, tx, p.owner())
	if err != nil {
		return err
	}
	for _, step := range []func(context.Context, pgx.Tx, place) error{grant, defaults, letReaderRead} {
		if err := step(ctx, tx, p); err != nil {
			return err
		}
	}
	if err := b.seed(ctx, tx, p, want); err != nil {
		return err
	}
	return giveBack()
}

// grant sets what the roles and the public may do with the schema.
func grant(ctx context.Context, tx pgx.Tx, p place) error {
	schema := "SCHEMA " + quote(p.schema())
	err := execute(ctx, tx,
		"REVOKE ALL ON "+schema+" FROM PUBLIC, "+quote(p.reader()),
		"GRANT USAGE, CREATE ON "+schema+" TO "+quote(p.owner()),
		"GRANT USAGE ON "+schema+" TO "+quote(p.reader()))
	if err != nil {
		return fmt.Errorf("grant on schema: %w", err)
	}
	return nil
}

// defaults lets the reader read what the owner will make. FOR ROLE is the
// point: without it the defaults cover what the admin makes (C18).
func defaults(ctx context.Context, tx pgx.Tx, p place) error {
	alter := "ALTER DEFAULT PRIVILEGES FOR ROLE " + quote(p.owner()) + " IN SCHEMA " + quote(p.schema())
	reader := quote(p.reader())
	err := execute(ctx, tx,
		alter+" REVOKE ALL ON TABLES FROM "+reader+", PUBLIC",
		alter+" REVOKE ALL ON SEQUENCES FROM "+reader+", PUBLIC",
		alter+" GRANT SELECT ON TABLES TO "+reader,
		alter+" GRANT SELECT ON SEQUENCES TO "+reader)
	if err != nil {
		return fmt.Errorf("set default privileges: %w", err)
	}
	return nil
}

// letReaderRead catches up on what the owner made while the defaults were not
// in place.
func letReaderRead(ctx context.Context, tx pgx.Tx, p place) error {
	relations, err := texts(ctx, tx, `
		SELECT c.relname::text FROM pg_class c
		JOIN pg_namespace n ON n.oid = c.relnamespace
		JOIN pg_roles o ON o.oid = c.relowner
		WHERE n.nspname = $1 AND o.rolname = $2 AND c.relkind IN ('r', 'p', 'v', 'm', 'f', 'S')
		AND NOT has_table_privilege($3::name, c.oid, 'SELECT')`, p.schema(), p.owner(), p.reader())
	if err != nil {
		return fmt.Errorf("look for what the reader cannot read: %w", err)
	}
	for _, name := range relations {
		// GRANT ON TABLE takes sequences too.
		table := pgx.Identifier{p.schema(), name}.Sanitize()
		if err := execute(ctx, tx, "GRANT SELECT ON TABLE "+table+" TO "+quote(p.reader())); err != nil {
			return fmt.Errorf("let the reader read %s: %w", name, err)
		}
	}
	return nil
}
