package s3

import (
	"context"
	"errors"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/minio/minio-go/v7"

	"github.com/tenantplane/terraform-provider-tenant/internal/fault"
	"github.com/tenantplane/terraform-provider-tenant/internal/tenant"
)

// batches watches the batch deletions a backend sends.
type batches struct {
	t *testing.T
	// sizes are the numbers of versions in each batch.
	sizes []int
	// before runs ahead of each batch; nil does nothing.
	before func(number int)
}

func (b *batches) RoundTrip(request *http.Request) (*http.Response, error) {
	if request.Method == http.MethodPost && request.URL.Query().Has("delete") {
		b.sizes = append(b.sizes, strings.Count(bodyOf(b.t, request), "<Object>"))
		if b.before != nil {
			b.before(len(b.sizes))
		}
	}
	return http.DefaultTransport.RoundTrip(request)
}

func (b *batches) total() int {
	var sum int
	for _, size := range b.sizes {
		sum += size
	}
	return sum
}

// TestC46_ABucketThatLooksEmpty is one bucket whose 2500 keys were deleted
// once: a listing shows nothing, and 2500 versions and 2500 markers are left.
func TestC46_ABucketThatLooksEmpty(t *testing.T) {
	watch := &batches{t: t}
	l := newLab(t, watch)
	l.ensured(true)
	l.put(2500)
	l.deletedOnce()

	const left = "0 keys, 2500 versions, 2500 delete markers"
	if held := l.counted().String(); held != left {
		t.Fatalf("the bucket holds %s, want %s", held, left)
	}

	_, err := l.backend.Remove(t.Context(), l.removal(tenant.RetainData))
	if !fault.Is(err, fault.Terminal) || !strings.Contains(err.Error(), left) || !strings.Contains(err.Error(), "on_destroy") {
		t.Fatalf("remove under retain: got %v, want a Terminal fault with the counts and the way out", err)
	}
	if held := l.counted().String(); held != left {
		t.Fatalf("after the refusal the bucket holds %s, want %s", held, left)
	}

	ctx, crash := context.WithCancel(t.Context())
	watch.before = func(number int) {
		if number == 3 {
			crash()
		}
	}
	if _, err := l.backend.Remove(ctx, l.removal(tenant.DeleteData)); err == nil || !errors.Is(err, context.Canceled) {
		t.Fatalf("an interrupted purge gave %v, want the interruption", err)
	}
	held := l.counted()
	if deleted := 5000 - held.versions - held.markers; deleted != 2000 {
		t.Errorf("two batches deleted %d entries, want 2000 (%s are left)", deleted, held)
	}

	watch.before, watch.sizes = nil, nil
	receipt, err := l.backend.Remove(t.Context(), l.removal(tenant.DeleteData))
	if err != nil {
		t.Fatalf("resume the purge: %v", err)
	}
	if receipt.Outcome != "deleted" || watch.total() != 3000 || l.exists() {
		t.Errorf("resumed: outcome %q, %d entries sent, bucket exists: %v; want deleted, 3000, false",
			receipt.Outcome, watch.total(), l.exists())
	}
	for _, size := range watch.sizes {
		if size == 0 || size > 1000 {
			t.Errorf("a batch of %d entries was sent: %v", size, watch.sizes)
		}
	}
}

func TestC46_PurgingAnEmptyBucketSendsNoBatch(t *testing.T) {
	watch := &batches{t: t}
	l := newLab(t, watch)
	l.ensured(true)
	receipt, err := l.backend.Remove(t.Context(), l.removal(tenant.DeleteData))
	if err != nil || receipt.Outcome != "deleted" || l.exists() {
		t.Fatalf("purge: %+v, %v", receipt, err)
	}
	if len(watch.sizes) != 0 {
		t.Errorf("batches of %v entries were sent", watch.sizes)
	}
}

func TestC46_UnfinishedUploadsAreDataToo(t *testing.T) {
	l := newLab(t, nil)
	l.ensured(false)
	core := minio.Core{Client: l.hand}
	if _, err := core.NewMultipartUpload(t.Context(), l.name(), "big", minio.PutObjectOptions{}); err != nil {
		t.Fatal(err)
	}
	_, err := l.backend.Remove(t.Context(), l.removal(tenant.RetainData))
	if !fault.Is(err, fault.Terminal) || !strings.Contains(err.Error(), "1 unfinished uploads") {
		t.Errorf("remove under retain: got %v, want a Terminal fault that counts the upload", err)
	}
	receipt, err := l.backend.Remove(t.Context(), l.removal(tenant.DeleteData))
	if err != nil || receipt.Outcome != "deleted" || receipt.Details["unfinished_uploads"] != "1" {
		t.Errorf("purge: %+v, %v", receipt, err)
	}
}

// locked makes the tenant's bucket by hand with object lock, which only the
// creation can switch on, and puts one object into it.
func (l *lab) locked(options minio.PutObjectOptions) {
	l.Helper()
	if err := l.hand.MakeBucket(l.Context(), l.name(), minio.MakeBucketOptions{ObjectLocking: true}); err != nil {
		l.Fatalf("make bucket: %v", err)
	}
	l.tag(l.subject.Marker().Pairs())
	if _, err := l.hand.PutObject(l.Context(), l.name(), "held", strings.NewReader("x"), 1, options); err != nil {
		l.Fatalf("put: %v", err)
	}
	l.put(3)
}

func TestC46_ObjectLockMakesThePurgePendingUntilItsDate(t *testing.T) {
	l := newLab(t, nil)
	until := time.Now().Add(time.Hour).UTC().Truncate(time.Second)
	l.locked(minio.PutObjectOptions{Mode: minio.Compliance, RetainUntilDate: until})
	receipt, err := l.backend.Remove(t.Context(), l.removal(tenant.DeleteData))
	if err != nil {
		t.Fatalf("purge: %v", err)
	}
	if receipt.Outcome != "pending" || !receipt.PendingUntil.Equal(until) || receipt.Details["retained_by_object_lock"] != "1" {
		t.Errorf("receipt %+v, want pending until %s for one version", receipt, until)
	}
	if held := l.counted(); held.keys != 1 {
		t.Errorf("the bucket holds %s, want the locked key only", held)
	}
}

func TestC46_ErrorsOfSingleVersionsSurface(t *testing.T) {
	l := newLab(t, nil)
	l.locked(minio.PutObjectOptions{LegalHold: minio.LegalHoldEnabled})
	_, err := l.backend.Remove(t.Context(), l.removal(tenant.DeleteData))
	if !fault.Is(err, fault.Terminal) || !strings.Contains(err.Error(), `1 versions could not be deleted: "held"`) {
		t.Errorf("purge: got %v, want a Terminal fault that names the version", err)
	}
	if held := l.counted(); held.keys != 1 {
		t.Errorf("the bucket holds %s, want the held key only", held)
	}
}

func TestC46_WhatObjectLockHeldIsPurgedOnceItsDateHasCome(t *testing.T) {
	l := newLab(t, nil)
	until := time.Now().Add(4 * time.Second).UTC().Truncate(time.Second)
	l.locked(minio.PutObjectOptions{Mode: minio.Compliance, RetainUntilDate: until})
	receipt, err := l.backend.Remove(t.Context(), l.removal(tenant.DeleteData))
	if err != nil || !receipt.PendingUntil.Equal(until) {
		t.Fatalf("remove: %+v, %v", receipt, err)
	}
	removal := l.removal(tenant.DeleteData)
	removal.RetainUntil, removal.Now = until, until.Add(-time.Second)
	if receipt, err := l.backend.Purge(t.Context(), removal); err != nil || !receipt.PendingUntil.Equal(until) || !l.exists() {
		t.Errorf("purge a second early: %+v, %v", receipt, err)
	}
	time.Sleep(time.Until(until.Add(time.Second))) // the store's own clock decides
	removal.Now = until.Add(time.Second)
	if receipt, err := l.backend.Purge(t.Context(), removal); err != nil || receipt.Outcome != "destroyed" || l.exists() {
		t.Errorf("purge at its date: %+v, %v; the bucket exists: %v", receipt, err, l.exists())
	}
}
