package sqlite

import (
	"context"
	"database/sql"
	"encoding/json"
	"fmt"
	"os"

	"github.com/tenantplane/terraform-provider-tenant/internal/backend"
	"github.com/tenantplane/terraform-provider-tenant/internal/fault"
)

// Purge implements backend.Purger.
func (b *Backend) Purge(ctx context.Context, removal backend.Removal) (backend.Receipt, error) {
	receipt, err := b.own(ctx, removal.Target, false, func(ctx context.Context, r record) (backend.Receipt, error) {
		details, err := b.archiveNote(ctx, r.path)
		if err != nil {
			return backend.Receipt{}, err
		}
		if details == nil {
			return backend.Receipt{}, fault.NewConflict("sqlite.not_archived", removal.Path,
				fmt.Sprintf("the file %s is not an archive", r.path), "move it away if nobody needs it there")
		}
		if until := backend.EndOf(details, removal); until.After(removal.Now) {
			return backend.Receipt{Outcome: "its retention runs", PendingUntil: until, Details: details}, nil
		}
		if err := b.settle(ctx, r.path); err != nil {
			return backend.Receipt{}, err
		}
		return backend.Receipt{Outcome: backend.OutcomeDestroyed, Details: details}, os.Remove(r.path)
	})
	return receipt, b.wrap("purge", removal.Name, err)
}

// archiveNote is what an archive says about itself; nil for a file in service.
func (b *Backend) archiveNote(ctx context.Context, path string) (details map[string]string, err error) {
	err = b.transact(ctx, path, func(tx *sql.Tx) error {
		text, err := readMeta(ctx, tx, metaArchived)
		if err != nil || text == "" {
			return err
		}
		return json.Unmarshal([]byte(text), &details)
	})
	return details, err
}
