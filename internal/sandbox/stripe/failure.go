package stripe

import (
	"fmt"
	"net/http"
	"strings"

	"github.com/tenantplane/terraform-provider-tenant/internal/sandbox/gate"
)

// failure is Stripe's error object. The texts are Stripe's own where public
// reports show them.
type failure struct {
	Status  int    `json:"-"`
	Code    string `json:"code,omitempty"`
	DocURL  string `json:"doc_url,omitempty"`
	Message string `json:"message"`
	Param   string `json:"param,omitempty"`
	Type    string `json:"type"`
	// executed: the endpoint had begun, so the answer is stored under the key.
	executed bool
}

func (f *failure) Error() string { return f.Message }

func (f *failure) answer() gate.Answer {
	if f.Code != "" {
		f.DocURL = "https://stripe.com/docs/error-codes/" + strings.ReplaceAll(f.Code, "_", "-")
	}
	answer := gate.JSON(f.Status, map[string]*failure{"error": f})
	if f.Status == http.StatusUnauthorized {
		answer.Header.Set("WWW-Authenticate", `Basic realm="Stripe"`)
	}
	return answer
}

func invalid(status int, code, param, message string) *failure {
	return &failure{Status: status, Type: "invalid_request_error", Code: code, Param: param, Message: message}
}

// badParam refuses parameters before the endpoint executes.
func badParam(code, param, message string) *failure {
	return invalid(http.StatusBadRequest, code, param, message)
}

// refused is what the endpoint itself refuses.
func refused(code, param, message string) *failure {
	f := badParam(code, param, message)
	f.executed = true
	return f
}

func missingParam(param string) *failure {
	return badParam("parameter_missing", param, "Missing required param: "+param+".")
}

// noSuch refers to an object in a parameter that does not exist.
func noSuch(kind, id, param string) *failure {
	return refused("resource_missing", param, fmt.Sprintf("No such %s: '%s'", kind, id))
}

// notFound is for an object in the path that does not exist.
func notFound(kind, id string) *failure {
	f := noSuch(kind, id, "id")
	f.Status = http.StatusNotFound
	return f
}

func unknownURL(method, path string) *failure {
	return invalid(http.StatusNotFound, "", "", fmt.Sprintf("Unrecognized request URL (%s: %s). Please see https://stripe.com/docs or we can help at https://support.stripe.com/.", method, path))
}

func noKey() *failure {
	return invalid(http.StatusUnauthorized, "", "", "You did not provide an API key. You need to provide your API key in the Authorization header, using Bearer auth (e.g. 'Authorization: Bearer YOUR_SECRET_KEY'). See https://stripe.com/docs/api#authentication for details, or we can help at https://support.stripe.com/.")
}

func badKey() *failure {
	return invalid(http.StatusUnauthorized, "", "", "Invalid API Key provided: sk_test_****")
}

func noPermission() *failure {
	return invalid(http.StatusForbidden, "", "", "The provided key 'rk_test_****' does not have the required permissions for this endpoint.")
}

func keyTooLong(length int) *failure {
	return invalid(http.StatusBadRequest, "", "", fmt.Sprintf("Idempotency keys can be at most %d characters long, but yours has %d.", maxKey, length))
}

func keyInUse(key string) *failure {
	return invalid(http.StatusConflict, "idempotency_key_in_use", "", "There is currently another in-progress request using this Idempotent Key (that probably means you submitted twice, and the other request is still going through): "+key+". Please try again later.")
}

func otherParams(key string) *failure {
	return &failure{Status: http.StatusBadRequest, Type: "idempotency_error", Message: "Keys for idempotent requests can only be used with the same parameters they were first used with. Try using a key other than '" + key + "' if you meant to execute a different request."}
}

func otherEndpoint(key, now, first string) *failure {
	return &failure{Status: http.StatusBadRequest, Type: "idempotency_error", Message: fmt.Sprintf("Keys for idempotent requests can only be used for the same endpoint they were first used for ('%s' vs '%s'). Try using a key other than '%s' if you meant to execute a different request.", now, first, key)}
}

func rateLimited() *failure {
	return invalid(http.StatusTooManyRequests, "rate_limit", "", "Request rate limit exceeded. Learn more about rate limits here https://stripe.com/docs/rate-limits.")
}

func lockTimeout() *failure {
	return invalid(http.StatusTooManyRequests, "lock_timeout", "", "This object cannot be accessed right now because another API request or Stripe process is currently accessing it. If you see this error intermittently, retry the request. If you see this error frequently and are making multiple concurrent requests to a single object, make your requests serially or at a lower rate. For more details, see https://stripe.com/docs/rate-limits#object-lock-timeouts.")
}

func serverError() *failure {
	return &failure{Status: http.StatusInternalServerError, Type: "api_error", Message: "An unknown error occurred."}
}
