package s3

import (
	"context"
	"errors"
	"fmt"

	"github.com/minio/minio-go/v7"

	"github.com/tenantplane/terraform-provider-tenant/internal/backend"
	"github.com/tenantplane/terraform-provider-tenant/internal/component/storage"
	"github.com/tenantplane/terraform-provider-tenant/internal/fault"
)

// Ensure implements backend.Backend. A failure after the bucket was made is
// Ambiguous, so that the creation stays open and is taken up again.
func (b *Backend) Ensure(ctx context.Context, want backend.Want) (backend.Observation, error) {
	seen, err := b.look(ctx, want.Target)
	switch {
	case absent(err) && want.Observed == nil:
		return b.create(ctx, want)
	case err != nil:
		return backend.Observation{}, err
	}
	if err := b.admit(ctx, want, seen.tags); err != nil {
		return backend.Observation{}, err
	}
	return b.converge(ctx, want, seen)
}

// admit tells whether an existing bucket may be changed: it is ours, or the
// engine decided to adopt it, or it is our own half-made one.
func (b *Backend) admit(ctx context.Context, want backend.Want, tags tags) error {
	marker := tags.marker()
	switch {
	case marker == want.Marker():
		return nil
	case want.Observed != nil && (marker.IsZero() || marker == want.Observed.Marker):
		return nil // the engine saw it like this and decided to adopt
	case marker.IsZero() && want.Inputs[backend.ResumeInput] == "true":
		return b.admitEmpty(ctx, want)
	default:
		return conflict("ensure", want.Target, marker)
	}
}

// admitEmpty admits an unmarked bucket that holds nothing, so that there is
// nothing of a stranger's to take.
func (b *Backend) admitEmpty(ctx context.Context, want backend.Want) error {
	held, err := b.count(ctx, want.Target)
	if err != nil {
		return err
	}
	if !held.empty() {
		f := fault.NewConflict("storage.bucket_foreign", want.Path,
			fmt.Sprintf("bucket %s exists without our marker and holds %s", bucketName(want.Target), held),
			"set storage.adopt to take it over, or choose another tenant id")
		return wrap("ensure", want.Target, f)
	}
	return nil
}

// create makes and marks a bucket that was absent a moment ago.
func (b *Backend) create(ctx context.Context, want backend.Want) (backend.Observation, error) {
	err := b.core.MakeBucket(ctx, bucketName(want.Target), minio.MakeBucketOptions{Region: b.region})
	raced := wellFormed(err).Code == minio.BucketAlreadyOwnedByYou
	if err != nil && !raced {
		return backend.Observation{}, b.createFault(want.Target, err)
	}
	// Success proves nothing: some stores answer it for a bucket that somebody
	// else in this account made in the meantime.
	seen, err := b.look(ctx, want.Target)
	if err != nil {
		return backend.Observation{}, halfMade(want.Target, err)
	}
	if !raced && seen.tags.marker().IsZero() {
		err = b.admitEmpty(ctx, want)
	} else {
		err = b.admit(ctx, want, seen.tags)
	}
	if err != nil {
		return backend.Observation{}, halfMade(want.Target, err)
	}
	observation, err := b.converge(ctx, want, seen)
	if err != nil {
		return backend.Observation{}, halfMade(want.Target, err)
	}
	return observation, nil
}

// converge marks an admitted bucket, takes it out of an archive and sets its
// versioning, where these differ, and returns what is stored then.
func (b *Backend) converge(ctx context.Context, want backend.Want, seen bucket) (backend.Observation, error) {
	if !seen.tags.archivedUntil().IsZero() {
		if err := b.allowWrites(ctx, want.Target); err != nil {
			return backend.Observation{}, err
		}
	}
	if err := b.writeTags(ctx, want.Target, seen.tags, want.Marker().Pairs(), archivedUntilTag); err != nil {
		return backend.Observation{}, err
	}
	if wanted := want.Fields.Bool(storage.FieldVersioning); wanted != seen.versioning {
		if err := b.setVersioning(ctx, want.Target, wanted); err != nil {
			return backend.Observation{}, err
		}
	}
	return b.Observe(ctx, want.Target)
}

func (b *Backend) setVersioning(ctx context.Context, target backend.Target, on bool) error {
	set := b.core.SuspendVersioning
	if on {
		set = b.core.EnableVersioning
	}
	if err := set(ctx, bucketName(target)); err != nil {
		return b.writeFault("set the versioning of", target, err)
	}
	return nil
}

// halfMade is the fault of a creation that got further than nothing. Conflicts
// stay what they are: nothing of ours is out there.
func halfMade(target backend.Target, err error) error {
	if fault.Is(err, fault.Conflict) || fault.Is(err, fault.Ambiguous) {
		return err
	}
	cause := fault.From(err)
	f := *cause
	f.Kind, f.Code, f.Err = fault.Ambiguous, "storage.bucket_half_made", errors.Unwrap(err)
	f.Found = fmt.Sprintf("bucket %s was made but not finished: %s", bucketName(target), cause.Found)
	return wrap("create", target, &f)
}
