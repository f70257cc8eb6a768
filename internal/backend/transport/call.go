package transport

import (
	"context"
	"net/http"
	"time"

	"github.com/hashicorp/go-retryablehttp"
)

// call is one request with all its attempts.
type call struct {
	options    Options
	replayable bool
	// attempts counts the attempts begun.
	attempts int
	// unknown: an attempt reached the server and its outcome was never learnt.
	unknown bool
	// wait is how long to wait before the next attempt.
	wait time.Duration
}

// do runs the attempts. The last answer is returned whatever its status.
func (c *call) do(req *http.Request) (*http.Response, error) {
	again, err := retryablehttp.FromRequest(req)
	if err != nil {
		return nil, err
	}
	client := retryablehttp.Client{
		HTTPClient:   &http.Client{Transport: attempt{c}, CheckRedirect: keepRedirect},
		RetryMax:     c.options.MaxAttempts - 1,
		CheckRetry:   c.checkRetry,
		Backoff:      c.backoff,
		PrepareRetry: c.sleep,
		ErrorHandler: lastAnswer,
	}
	resp, err := client.Do(again)
	if err != nil {
		return nil, &callError{sent: c.unknown, err: withoutURL(err)}
	}
	resp.Request = req.WithContext(context.WithValue(req.Context(), callKey{}, c))
	return resp, nil
}

// lastAnswer hands the last response to the caller, who knows better than a
// generic "giving up" what it means.
func lastAnswer(resp *http.Response, err error, _ int) (*http.Response, error) {
	if err != nil {
		return nil, err
	}
	return resp, nil
}

// callKey finds the call in the context of its response's request.
type callKey struct{}

// callOf returns the call that led to resp; for a response of another client
// it is one without history.
func callOf(resp *http.Response) *call {
	if resp.Request != nil {
		if c, ok := resp.Request.Context().Value(callKey{}).(*call); ok {
			return c
		}
	}
	return &call{options: Options{}.withDefaults()}
}
