package s3

import (
	"fmt"
	"net/http"

	"github.com/minio/minio-go/v7"

	"github.com/tenantplane/terraform-provider-tenant/internal/backend"
	"github.com/tenantplane/terraform-provider-tenant/internal/fault"
)

// fromAnswer sorts the store's own error by its code
// (docs.aws.amazon.com, Amazon S3 API reference, "Error responses").
func (b *Backend) fromAnswer(target backend.Target, answer minio.ErrorResponse, mutating bool) *fault.Fault {
	found := fmt.Sprintf("the object store answered %s: %s", answer.Code, answer.Message)
	switch answer.Code {
	case minio.NoSuchBucket:
		return fault.NewNotFound("storage.bucket_absent", fmt.Sprintf("there is no bucket %s", bucketName(target)))
	case minio.InvalidAccessKeyID, minio.SignatureDoesNotMatch, "ExpiredToken", "InvalidToken",
		"TokenRefreshRequired", "InvalidSecurity", "NotSignedUp", "AccountProblem":
		return b.backendWide(answer, "storage.credentials", ".access_key",
			"the object store does not accept the credentials: "+answer.Code,
			"correct access_key and secret_key, or renew the session token")
	case minio.RequestTimeTooSkewed:
		return b.backendWide(answer, "storage.clock_skewed", ".endpoint", found, "set this machine's clock")
	case minio.InvalidRegion, minio.AuthorizationHeaderMalformed, "PermanentRedirect", "TemporaryRedirect",
		"IllegalLocationConstraintException", "InvalidLocationConstraint":
		return b.wrongRegion(answer, found)
	case "TooManyBuckets":
		return b.backendWide(answer, "storage.too_many_buckets", ".access_key", found,
			"raise the account's limit on buckets, or remove some")
	case "SlowDown", "SlowDownRead", "SlowDownWrite", "ServiceUnavailable", "Throttling", "ThrottlingException",
		"RequestLimitExceeded", "RequestThrottled":
		f := fault.NewRetryable("storage.throttled", found, answer)
		f.BackendWide = true
		return f
	case minio.NotImplemented, minio.MethodNotAllowed:
		f := fault.NewTerminal("storage.unsupported", b.path+".endpoint", found,
			"use an object store with bucket tags and versioning")
		f.Err = answer
		return f
	case "OperationAborted", "RequestTimeout":
		return fault.NewRetryable("storage.busy", found, answer)
	case minio.AccessDenied, minio.AllAccessDisabled:
		f := fault.NewTerminal("storage.denied", target.Path, found, "give these credentials the rights the call needs")
		f.Err = answer
		return f
	default:
		return fromUnknownCode(target, answer, found, mutating)
	}
}

// fromUnknownCode falls back to the status.
func fromUnknownCode(target backend.Target, answer minio.ErrorResponse, found string, mutating bool) *fault.Fault {
	switch status := answer.StatusCode; {
	case status >= http.StatusInternalServerError && mutating && status != http.StatusServiceUnavailable:
		return fault.NewAmbiguous("storage.store_failed", found, answer)
	case status >= http.StatusInternalServerError, status == http.StatusTooManyRequests, status == http.StatusNotFound:
		return fault.NewRetryable("storage.store_failed", found, answer)
	default:
		f := fault.NewTerminal("storage.refused", target.Path, found, "look up the code in the object store's documentation")
		f.Err = answer
		return f
	}
}

// wrongRegion is the fault of a region the store does not serve here.
func (b *Backend) wrongRegion(answer minio.ErrorResponse, found string) *fault.Fault {
	action := "set region to the one the object store uses"
	if answer.Region != "" {
		action = fmt.Sprintf("set region to %q", answer.Region)
	}
	return b.backendWide(answer, "storage.region_wrong", ".region", found, action)
}

func (b *Backend) backendWide(answer minio.ErrorResponse, code, option, found, action string) *fault.Fault {
	f := fault.NewTerminal(code, b.path+option, found, action)
	f.BackendWide, f.Err = true, answer
	return f
}
