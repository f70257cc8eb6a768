package postgres

import (
	"context"
	"fmt"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/tenantplane/terraform-provider-tenant/internal/backend"
	"github.com/tenantplane/terraform-provider-tenant/internal/fault"
)

// Archive implements backend.Archiver: the schema or database gets another
// name and belongs to the admin alone; the tenant's roles go. The marker stays
// on it, with the date until which it is to be kept.
func (b *Backend) Archive(ctx context.Context, removal backend.Removal) (backend.Receipt, error) {
	ctx, cancel := context.WithTimeout(ctx, b.timeout)
	defer cancel()
	receipt := backend.Receipt{Outcome: outcomeAbsent}
	err := b.finalize(ctx, removal, func(conn *pgx.Conn) (err error) {
		receipt, err = b.archive(ctx, conn, removal)
		return err
	})
	if err != nil {
		return backend.Receipt{}, b.wrap("archive", removal.Name, err)
	}
	return receipt, nil
}

func (b *Backend) archive(ctx context.Context, conn *pgx.Conn, removal backend.Removal) (backend.Receipt, error) {
	p, f, err := b.find(ctx, conn, removal.Target)
	if err != nil {
		return backend.Receipt{}, err
	}
	if !f.present {
		return b.archivedBefore(ctx, conn, removal, f)
	}
	held, err := b.measure(ctx, conn, p, f)
	if err != nil {
		return backend.Receipt{}, err
	}
	if p.isDatabase() {
		if _, err := b.endSessions(ctx, conn, p); err != nil {
			return backend.Receipt{}, err
		}
	}
	err = b.inTransaction(ctx, conn, func(tx pgx.Tx) error {
		if p, f, err = b.reread(ctx, tx, removal.Target); err != nil {
			return err
		}
		return putAway(ctx, tx, p, f, removal.RetainUntil)
	})
	receipt := archived(p.isolation, archiveName(p.name, removal.RetainUntil), removal.RetainUntil)
	for name, value := range held.details() {
		receipt.Details[name] = value
	}
	return receipt, err
}

// putAway is the archiving proper, all of it or nothing.
func putAway(ctx context.Context, tx pgx.Tx, p place, f found, retainUntil time.Time) error {
	if err := revokeAll(ctx, tx, p); err != nil {
		return err
	}
	if err := dropRoles(ctx, tx, f.ownRoles(p.marker)); err != nil {
		return err
	}
	rename := "ALTER " + p.container() + " RENAME TO "
	p.name = archiveName(p.name, retainUntil)
	taken, err := look(ctx, tx, p)
	if err != nil {
		return err
	}
	if taken.present {
		return fault.NewTerminal("postgres.archive_taken", p.path, "there is already an archive "+p.container(),
			"rename or drop it, or change deletion.retention_days")
	}
	if err := execute(ctx, tx, rename+quote(p.name)); err != nil {
		return fmt.Errorf("rename: %w", err)
	}
	if p.isDatabase() {
		if err := execute(ctx, tx, "ALTER "+p.container()+" ALLOW_CONNECTIONS false"); err != nil {
			return fmt.Errorf("close: %w", err)
		}
	}
	return remark(ctx, tx, p.container(), f.comment.marked(p.marker).with(noteRetain+retention(retainUntil)))
}

// retention words the date until which an archive is kept.
func retention(until time.Time) string {
	if until.IsZero() {
		return "told otherwise"
	}
	return until.UTC().Format(time.RFC3339)
}

func archived(isolation, name string, until time.Time) backend.Receipt {
	return backend.Receipt{Outcome: outcomeArchived, Details: map[string]string{
		"archive":      name,
		"isolation":    isolation,
		"retain_until": retention(until),
	}}
}

// archivedBefore answers for a target that is absent: a call that was cut
// short after its commit is repeated, and has to say again where the data is.
func (b *Backend) archivedBefore(ctx context.Context, conn *pgx.Conn, removal backend.Removal, f found) (backend.Receipt, error) {
	receipt := backend.Receipt{Outcome: outcomeAbsent}
	err := b.inTransaction(ctx, conn, func(tx pgx.Tx) error {
		marker := removal.Marker()
		if err := dropRoles(ctx, tx, f.ownRoles(marker)); err != nil {
			return err
		}
		target := removal.Target
		target.Name = archiveName(removal.Name, removal.RetainUntil)
		p, f, err := locate(ctx, tx, target)
		if err != nil || !f.present || f.comment.marker() != marker {
			return err
		}
		receipt = archived(p.isolation, p.name, removal.RetainUntil)
		return nil
	})
	return receipt, err
}
