package transport

import (
	"context"
	"errors"
	"fmt"
	"net/http"

	"github.com/tenantplane/terraform-provider-tenant/internal/fault"
)

// FaultFromError sorts the error of a call that got no usable answer. verb
// says what was tried, e.g. "create customer"; mutating tells whether the call
// could change something. Nothing sent: Retryable. Perhaps sent: Ambiguous
// when mutating, otherwise Retryable. Never NotFound.
func FaultFromError(verb string, err error, mutating bool) *fault.Fault {
	cause := withoutURL(err)
	sent := wasSent(cause)
	f := describe(verb, cause, sent)
	if mutating && sent {
		f.Kind = fault.Ambiguous
	}
	return f
}

// wasSent believes a call of this package; of any other error it assumes the
// worse, unless it shows that no connection was made.
func wasSent(err error) bool {
	if c, ok := errors.AsType[*callError](err); ok {
		return c.sent
	}
	return !neverSent(err)
}

func describe(verb string, err error, sent bool) *fault.Fault {
	f := fault.NewRetryable("backend.unreachable", fmt.Sprintf("%s: %v", verb, err), err)
	_, timeout := errors.AsType[timeoutError](err)
	switch {
	case hopeless(err) && !errors.Is(err, errTooLong):
		f.Kind, f.Code, f.BackendWide = fault.Terminal, "backend.tls", true
		f.Action = "correct the backend's url, or trust the certificate authority that signed its certificate"
	case errors.Is(err, errTooLong):
		f.Code, f.Action = "backend.malformed", "check that the backend's url leads to its API"
	case !timeout && (errors.Is(err, context.Canceled) || errors.Is(err, context.DeadlineExceeded)):
		f.Code = "backend.cancelled"
	case timeout && sent:
		f.Code = "backend.timeout"
	case sent:
		f.Code = "backend.connection_lost"
	default:
		f.BackendWide = true
		f.Action = "check that the backend runs and that its url can be reached from here"
	}
	return f
}

// FaultFromStatus sorts an answer outside 2xx as far as the status alone
// tells; body, which is never shown, only tells a machine's answer from an
// HTML page. Callers refine what their API says better:
//
//	3xx            Terminal, backend-wide: the url is not the API's final one
//	401 403        Terminal, backend-wide
//	404 410        Retryable: whether it proves an absence, the caller knows
//	408 5xx        Retryable, Ambiguous when mutating
//	425 429        Retryable; 429 backend-wide; Ambiguous when mutating and an
//	               earlier attempt of the same call may have had an effect
//	other 4xx      Terminal
func FaultFromStatus(resp *http.Response, body []byte, mutating bool) *fault.Fault {
	c := callOf(resp)
	f := fromStatus(resp.StatusCode, body)
	f.RetryAfter = RetryAfter(resp.Header, c.options.Clock.Now())
	unknown := c.unknown || resp.StatusCode >= 500 || resp.StatusCode == http.StatusRequestTimeout
	if mutating && unknown && f.Kind == fault.Retryable {
		f.Kind = fault.Ambiguous
	}
	return f
}

func fromStatus(status int, body []byte) *fault.Fault {
	f := fault.NewRetryable("backend.unavailable", fmt.Sprintf("the backend answered %s", statusText(status)), nil)
	switch {
	case status >= 300 && status < 400:
		f.Kind, f.Code, f.BackendWide = fault.Terminal, "backend.redirect", true
		f.Action = "set the backend's url to the address it redirects to"
	case status == http.StatusUnauthorized, status == http.StatusForbidden:
		f.Kind, f.Code, f.BackendWide = fault.Terminal, "backend.credentials", true
		f.Action = "check the credentials in the provider block and what they are allowed to do"
	case status == http.StatusNotFound, status == http.StatusGone:
		f.Code, f.BackendWide = "backend.not_found_unproven", !LooksLikeJSON(body)
		f.Action = "check that the backend's url leads to its API"
	case status == http.StatusTooManyRequests:
		f.Code, f.BackendWide = "backend.throttled", true
	case worthRepeating(status):
		f.BackendWide = true
	case status == http.StatusRequestTimeout, status == http.StatusTooEarly, status >= 500:
	default:
		f.Kind, f.Code = fault.Terminal, "backend.refused"
	}
	return f
}

func statusText(status int) string {
	if text := http.StatusText(status); text != "" {
		return fmt.Sprintf("%d %s", status, text)
	}
	return fmt.Sprintf("%d", status)
}
