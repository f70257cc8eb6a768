package s3

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/url"

	"github.com/minio/minio-go/v7"

	"github.com/tenantplane/terraform-provider-tenant/internal/backend"
	"github.com/tenantplane/terraform-provider-tenant/internal/backend/transport"
	"github.com/tenantplane/terraform-provider-tenant/internal/fault"
)

// wellFormed returns the store's error answer when it really was one, an
// <Error> document, and a zero one otherwise. The client makes up codes for
// everything else: for it, a proxy's HTML 404 is NoSuchBucket.
func wellFormed(err error) minio.ErrorResponse {
	answer, ok := errors.AsType[minio.ErrorResponse](err)
	if !ok || answer.XMLName.Local != "Error" {
		return minio.ErrorResponse{}
	}
	return answer
}

// unsupported tells whether the store does not know the call.
func unsupported(err error) bool {
	code := wellFormed(err).Code
	return code == minio.NotImplemented || code == minio.MethodNotAllowed
}

// readFault is the fault of a call that changes nothing.
func (b *Backend) readFault(verb string, target backend.Target, err error) error {
	f := b.classify(target, err, false)
	if wellFormed(err).Code == minio.AccessDenied {
		f.Kind, f.Code, f.Path, f.BackendWide = fault.Conflict, "storage.bucket_foreign", target.Path, false
		f.Found = fmt.Sprintf("bucket %s exists, and the object store denies access to it", bucketName(target))
		f.Action = "if it belongs to another account, choose another tenant id or installation; if it is yours, " +
			"allow these credentials to read its tags, versioning and contents"
	}
	return wrap(verb, target, f)
}

// writeFault is the fault of a call that may have changed something.
func (b *Backend) writeFault(verb string, target backend.Target, err error) error {
	return wrap(verb, target, b.classify(target, err, true))
}

// createFault is the fault of the creation itself.
func (b *Backend) createFault(target backend.Target, err error) error {
	switch wellFormed(err).Code {
	case minio.BucketAlreadyExists:
		return wrap("create", target, fault.NewConflict("storage.bucket_foreign", target.Path,
			fmt.Sprintf("bucket %s exists and belongs to another account; bucket names are global", bucketName(target)),
			"choose another tenant id or installation"))
	case minio.AccessDenied:
		f := fault.NewTerminal("storage.create_denied", b.path+".access_key",
			"the credentials may not create buckets", "allow them s3:CreateBucket and s3:PutBucketTagging")
		f.BackendWide, f.Err = true, err
		return wrap("create", target, f)
	default:
		return b.writeFault("create", target, err)
	}
}

// classify sorts what the client returned.
func (b *Backend) classify(target backend.Target, err error, mutating bool) *fault.Fault {
	answer, ok := errors.AsType[minio.ErrorResponse](err)
	switch {
	case ok && wellFormed(err).Code != "":
		return b.fromAnswer(target, answer, mutating)
	case ok && answer.StatusCode > 0:
		return b.fromStatus(answer, mutating)
	case neverAnswered(err):
		return transport.FaultFromError("reach the object store", err, mutating)
	default:
		f := fault.NewRetryable("storage.answer_malformed",
			"the object store's answer is not understood: "+err.Error(), err)
		f.Action = "check that the endpoint leads to an object store and not to a proxy's page"
		if mutating {
			f.Kind = fault.Ambiguous
		}
		return f
	}
}

func neverAnswered(err error) bool {
	_, request := errors.AsType[*url.Error](err)
	return request || errors.Is(err, context.Canceled) || errors.Is(err, context.DeadlineExceeded)
}

// fromStatus sorts an answer that no object store gave: a proxy's or a load
// balancer's.
func (b *Backend) fromStatus(answer minio.ErrorResponse, mutating bool) *fault.Fault {
	f := fault.NewRetryable("storage.answer_malformed",
		fmt.Sprintf("something answered %d in place of the object store", answer.StatusCode), answer)
	f.BackendWide = true
	f.Action = "check the endpoint, and what stands between it and here"
	switch status := answer.StatusCode; {
	case status == http.StatusUnauthorized, status == http.StatusForbidden:
		f.Kind, f.Path = fault.Terminal, b.path+".access_key"
	case status >= 300 && status < 400, status == http.StatusBadRequest:
		f.Kind, f.Path = fault.Terminal, b.path+".endpoint"
	case mutating && status >= 500 && status != http.StatusServiceUnavailable:
		f.Kind = fault.Ambiguous
	}
	return f
}
