package s3

import (
	"context"
	"fmt"

	"github.com/minio/minio-go/v7"

	"github.com/tenantplane/terraform-provider-tenant/internal/backend"
	"github.com/tenantplane/terraform-provider-tenant/internal/fault"
	"github.com/tenantplane/terraform-provider-tenant/internal/tenant"
)

// Outcomes of removals.
const (
	outcomeDeleted  = "deleted"
	outcomeAbsent   = "already absent"
	outcomeArchived = "archived"
	outcomePending  = "pending"
)

// Remove implements backend.Backend. With DeleteData everything in the bucket
// is destroyed, versions and delete markers included; what object lock retains
// makes the Receipt's outcome "pending" until the last of it expires. With
// ArchiveData it does what Archive does.
func (b *Backend) Remove(ctx context.Context, removal backend.Removal) (backend.Receipt, error) {
	tags, gone, err := b.readOwn(ctx, "remove", removal.Target, removal.TakeUnmarked)
	if err != nil || gone {
		return backend.Receipt{Outcome: outcomeAbsent}, err
	}
	if tags.marker().IsZero() {
		return b.removeUnmarked(ctx, removal.Target)
	}
	switch removal.Data {
	case tenant.ArchiveData:
		return b.archive(ctx, removal, tags)
	case tenant.DeleteData:
		return b.destroy(ctx, removal.Target, tags)
	default:
		return b.removeEmpty(ctx, removal.Target)
	}
}

// readOwn reads the tags of a bucket that has to be ours, right before
// something is done to it; gone tells that it is proven absent. With
// takeUnmarked it may carry no marker at all.
func (b *Backend) readOwn(ctx context.Context, verb string, target backend.Target, takeUnmarked bool) (found tags, gone bool, err error) {
	found, err = b.readTags(ctx, target)
	switch {
	case absent(err):
		return nil, true, nil
	case err != nil:
		return nil, false, err
	case found.marker() != target.Marker() && !(found.marker().IsZero() && takeUnmarked):
		return nil, false, conflict(verb, target, found.marker())
	}
	return found, false, nil
}

// removeUnmarked removes a bucket whose name alone says that it is ours:
// half-made, or stripped of its tags. One that holds anything may be a
// stranger's that took the name, whatever the policy for our own data is.
func (b *Backend) removeUnmarked(ctx context.Context, target backend.Target) (backend.Receipt, error) {
	held, err := b.count(ctx, target)
	if err != nil {
		return backend.Receipt{}, err
	}
	if held.empty() {
		return b.deleteBucket(ctx, target, held)
	}
	marker := target.Marker()
	return backend.Receipt{}, wrap("remove", target, fault.NewConflict("storage.bucket_foreign", target.Path,
		fmt.Sprintf("bucket %s holds %s and carries no marker of this provider", bucketName(target), held),
		fmt.Sprintf("if it is the tenant's, put the tags %s=%s, %s=%s and %s=%s back; otherwise move it away",
			tenant.MarkerInstallation, marker.Installation, tenant.MarkerTenant, marker.Tenant, tenant.MarkerRegion, marker.Region)))
}

// removeEmpty removes the bucket unless it holds anything. What arrives after
// the count is safe too: stores refuse to delete a bucket that is not empty.
func (b *Backend) removeEmpty(ctx context.Context, target backend.Target) (backend.Receipt, error) {
	held, err := b.count(ctx, target)
	if err != nil {
		return backend.Receipt{}, err
	}
	if !held.empty() {
		return backend.Receipt{}, notEmpty(target, held)
	}
	return b.deleteBucket(ctx, target, held)
}

func notEmpty(target backend.Target, held contents) error {
	return wrap("remove", target, fault.NewTerminal("storage.bucket_not_empty", target.Path,
		fmt.Sprintf("bucket %s holds %s, and the policy is to retain data", bucketName(target), held),
		`empty the bucket, versions included, or set storage.on_destroy to "archive" or "purge"`))
}

// deleteBucket deletes the bucket itself.
func (b *Backend) deleteBucket(ctx context.Context, target backend.Target, destroyed contents) (backend.Receipt, error) {
	err := b.core.RemoveBucket(ctx, bucketName(target))
	code := wellFormed(err).Code
	if code == minio.BucketNotEmpty {
		f := fault.NewRetryable("storage.bucket_refilled",
			fmt.Sprintf("something was written to bucket %s while it was being removed", bucketName(target)), err)
		f.Path, f.Action = target.Path, "stop whatever still writes to it"
		return backend.Receipt{}, wrap("remove", target, f)
	}
	if err != nil && code != minio.NoSuchBucket {
		return backend.Receipt{}, b.writeFault("remove", target, err)
	}
	return backend.Receipt{Outcome: outcomeDeleted, Details: destroyed.details()}, nil
}
