package s3

import (
	"context"

	"github.com/tenantplane/terraform-provider-tenant/internal/backend"
)

// Archive implements backend.Archiver. The bucket stays, under its name: its
// tags say until when, and its policy refuses every write and deletion. Reads
// stay possible. The Receipt is pending until the end of the retention, after
// which Remove with DeleteData destroys the bucket; an Ensure takes it back
// into service.
func (b *Backend) Archive(ctx context.Context, removal backend.Removal) (backend.Receipt, error) {
	tags, gone, err := b.readOwn(ctx, "archive", removal.Target, false)
	if err != nil || gone {
		return backend.Receipt{Outcome: outcomeAbsent}, err
	}
	return b.archive(ctx, removal, tags)
}

// archive tags first: interrupted after that, the bucket shows as archived, and
// the next call either ends the archiving or takes it back. The other way round
// it would stay read-only without a trace.
func (b *Backend) archive(ctx context.Context, removal backend.Removal, tags tags) (backend.Receipt, error) {
	until := timestamp(removal.RetainUntil)
	if err := b.writeTags(ctx, removal.Target, tags, map[string]string{archivedUntilTag: until}); err != nil {
		return backend.Receipt{}, err
	}
	refused, err := b.refuseWrites(ctx, removal.Target)
	if err != nil {
		return backend.Receipt{}, err
	}
	held, err := b.count(ctx, removal.Target)
	if err != nil {
		return backend.Receipt{}, err
	}
	details := held.details()
	details["archive"] = bucketName(removal.Target)
	details["retain_until"] = until
	details["writes"] = "refused by the bucket policy"
	if !refused {
		details["writes"] = "possible: the object store has no bucket policies"
	}
	return backend.Receipt{Outcome: outcomeArchived, PendingUntil: removal.RetainUntil, Details: details}, nil
}
