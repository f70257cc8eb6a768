package s3

import (
	"context"
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/minio/minio-go/v7"

	"github.com/tenantplane/terraform-provider-tenant/internal/backend"
	"github.com/tenantplane/terraform-provider-tenant/internal/fault"
)

// Bounds on what is looked at and shown of many refused versions.
const (
	retentionsLookedAt = 100
	refusalsShown      = 3
)

// pending ends a purge that could not delete everything: with a date when
// object lock retains what is left, with a Terminal fault when the store has
// other reasons, such as a legal hold, which has no end, or a missing right.
func (b *Backend) pending(ctx context.Context, target backend.Target, tags tags, refused []minio.RemoveObjectResult) (backend.Receipt, error) {
	until, unexplained, err := b.retainedUntil(ctx, target, refused)
	if err != nil {
		return backend.Receipt{}, err
	}
	if len(unexplained) > 0 {
		return backend.Receipt{}, wrap("empty", target, fault.NewTerminal("storage.objects_refused", target.Path,
			fmt.Sprintf("%d versions could not be deleted: %s", len(refused), sample(unexplained)),
			"remove legal holds, and allow these credentials s3:DeleteObject and s3:DeleteObjectVersion"))
	}
	// By the tag the bucket is known to wait for its end, and not to be in service.
	if err := b.writeTags(ctx, target, tags, map[string]string{archivedUntilTag: timestamp(until)}); err != nil {
		return backend.Receipt{}, err
	}
	return backend.Receipt{Outcome: outcomePending, PendingUntil: until, Details: map[string]string{
		"retained_by_object_lock": strconv.Itoa(len(refused)),
		"retain_until":            timestamp(until),
	}}, nil
}

// retainedUntil returns when the last of the refused versions may be deleted,
// and those that no retention explains. Of many it looks at the first ones
// only: the next attempt, on that date, sees the rest.
func (b *Backend) retainedUntil(ctx context.Context, target backend.Target, refused []minio.RemoveObjectResult) (time.Time, []minio.RemoveObjectResult, error) {
	var last time.Time
	var unexplained []minio.RemoveObjectResult
	for _, result := range refused[:min(len(refused), retentionsLookedAt)] {
		version, err := b.core.StatObject(ctx, bucketName(target), result.ObjectName,
			minio.StatObjectOptions{VersionID: result.ObjectVersionID})
		if err != nil && neverAnswered(err) {
			return time.Time{}, nil, b.readFault("read a retention in", target, err)
		}
		until := retention(version)
		if !until.After(b.now()) {
			unexplained = append(unexplained, result)
			continue
		}
		if until.After(last) {
			last = until
		}
	}
	return last, unexplained, nil
}

// retention is the end of a version's object lock; zero when it has none or,
// under a legal hold, no end that is known.
func retention(version minio.ObjectInfo) time.Time {
	if version.Metadata.Get("X-Amz-Object-Lock-Legal-Hold") == string(minio.LegalHoldEnabled) {
		return time.Time{}
	}
	until, err := time.Parse(time.RFC3339, version.Metadata.Get("X-Amz-Object-Lock-Retain-Until-Date"))
	if err != nil {
		return time.Time{}
	}
	return until
}

// sample names a few of the refused versions, each with the store's reason.
func sample(refused []minio.RemoveObjectResult) string {
	var parts []string
	for _, result := range refused[:min(len(refused), refusalsShown)] {
		parts = append(parts, fmt.Sprintf("%q version %q: %v", result.ObjectName, result.ObjectVersionID, result.Err))
	}
	if rest := len(refused) - len(parts); rest > 0 {
		parts = append(parts, fmt.Sprintf("and %d more", rest))
	}
	return strings.Join(parts, "; ")
}
