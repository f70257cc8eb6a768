package transport

import (
	"context"
	"crypto/tls"
	"errors"
	"net/http"
	"time"
)

// backoffBase is the wait before the second attempt, without jitter.
const backoffBase = 250 * time.Millisecond

// replayable tells whether req may be sent twice.
func replayable(req *http.Request) bool {
	switch req.Method {
	case http.MethodPost, http.MethodPatch:
		return req.Header.Get("Idempotency-Key") != ""
	default:
		return true
	}
}

// checkRetry implements retryablehttp.CheckRetry: the table in the package
// comment.
func (c *call) checkRetry(ctx context.Context, resp *http.Response, err error) (bool, error) {
	if ctx.Err() != nil || !c.replayable {
		return false, nil
	}
	if err != nil {
		return !hopeless(err), nil
	}
	return worthRepeating(resp.StatusCode), nil
}

// worthRepeating lists the answers that a later attempt may turn into a better
// one. 500 is not among them: it is a bug or, with a key, a stored answer.
func worthRepeating(status int) bool {
	switch status {
	case http.StatusTooManyRequests, http.StatusBadGateway,
		http.StatusServiceUnavailable, http.StatusGatewayTimeout:
		return true
	}
	return false
}

// hopeless tells whether err is sure to come back.
func hopeless(err error) bool {
	var certificate *tls.CertificateVerificationError
	return errors.As(err, &certificate) || errors.Is(err, errTooLong) || errors.Is(err, http.ErrSchemeMismatch)
}

// backoff implements retryablehttp.Backoff. It only notes the wait: sleep
// waits on the clock, where retryablehttp would use a timer of its own.
func (c *call) backoff(_, _ time.Duration, attempt int, resp *http.Response) time.Duration {
	wait := jittered(c, attempt)
	if resp != nil {
		wait = max(wait, RetryAfter(resp.Header, c.options.Clock.Now()))
	}
	c.wait = min(wait, c.options.MaxWait)
	return 0
}

// jittered returns between half and all of base·2^attempt, capped. The
// exponent is bounded before shifting so that no count overflows.
func jittered(c *call, attempt int) time.Duration {
	full := min(backoffBase<<min(max(attempt, 0), 16), c.options.MaxWait)
	return full/2 + c.options.Clock.Jitter(full/2)
}

// sleep implements retryablehttp.PrepareRetry; it ends with the request's
// context.
func (c *call) sleep(req *http.Request) error {
	return c.options.Clock.Sleep(req.Context(), c.wait)
}
