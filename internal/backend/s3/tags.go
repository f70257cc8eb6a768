package s3

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"time"

	"github.com/minio/minio-go/v7"
	miniotags "github.com/minio/minio-go/v7/pkg/tags"

	"github.com/tenantplane/terraform-provider-tenant/internal/backend"
	"github.com/tenantplane/terraform-provider-tenant/internal/fault"
	"github.com/tenantplane/terraform-provider-tenant/internal/tenant"
)

// archivedUntilTag is the tag of an archived bucket: when its data may go.
const archivedUntilTag = "tenant-archived-until"

// tags are all tags of a bucket, its users' included.
type tags map[string]string

// marker returns whose the bucket is.
func (t tags) marker() tenant.Marker { return tenant.MarkerFromPairs(t) }

// archivedUntil returns the end of the retention; zero when not archived.
func (t tags) archivedUntil() time.Time {
	until, err := time.Parse(time.RFC3339, t[archivedUntilTag])
	if err != nil {
		return time.Time{}
	}
	return until
}

// readTags returns the bucket's tags, and NotFound when there is no bucket.
func (b *Backend) readTags(ctx context.Context, target backend.Target) (tags, error) {
	set, err := b.core.GetBucketTagging(ctx, bucketName(target))
	if err == nil {
		return set.ToMap(), nil
	}
	// Ceph spells the code with a final "Error".
	if code := wellFormed(err).Code; code == minio.NoSuchTagSet || code == "NoSuchTagSetError" {
		return tags{}, nil
	}
	if unreadable, ok := errors.AsType[miniotags.Error](err); ok {
		return nil, wrap("read the tags of", target, fault.NewTerminal("storage.tags_unreadable", target.Path,
			"the bucket has a tag that cannot be read: "+unreadable.Error(),
			"use only ASCII letters, digits, spaces and + - = . _ : / @ in its tags"))
	}
	return nil, b.readFault("read the tags of", target, err)
}

// writeTags stores the marker and keeps every other tag but those dropped.
func (b *Backend) writeTags(ctx context.Context, target backend.Target, current tags, add map[string]string, drop ...string) error {
	next := maps.Clone(current)
	if next == nil {
		next = tags{}
	}
	for _, key := range drop {
		delete(next, key)
	}
	maps.Copy(next, add)
	if maps.Equal(next, current) {
		return nil
	}
	set, err := miniotags.MapToBucketTags(next)
	if err != nil {
		return wrap("tag", target, fault.NewTerminal("storage.tags_invalid", target.Path,
			fmt.Sprintf("the marker does not fit into the bucket's tags: %v", err),
			"use a region name of ASCII letters, digits and hyphens, and at most 46 tags of your own"))
	}
	if err := b.core.SetBucketTagging(ctx, bucketName(target), set); err != nil {
		return b.writeFault("tag", target, err)
	}
	return nil
}
