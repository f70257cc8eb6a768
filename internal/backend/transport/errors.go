package transport

import (
	"errors"
	"net"
	"net/url"
)

// callError is an error of a whole call. sent tells whether some attempt may
// have had an effect.
type callError struct {
	sent bool
	err  error
}

// Error implements error.
func (e *callError) Error() string { return e.err.Error() }

// Unwrap returns the cause.
func (e *callError) Unwrap() error { return e.err }

// timeoutError is the end of an attempt's own deadline, told apart from the
// end of the caller's context.
type timeoutError struct{ error }

// withoutURL takes the URL off a client error: a query may hold addresses of
// people, and the caller names the call in words of its own.
func withoutURL(err error) error {
	for {
		outer, ok := errors.AsType[*url.Error](err)
		if !ok {
			return err
		}
		err = outer.Err
	}
}

// neverSent tells whether err says by itself that nothing left this machine,
// also when it comes from a transport without traces.
func neverSent(err error) bool {
	if _, ok := errors.AsType[*net.DNSError](err); ok {
		return true
	}
	op, ok := errors.AsType[*net.OpError](err)
	return ok && op.Op == "dial"
}
