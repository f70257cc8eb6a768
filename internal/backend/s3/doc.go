// Package s3 keeps tenants' buckets in any S3-compatible object store.
//
// The marker is in the bucket's tags, next to whatever tags its users set.
// Buckets are not created and marked in one step, so a creation looks before
// and after: a bucket that turns out to carry no marker is a stranger's, unless
// this very creation was begun before (backend.ResumeInput) and the bucket is
// empty. Some stores answer success for a bucket that was there already; they
// change nothing about this, since success alone is never believed.
package s3
