package s3

import (
	"context"
	"fmt"

	"github.com/tenantplane/terraform-provider-tenant/internal/backend"
	"github.com/tenantplane/terraform-provider-tenant/internal/fault"
)

// Purge implements backend.Purger. An archived bucket keeps its name, so its
// tag tells it from one that is in service again.
func (b *Backend) Purge(ctx context.Context, removal backend.Removal) (backend.Receipt, error) {
	tags, gone, err := b.readOwn(ctx, "purge", removal.Target, false)
	if err != nil || gone {
		return backend.Receipt{Outcome: outcomeAbsent}, err
	}
	until := tags.archivedUntil()
	if until.IsZero() {
		return backend.Receipt{}, wrap("purge", removal.Target, fault.NewConflict("storage.not_archived", removal.Path,
			fmt.Sprintf("bucket %s is in service again", bucketName(removal.Target)),
			"if it is not, archive it again: its tag "+archivedUntilTag+" is missing"))
	}
	if until.After(removal.Now) {
		return backend.Receipt{Outcome: "its retention runs", PendingUntil: until}, nil
	}
	receipt, err := b.destroy(ctx, removal.Target, tags)
	if err == nil && receipt.PendingUntil.IsZero() {
		receipt.Outcome = backend.OutcomeDestroyed
	}
	return receipt, err
}
