package postgres

import (
	"context"
	"errors"
	"fmt"

	"github.com/jackc/pgx/v5"

	"github.com/tenantplane/terraform-provider-tenant/internal/backend"
	"github.com/tenantplane/terraform-provider-tenant/internal/fault"
	"github.com/tenantplane/terraform-provider-tenant/internal/tenant"
)

// Remove implements backend.Backend. What holds objects goes only under
// tenant.DeleteData; under tenant.ArchiveData, too, it is refused, as it
// should have been archived before.
func (b *Backend) Remove(ctx context.Context, removal backend.Removal) (backend.Receipt, error) {
	ctx, cancel := context.WithTimeout(ctx, b.timeout)
	defer cancel()
	receipt := backend.Receipt{Outcome: outcomeAbsent}
	err := b.finalize(ctx, removal, func(conn *pgx.Conn) (err error) {
		receipt, err = b.remove(ctx, conn, removal)
		return err
	})
	if err != nil {
		return backend.Receipt{}, b.wrap("remove", removal.Name, err)
	}
	return receipt, nil
}

// finalize runs f under the tenant's lock. When the tenant's roles turn out to
// be in use in other databases, those are visited and f runs once more.
func (b *Backend) finalize(ctx context.Context, removal backend.Removal, f func(*pgx.Conn) error) error {
	return b.withConnection(ctx, maintenance, func(conn *pgx.Conn) error {
		if err := b.lockSession(ctx, conn, removal.Name); err != nil {
			return err
		}
		err := f(conn)
		var away *elsewhere
		if !errors.As(err, &away) {
			return err
		}
		_, found, err := b.find(ctx, conn, removal)
		if err != nil {
			return err
		}
		if err := b.visit(ctx, away.databases, found.ownRoles(removal)); err != nil {
			return err
		}
		return f(conn)
	})
}

// find is reread in a transaction of its own.
func (b *Backend) find(ctx context.Context, conn *pgx.Conn, removal backend.Removal) (p place, f found, err error) {
	err = b.inTransaction(ctx, conn, func(tx pgx.Tx) error {
		p, f, err = b.reread(ctx, tx, removal.Target, removal.TakeUnmarked)
		return err
	})
	return p, f, err
}

func (b *Backend) remove(ctx context.Context, conn *pgx.Conn, removal backend.Removal) (backend.Receipt, error) {
	p, f, err := b.find(ctx, conn, removal)
	if err != nil {
		return backend.Receipt{}, err
	}
	if !f.present {
		err := b.inTransaction(ctx, conn, func(tx pgx.Tx) error {
			return dropRoles(ctx, tx, f.ownRoles(removal))
		})
		return backend.Receipt{Outcome: outcomeAbsent}, err
	}
	held, err := b.measure(ctx, conn, p, f, removal)
	if err != nil {
		return backend.Receipt{}, err
	}
	if held.objects > 0 && removal.Data != tenant.DeleteData {
		return backend.Receipt{}, refuse(p, held)
	}
	drop := b.dropSchema
	if p.isDatabase() {
		drop = b.dropDatabase
	}
	receipt := backend.Receipt{Outcome: outcomeDeleted, Details: held.details()}
	receipt.Details[p.isolation] = p.name
	return receipt, drop(ctx, conn, removal)
}

func refuse(p place, held holdings) *fault.Fault {
	return fault.NewTerminal("postgres.holds_data", p.path,
		fmt.Sprintf("%s holds %s, and the policy is to retain data (2BP01)", p.container(), held),
		`set database.on_destroy (or deletion.data) to "archive" to keep the data out of reach, or to "cascade" ("delete") to destroy it; or move the data away`)
}

// measure counts what a place holds, from where it can be seen. A closed
// database that is neither marked nor recorded was never finished: it holds
// nothing. Any other closed one may hold everything, whoever closed it and
// whatever became of its comment; only an archive was counted when it was made.
func (b *Backend) measure(ctx context.Context, conn *pgx.Conn, p place, f found, removal backend.Removal) (held holdings, err error) {
	look := func(tx pgx.Tx) error {
		giveBack, err := borrow(ctx, tx, f.ownRoles(removal)...)
		if err != nil {
			return err
		}
		if held, err = count(ctx, tx, p); err != nil {
			return err
		}
		return giveBack()
	}
	known := removal.ExternalID != "" || !f.comment.marker().IsZero()
	switch {
	case !p.isDatabase():
		err = b.inTransaction(ctx, conn, look)
	case f.open:
		err = b.transact(ctx, p.database(), look)
	case known && removal.Data == tenant.DeleteData:
		held.uncounted = true
	case known:
		err = fault.NewTerminal("postgres.closed", p.path, p.container()+" takes no connections, so what it holds cannot be counted",
			"open it with ALTER "+p.container()+" ALLOW_CONNECTIONS true")
	}
	return held, err
}

// dropSchema reads and counts again inside the transaction that drops: what
// was made since the last look is seen, or makes a plain DROP fail with 2BP01.
func (b *Backend) dropSchema(ctx context.Context, conn *pgx.Conn, removal backend.Removal) error {
	return b.inTransaction(ctx, conn, func(tx pgx.Tx) error {
		p, f, err := b.reread(ctx, tx, removal.Target, removal.TakeUnmarked)
		if err != nil {
			return err
		}
		drop := "DROP " + p.container() + " RESTRICT"
		if removal.Data == tenant.DeleteData {
			drop = "DROP " + p.container() + " CASCADE"
		}
		if err := execute(ctx, tx, "DROP TABLE IF EXISTS "+p.seedLog(), drop); err != nil {
			return fmt.Errorf("drop: %w", err)
		}
		return dropRoles(ctx, tx, f.ownRoles(removal))
	})
}

// dropDatabase cannot be one transaction: the roles go last, and a repeated
// call finds them by their marker. Sessions are cut off only where the data is
// to be destroyed anyway; else they make it fail with 55006, to be tried again.
func (b *Backend) dropDatabase(ctx context.Context, conn *pgx.Conn, removal backend.Removal) error {
	p, f, err := b.find(ctx, conn, removal)
	if err != nil {
		return err
	}
	drop := "DROP " + p.container()
	if removal.Data == tenant.DeleteData {
		drop += " WITH (FORCE)"
	}
	if err := executeAlone(ctx, conn, drop); err != nil {
		return fmt.Errorf("drop: %w", err)
	}
	return b.inTransaction(ctx, conn, func(tx pgx.Tx) error {
		return dropRoles(ctx, tx, f.ownRoles(removal))
	})
}
