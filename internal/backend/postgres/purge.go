package postgres

import (
	"context"
	"encoding/json"

	"github.com/jackc/pgx/v5"

	"github.com/tenantplane/terraform-provider-tenant/internal/backend"
	"github.com/tenantplane/terraform-provider-tenant/internal/fault"
	"github.com/tenantplane/terraform-provider-tenant/internal/tenant"
)

// Purge implements backend.Purger.
func (b *Backend) Purge(ctx context.Context, removal backend.Removal) (backend.Receipt, error) {
	ctx, cancel := context.WithTimeout(ctx, b.timeout)
	defer cancel()
	removal.Data, removal.TakeUnmarked = tenant.DeleteData, false
	receipt := backend.Receipt{Outcome: outcomeAbsent}
	err := b.finalize(ctx, removal, func(conn *pgx.Conn) (err error) {
		receipt, err = b.purge(ctx, conn, removal)
		return err
	})
	if err != nil {
		return backend.Receipt{}, b.wrap("purge", removal.Name, err)
	}
	return receipt, nil
}

func (b *Backend) purge(ctx context.Context, conn *pgx.Conn, removal backend.Removal) (backend.Receipt, error) {
	p, f, err := b.find(ctx, conn, removal)
	if err != nil || !f.present {
		return backend.Receipt{Outcome: outcomeAbsent}, err
	}
	details, archived := f.comment.archived()
	if !archived {
		return backend.Receipt{}, fault.NewConflict("postgres.not_archived", p.path, p.container()+" is not an archive any more",
			"if it is, put the note on it back: COMMENT ON "+p.container())
	}
	if until := backend.EndOf(details, removal); until.After(removal.Now) {
		return backend.Receipt{Outcome: "its retention runs", PendingUntil: until, Details: details}, nil
	}
	receipt, err := b.remove(ctx, conn, removal)
	if err != nil {
		return backend.Receipt{}, err
	}
	for name, value := range receipt.Details {
		details[name] = value
	}
	return backend.Receipt{Outcome: backend.OutcomeDestroyed, Details: details}, nil
}

// archived returns the note on an archive: where, how much, until when.
func (c comment) archived() (details map[string]string, archived bool) {
	note, found := c.note(noteArchived)
	if !found {
		return nil, false
	}
	if err := json.Unmarshal([]byte(note), &details); err != nil || details == nil {
		details = map[string]string{} // a person spoiled it; an archive it is
	}
	return details, true
}
