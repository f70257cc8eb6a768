package s3

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"time"
)

// attempts bounds every single request, its answer's body included. A bound on
// calls would not do: emptying a bucket is one call and thousands of requests.
type attempts struct {
	next  http.RoundTripper
	limit time.Duration
}

// RoundTrip implements http.RoundTripper.
func (a attempts) RoundTrip(request *http.Request) (*http.Response, error) {
	ctx, cancel := context.WithTimeoutCause(request.Context(), a.limit,
		fmt.Errorf("no complete answer within %s", a.limit))
	answer, err := a.next.RoundTrip(request.WithContext(ctx))
	if err != nil {
		if cause := context.Cause(ctx); cause != nil {
			err = cause
		}
		cancel()
		return nil, err
	}
	answer.Body = boundedBody{answer.Body, cancel}
	return answer, nil
}

// boundedBody ends the attempt when its reader is done.
type boundedBody struct {
	io.ReadCloser
	cancel context.CancelFunc
}

// Close implements io.Closer.
func (b boundedBody) Close() error {
	defer b.cancel()
	return b.ReadCloser.Close()
}
