package s3

import (
	"context"
	"fmt"
	"strconv"

	"github.com/minio/minio-go/v7"

	"github.com/tenantplane/terraform-provider-tenant/internal/backend"
)

// countLimit ends a count: what matters beyond it is that there is much.
const countLimit = 100_000

// contents is how much a bucket holds.
type contents struct {
	// keys are objects that a plain listing shows.
	keys int
	// versions are older versions of objects and versions of deleted ones.
	versions int
	// markers say that an object was deleted.
	markers int
	// uploads are multipart uploads never completed, up to 1000.
	uploads int
	// more: the count was ended at countLimit.
	more bool
}

func (c contents) empty() bool { return c == contents{} }

// String returns e.g. "0 keys, 2500 versions, 2500 delete markers".
func (c contents) String() string {
	text := fmt.Sprintf("%d keys, %d versions, %d delete markers", c.keys, c.versions, c.markers)
	if c.uploads > 0 {
		text += fmt.Sprintf(", %d unfinished uploads", c.uploads)
	}
	if c.more {
		text = "at least " + text
	}
	return text
}

// details returns the counts for evidence.
func (c contents) details() map[string]string {
	details := map[string]string{
		"keys":               strconv.Itoa(c.keys),
		"versions":           strconv.Itoa(c.versions),
		"delete_markers":     strconv.Itoa(c.markers),
		"unfinished_uploads": strconv.Itoa(c.uploads),
	}
	if c.more {
		details["counted"] = fmt.Sprintf("the first %d entries only", countLimit)
	}
	return details
}

// entries is how many versions and delete markers there are.
func (c contents) entries() int { return c.keys + c.versions + c.markers }

// merge adds what another pass found.
func (c *contents) merge(other contents) {
	c.keys += other.keys
	c.versions += other.versions
	c.markers += other.markers
}

func (c *contents) add(entry minio.ObjectInfo) {
	switch {
	case entry.IsDeleteMarker:
		c.markers++
	case entry.IsLatest:
		c.keys++
	default:
		c.versions++
	}
}

// everything asks for all versions and delete markers, page by page.
func everything() minio.ListObjectsOptions {
	return minio.ListObjectsOptions{Recursive: true, WithVersions: true}
}

// count looks through the bucket, versions and delete markers included.
func (b *Backend) count(ctx context.Context, target backend.Target) (contents, error) {
	var held contents
	for entry := range b.core.ListObjectsIter(ctx, bucketName(target), everything()) {
		if entry.Err != nil {
			return contents{}, b.readFault("list", target, entry.Err)
		}
		held.add(entry)
		if held.entries() == countLimit {
			held.more = true
			break
		}
	}
	if err := ended(ctx); err != nil {
		return contents{}, b.readFault("list", target, err)
	}
	uploads, err := b.uploads(ctx, target)
	if err != nil {
		return contents{}, err
	}
	held.uploads = len(uploads)
	return held, nil
}

// uploads returns the first 1000 uploads that were never completed; none where
// the store does not list them.
func (b *Backend) uploads(ctx context.Context, target backend.Target) ([]minio.ObjectMultipartInfo, error) {
	page, err := b.core.ListMultipartUploads(ctx, bucketName(target), "", "", "", "", 1000)
	if unsupported(err) {
		return nil, nil
	}
	if err != nil {
		return nil, b.readFault("list the uploads of", target, err)
	}
	return page.Uploads, nil
}
