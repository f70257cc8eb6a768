package stripe

import (
	"encoding/json"
	"errors"
	"net/http"
	"strings"

	"github.com/tenantplane/terraform-provider-tenant/internal/backend/transport"
	"github.com/tenantplane/terraform-provider-tenant/internal/component/billing"
	"github.com/tenantplane/terraform-provider-tenant/internal/fault"
)

// The codes of faults that callers tell apart.
const (
	// CodeKeyMismatch: the key was used before with other parameters. The call
	// needs another key.
	CodeKeyMismatch = "billing.key_mismatch"
	// CodeStoredFailure: Stripe repeats a failure, or an object that is gone,
	// which it stored under the key. Another key gets a fresh answer.
	CodeStoredFailure = "billing.stored_failure"
)

// apiError is the error object of the API (docs.stripe.com/api/errors).
type apiError struct {
	Type    string `json:"type"`
	Code    string `json:"code"`
	Message string `json:"message"`
	Param   string `json:"param"`
}

// refusal sorts an answer that is not 200. What is not an error object of the
// API came from something in between, and only its status counts.
func (c *client) refusal(r request, resp *http.Response, body []byte) *fault.Fault {
	f := transport.FaultFromStatus(resp, body, r.mutating())
	f.Found = r.verb + ": " + f.Found
	var envelope struct {
		Error apiError `json:"error"`
	}
	if json.Unmarshal(body, &envelope) != nil || envelope.Error.Type == "" {
		return f
	}
	e := envelope.Error
	switch status := resp.StatusCode; {
	case status == http.StatusUnauthorized, status == http.StatusForbidden:
		f.Action = "check api_key in the provider block: it must be a valid secret key that may write customers and subscriptions"
	case e.Code == "idempotency_key_in_use":
		f.Kind, f.Code = fault.Retryable, "billing.key_in_use"
		f.Found = r.verb + ": an earlier call with the same key is still running"
	case status == http.StatusTooManyRequests:
		throttled(f, r, e)
	case e.Type == "idempotency_error":
		f.Kind, f.Code = fault.Terminal, CodeKeyMismatch
		f.Found = r.verb + ": the idempotency key was used before with other parameters"
		f.Action = "apply again; the next attempt uses another key"
	case isReplay(resp):
		c.storedFailure(f, r, e, status)
	case e.Code == "resource_missing":
		c.missing(f, r, e, status)
	case status >= 400 && status < 500 && status != http.StatusNotFound:
		c.refused(f, r, e)
	}
	return f
}

// throttled tells an object that is locked by another call from an account
// that sends too much: only the latter concerns the whole backend.
func throttled(f *fault.Fault, r request, e apiError) {
	if e.Code == "lock_timeout" {
		f.Code, f.BackendWide = "billing.lock_timeout", false
		f.Found = r.verb + ": another call holds the object's lock"
		return
	}
	f.Code, f.Found = "billing.rate_limited", r.verb+": the account sends more requests than Stripe allows"
}

// storedFailure keeps a repeated 5xx Ambiguous, since the first call may have
// had an effect; a repeated 4xx had none.
func (c *client) storedFailure(f *fault.Fault, r request, e apiError, status int) {
	if status < 500 {
		f.Kind, f.Path = fault.Retryable, pathOf(e.Param)
	}
	f.Code = CodeStoredFailure
	f.Found = r.verb + ": Stripe repeats a failure stored under the idempotency key: " + c.quote(e.Message)
	f.Action = "apply again; the next attempt uses another key"
}

func (c *client) missing(f *fault.Fault, r request, e apiError, status int) {
	switch {
	case strings.Contains(e.Message, "similar object exists in"):
		f.Kind, f.Code, f.BackendWide = fault.Terminal, "billing.wrong_mode", true
		f.Found = r.verb + ": the object belongs to the other mode (live or test) than the API key"
		f.Action = "use the api_key of the mode in which the tenants were made"
	case r.names && (status == http.StatusNotFound && !strings.HasPrefix(e.Param, "items") || e.Param == "customer"):
		f.Kind, f.Code, f.BackendWide, f.Action = fault.NotFound, codeAbsent, false, ""
		f.Found = r.verb + ": there is no such object"
	case e.Param == "customer":
		f.Kind, f.Code = fault.Retryable, "billing.customer_vanished"
		f.Found = r.verb + ": the customer is gone"
	default:
		c.refused(f, r, e)
	}
}

func (c *client) refused(f *fault.Fault, r request, e apiError) {
	f.Kind, f.Code, f.Path = fault.Terminal, "billing.refused", pathOf(e.Param)
	f.Found = r.verb + ": Stripe refuses: " + c.quote(e.Message)
	f.Action = "correct what Stripe names, then apply again"
}

// pathOf names the attribute a parameter was made from.
func pathOf(param string) string {
	switch {
	case param == "email":
		return billing.PathEmail
	case strings.HasSuffix(param, "[price]"):
		return billing.PathPlan
	case strings.HasSuffix(param, "[quantity]"):
		return billing.PathSeats
	}
	return ""
}

// quote returns what Stripe said, bounded, and without the key should
// something in between have echoed it.
func (c *client) quote(message string) string {
	const longest = 300
	message = strings.ReplaceAll(message, c.key, "…")
	if runes := []rune(message); len(runes) > longest {
		message = string(runes[:longest]) + "…"
	}
	return message
}

// hasCode tells whether err is a fault with the code.
func hasCode(err error, code string) bool {
	f, ok := errors.AsType[*fault.Fault](err)
	return ok && f.Code == code
}
