package transport

import (
	"bytes"
	"encoding/json"
	"fmt"

	"github.com/tenantplane/terraform-provider-tenant/internal/fault"
)

// DecodeJSON reads a whole body into into. A body that is empty, cut off,
// null, an HTML page or of another shape is a fault: Ambiguous when the call
// was mutating, since it may have had its effect, otherwise Retryable. The
// fault does not show the body.
func DecodeJSON(verb string, body []byte, mutating bool, into any) error {
	err := decode(body, into)
	if err == nil {
		return nil
	}
	f := fault.NewRetryable("backend.malformed", fmt.Sprintf("%s: %v", verb, err), err)
	f.Action = "check that the backend's url leads to its API and not to a proxy or a login page"
	if mutating {
		f.Kind = fault.Ambiguous
	}
	return f
}

func decode(body []byte, into any) error {
	if !LooksLikeJSON(body) {
		return fmt.Errorf("the answer of %d bytes is not JSON", len(body))
	}
	if err := json.Unmarshal(body, into); err != nil {
		return fmt.Errorf("the answer of %d bytes is cut off or not in the shape of the API: %w", len(body), err)
	}
	return nil
}

// LooksLikeJSON tells whether body begins as a JSON object or list, the only
// two shapes in which an API speaks about its objects.
func LooksLikeJSON(body []byte) bool {
	text := bytes.TrimSpace(body)
	return len(text) > 0 && (text[0] == '{' || text[0] == '[')
}
