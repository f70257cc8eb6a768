package s3

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/minio/minio-go/v7"

	"github.com/tenantplane/terraform-provider-tenant/internal/backend"
	"github.com/tenantplane/terraform-provider-tenant/internal/component/storage"
	"github.com/tenantplane/terraform-provider-tenant/internal/fault"
	"github.com/tenantplane/terraform-provider-tenant/internal/tenant"
)

// Backend is one object store. Open it through Driver.
type Backend struct {
	core   *minio.Core
	region string
	// accessKey is the id half of the credentials, which is no secret.
	accessKey string
	// path is the attribute path of the driver's block.
	path string
	// now tells a retention that runs from one that is over.
	now func() time.Time
}

var (
	_ backend.Backend  = (*Backend)(nil)
	_ backend.Archiver = (*Backend)(nil)
	_ backend.Checker  = (*Backend)(nil)
)

// Capabilities implements backend.Backend. S3 has no idempotency keys, and a
// bucket is found by its name.
func (*Backend) Capabilities() backend.Capabilities {
	return backend.Capabilities{ExactLookup: true}
}

// Observe implements backend.Backend. A bucket that exists and cannot be read
// is a Conflict, not an absence: it belongs to another account, or to a policy
// that shuts us out.
func (b *Backend) Observe(ctx context.Context, target backend.Target) (backend.Observation, error) {
	seen, err := b.look(ctx, target)
	if err != nil {
		return backend.Observation{}, err
	}
	return backend.Observation{
		ExternalID:    seen.name,
		Name:          seen.name,
		Fields:        storage.Content(seen.name, seen.versioning),
		Marker:        seen.tags.marker(),
		ArchivedUntil: seen.tags.archivedUntil(),
	}, nil
}

// Check implements backend.Checker: the store answers, the credentials work,
// and no bucket of another account has one of the names.
func (b *Backend) Check(ctx context.Context, wants []backend.Want) []*fault.Fault {
	var faults []*fault.Fault
	for _, want := range wants {
		_, err := b.look(ctx, want.Target)
		if err == nil || fault.Is(err, fault.NotFound) {
			continue
		}
		f := fault.From(err)
		faults = append(faults, f)
		if f.BackendWide {
			return faults
		}
	}
	return faults
}

// bucket is what is known of an existing bucket.
type bucket struct {
	name       string
	tags       tags
	versioning bool
}

// look reads the target's bucket.
func (b *Backend) look(ctx context.Context, target backend.Target) (bucket, error) {
	name := bucketName(target)
	tags, err := b.readTags(ctx, target)
	if err != nil {
		return bucket{}, err
	}
	versioning, err := b.core.GetBucketVersioning(ctx, name)
	if err != nil {
		return bucket{}, b.readFault("read the versioning of", target, err)
	}
	return bucket{name: name, tags: tags, versioning: versioning.Enabled()}, nil
}

// bucketName is the recorded name, or the derived one before any was recorded.
func bucketName(target backend.Target) string {
	if target.ExternalID != "" {
		return target.ExternalID
	}
	return target.Name
}

// conflict is the fault of a bucket that is not this tenant's.
func conflict(verb string, target backend.Target, found tenant.Marker) error {
	whose := "carries no marker of this provider"
	action := "set storage.adopt to take it over, or delete the bucket if nobody needs it"
	if !found.IsZero() {
		whose = fmt.Sprintf("belongs to tenant %q of installation %q in region %q",
			found.Tenant, found.Installation, found.Region)
		action = "choose another tenant id, or remove the bucket from its owner first"
	}
	f := fault.NewConflict("storage.bucket_foreign", target.Path,
		fmt.Sprintf("bucket %s exists and %s", bucketName(target), whose), action)
	return wrap(verb, target, f)
}

// wrap names the call around a fault.
func wrap(verb string, target backend.Target, f *fault.Fault) error {
	return fmt.Errorf("s3: %s bucket %s: %w", verb, bucketName(target), f)
}

// absent tells whether err proves that the bucket does not exist.
func absent(err error) bool { return fault.Is(err, fault.NotFound) }

// ended tells whether the caller gave up, in which case iterators of the
// client just stop.
func ended(ctx context.Context) error {
	if ctx.Err() == nil {
		return nil
	}
	return errors.Join(ctx.Err(), context.Cause(ctx))
}

// timestamp is how dates are written into tags and receipts.
func timestamp(t time.Time) string { return t.UTC().Format(time.RFC3339) }
