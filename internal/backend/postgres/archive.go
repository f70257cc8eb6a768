package postgres

import (
	"context"
	"encoding/json"
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
	p, f, err := b.find(ctx, conn, removal)
	if err != nil {
		return backend.Receipt{}, err
	}
	if !f.present {
		return b.archivedBefore(ctx, conn, removal, f)
	}
	held, err := b.measure(ctx, conn, p, f, removal)
	if err != nil {
		return backend.Receipt{}, err
	}
	if p.isDatabase() {
		if _, err := b.endSessions(ctx, conn, p); err != nil {
			return backend.Receipt{}, err
		}
	}
	receipt := backend.Receipt{Outcome: outcomeArchived, Details: archiveDetails(p, held, removal)}
	return receipt, b.inTransaction(ctx, conn, func(tx pgx.Tx) error {
		p, f, err := b.reread(ctx, tx, removal.Target, removal.TakeUnmarked)
		if err != nil {
			return err
		}
		return putAway(ctx, tx, p, f, removal, receipt.Details)
	})
}

// archiveDetails says where the data will be, how much it is, and in which
// life of the tenant, which is what the key tells, it was put there.
func archiveDetails(p place, held holdings, removal backend.Removal) map[string]string {
	details := held.details()
	details["archive"] = archiveName(p.name, removal.RetainUntil)
	details["isolation"] = p.isolation
	details["key"] = removal.Key
	if !removal.RetainUntil.IsZero() {
		details["retain_until"] = removal.RetainUntil.UTC().Format(time.RFC3339)
	}
	return details
}

// putAway is the archiving proper, all of it or nothing.
func putAway(ctx context.Context, tx pgx.Tx, p place, f found, removal backend.Removal, details map[string]string) error {
	if err := revokeAll(ctx, tx, p); err != nil {
		return err
	}
	if err := dropRoles(ctx, tx, f.ownRoles(removal)); err != nil {
		return err
	}
	rename := "ALTER " + p.container() + " RENAME TO "
	p.name = details["archive"]
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
	note, err := json.Marshal(details)
	if err != nil {
		return fmt.Errorf("word the note on the archive: %w", err)
	}
	return remark(ctx, tx, p.container(), f.comment.marked(p.marker).with(noteArchived+string(note)))
}

// archiveComments lists the comments of schemas and databases that hold a text.
const archiveComments = `
	SELECT c FROM (
		SELECT obj_description(oid, 'pg_namespace') FROM pg_namespace
		UNION ALL SELECT shobj_description(oid, 'pg_database') FROM pg_database) AS comments (c)
	WHERE strpos(c, $1) > 0`

// archivedBefore answers for a target that is absent: a call that was cut
// short after its commit is repeated, perhaps with a later date, and has to
// say again where the data is. The key tells it from archives of other lives.
func (b *Backend) archivedBefore(ctx context.Context, conn *pgx.Conn, removal backend.Removal, f found) (backend.Receipt, error) {
	receipt := backend.Receipt{Outcome: outcomeAbsent}
	err := b.inTransaction(ctx, conn, func(tx pgx.Tx) error {
		if err := dropRoles(ctx, tx, f.ownRoles(removal)); err != nil {
			return err
		}
		comments, err := texts(ctx, tx, archiveComments, removal.Marker().String())
		if err != nil {
			return fmt.Errorf("look for archives: %w", err)
		}
		for _, text := range comments {
			if details := archivedUnder(comment(text), removal); details != nil {
				receipt = backend.Receipt{Outcome: outcomeArchived, Details: details}
			}
		}
		return nil
	})
	return receipt, err
}

// archivedUnder returns the details noted on an archive when the removal made
// it, else nil. A note that a person spoiled counts as none.
func archivedUnder(text comment, removal backend.Removal) map[string]string {
	note, found := text.note(noteArchived)
	if !found || text.marker() != removal.Marker() {
		return nil
	}
	var details map[string]string
	if err := json.Unmarshal([]byte(note), &details); err != nil || details["key"] != removal.Key {
		return nil
	}
	return details
}
