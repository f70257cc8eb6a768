package s3

import (
	"context"
	"iter"

	"github.com/minio/minio-go/v7"

	"github.com/tenantplane/terraform-provider-tenant/internal/backend"
)

// destroy empties the bucket and deletes it. Interrupted, it goes on where it
// stopped when it is called again: what is gone is not listed any more.
func (b *Backend) destroy(ctx context.Context, target backend.Target, tags tags) (backend.Receipt, error) {
	if !tags.archivedUntil().IsZero() {
		if err := b.allowWrites(ctx, target); err != nil {
			return backend.Receipt{}, err
		}
	}
	aborted, err := b.abortUploads(ctx, target)
	if err != nil {
		return backend.Receipt{}, err
	}
	total := contents{uploads: aborted}
	for {
		p := purge{}
		if err := b.purge(ctx, target, &p); err != nil {
			return backend.Receipt{}, err
		}
		total.merge(p.listed)
		switch refused := len(p.refused); {
		case p.listed.empty():
			return b.deleteBucket(ctx, target, total)
		case refused == p.listed.entries():
			return b.pending(ctx, target, tags, p.refused)
		}
	}
}

// purge is one pass over a bucket. Passes are repeated until nothing is left
// or nothing moves: some stores lose their place in a listing when the entry
// it stands on is deleted, and end the listing early.
type purge struct {
	// listed counts what was found and sent for deletion.
	listed contents
	// refused are the versions the store would not delete, each with why.
	refused []minio.RemoveObjectResult
	// listing is why the listing ended early.
	listing error
}

// purge deletes all versions and delete markers, in pages of the listing and
// batches of up to 1000; a batch is sent only when there is something in it.
// An error of a whole request ends it, an error of one version does not.
func (b *Backend) purge(ctx context.Context, target backend.Target, p *purge) error {
	results, err := b.core.RemoveObjectsWithIter(ctx, bucketName(target), b.victims(ctx, target, p), minio.RemoveObjectsOptions{})
	if err != nil {
		return b.writeFault("empty", target, err)
	}
	for result := range results {
		if result.Err == nil {
			continue
		}
		if !isPerVersion(result.Err) {
			return b.writeFault("empty", target, result.Err)
		}
		p.refused = append(p.refused, result)
	}
	if p.listing != nil {
		return b.readFault("list", target, p.listing)
	}
	if err := ended(ctx); err != nil {
		return b.readFault("empty", target, err)
	}
	return nil
}

// victims lists what is to be deleted and counts it.
func (b *Backend) victims(ctx context.Context, target backend.Target, p *purge) iter.Seq[minio.ObjectInfo] {
	return func(yield func(minio.ObjectInfo) bool) {
		for entry := range b.core.ListObjectsIter(ctx, bucketName(target), everything()) {
			if entry.Err != nil {
				p.listing = entry.Err
				return
			}
			p.listed.add(entry)
			if !yield(entry) {
				return
			}
		}
	}
}

// isPerVersion tells the store's word on one version in a batch from the
// failure of the request, which the client reports for each version.
func isPerVersion(err error) bool {
	answer := minio.ToErrorResponse(err)
	return answer.Code != "" && answer.StatusCode == 0
}

// abortUploads ends every upload that was never completed and returns how many.
func (b *Backend) abortUploads(ctx context.Context, target backend.Target) (int, error) {
	var aborted int
	for {
		uploads, err := b.uploads(ctx, target)
		if err != nil || len(uploads) == 0 {
			return aborted, err
		}
		for _, upload := range uploads {
			err := b.core.AbortMultipartUpload(ctx, bucketName(target), upload.Key, upload.UploadID)
			if err != nil && wellFormed(err).Code != minio.NoSuchUpload {
				return aborted, b.writeFault("abort an upload to", target, err)
			}
			aborted++
		}
	}
}
