package transport

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptrace"
	"sync/atomic"
	"time"
)

// attempt carries a request to the server once.
type attempt struct{ call *call }

// RoundTrip implements http.RoundTripper. The attempt has a deadline of its
// own, which covers the body, and notes whether its outcome is known.
func (a attempt) RoundTrip(req *http.Request) (*http.Response, error) {
	c := a.call
	if err := req.Context().Err(); err != nil {
		return nil, err
	}
	c.attempts++
	expired := fmt.Errorf("no complete answer within %s", c.options.Timeout)
	ctx, cancel := context.WithTimeoutCause(req.Context(), c.options.Timeout, timeoutError{expired})
	defer cancel()

	begun := c.options.Clock.Now()
	ctx, dialing := traceDialing(ctx)
	resp, err := exchange(c.options.Base, req.WithContext(ctx), c.options.MaxBody)
	if err != nil && ctx.Err() != nil {
		err = context.Cause(ctx)
	}
	c.log(req, resp, err, c.options.Clock.Now().Sub(begun))

	if err != nil {
		c.unknown = c.unknown || !dialing.Load() && !neverSent(err)
		return nil, err
	}
	c.unknown = c.unknown || resp.StatusCode >= http.StatusInternalServerError
	return resp, nil
}

// exchange sends req and reads the whole answer.
func exchange(base http.RoundTripper, req *http.Request, maxBody int64) (*http.Response, error) {
	resp, err := base.RoundTrip(req)
	if err != nil {
		return nil, err
	}
	defer func() { _ = resp.Body.Close() }()
	body, err := io.ReadAll(io.LimitReader(resp.Body, maxBody+1))
	if err != nil {
		return nil, fmt.Errorf("answer %d broke off: %w", resp.StatusCode, err)
	}
	if int64(len(body)) > maxBody {
		return nil, fmt.Errorf("answer %d is longer than %d bytes: %w", resp.StatusCode, maxBody, errTooLong)
	}
	resp.Body = io.NopCloser(bytes.NewReader(body))
	return resp, nil
}

// traceDialing returns a flag that is up while the attempt waits for a
// connection: what fails then was never sent.
func traceDialing(ctx context.Context) (context.Context, *atomic.Bool) {
	dialing := new(atomic.Bool)
	return httptrace.WithClientTrace(ctx, &httptrace.ClientTrace{
		GetConn: func(string) { dialing.Store(true) },
		GotConn: func(httptrace.GotConnInfo) { dialing.Store(false) },
	}), dialing
}

// log writes what happened without query, headers or bodies: they hold
// secrets and people's addresses.
func (c *call) log(req *http.Request, resp *http.Response, err error, took time.Duration) {
	fields := []slog.Attr{
		slog.String("method", req.Method),
		slog.String("path", req.URL.Path),
		slog.Duration("duration", took),
		slog.Int("attempt", c.attempts),
	}
	if err != nil {
		fields = append(fields, slog.String("error", withoutURL(err).Error()))
	} else {
		fields = append(fields, slog.Int("status", resp.StatusCode))
	}
	c.options.Logger.LogAttrs(req.Context(), slog.LevelDebug, "http attempt", fields...)
}

// errTooLong marks a body over the limit.
var errTooLong = errors.New("body over the limit")
