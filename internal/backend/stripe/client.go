package stripe

import (
	"context"
	"io"
	"net/http"
	"net/url"
	"strings"

	"github.com/tenantplane/terraform-provider-tenant/internal/backend/transport"
	"github.com/tenantplane/terraform-provider-tenant/internal/fault"
)

// apiVersion pins the shapes of requests and answers.
const apiVersion = "2026-03-25.dahlia"

// client speaks to one Stripe account.
type client struct {
	http *http.Client
	base string
	key  string
}

// request is one call of the API.
type request struct {
	// verb says what is done, for people: "create customer".
	verb   string
	method string
	path   string
	// params are the query of a GET and the form of a POST.
	params url.Values
	// key is the idempotency key; "" for none.
	key string
	// object is the type the answer must have.
	object string
	// names: the call names an existing object, so that a well-formed 404
	// proves its absence.
	names bool
}

func (r request) mutating() bool { return r.method != http.MethodGet }

// answer is what an answer says besides its body.
type answer struct {
	requestID string
	// replayed: the body was stored under the idempotency key earlier.
	replayed bool
}

// call sends r and reads the answer into into. Errors are faults.
func (c *client) call(ctx context.Context, r request, into any) (answer, error) {
	req, err := c.build(ctx, r)
	if err != nil {
		return answer{}, fault.NewTerminal("billing.request_malformed", "", r.verb+": the request cannot be built", "report this as a bug")
	}
	resp, err := c.http.Do(req)
	if err != nil {
		return answer{}, transport.FaultFromError(r.verb, err, r.mutating())
	}
	defer func() { _ = resp.Body.Close() }()
	body, err := io.ReadAll(resp.Body)
	if err != nil {
		return answer{}, transport.FaultFromError(r.verb, err, r.mutating())
	}
	if resp.StatusCode != http.StatusOK {
		return answer{}, c.refusal(r, resp, body)
	}
	if err := r.decode(body, into); err != nil {
		return answer{}, err
	}
	return answer{requestID: resp.Header.Get("Request-Id"), replayed: isReplay(resp)}, nil
}

func isReplay(resp *http.Response) bool { return resp.Header.Get("Idempotent-Replayed") == "true" }

func (c *client) build(ctx context.Context, r request) (*http.Request, error) {
	target, body := c.base+r.path, ""
	if r.method == http.MethodPost {
		body = r.params.Encode()
	} else if len(r.params) > 0 {
		target += "?" + r.params.Encode()
	}
	req, err := http.NewRequestWithContext(ctx, r.method, target, strings.NewReader(body))
	if err != nil {
		return nil, err
	}
	req.Header.Set("Authorization", "Bearer "+c.key)
	req.Header.Set("Stripe-Version", apiVersion)
	if r.method == http.MethodPost {
		req.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	}
	if r.key != "" {
		req.Header.Set("Idempotency-Key", r.key)
	}
	return req, nil
}

// decode reads a 200 and checks that it speaks of what was asked for: a proxy
// may answer anything with 200.
func (r request) decode(body []byte, into any) error {
	var head struct {
		ID     string `json:"id"`
		Object string `json:"object"`
	}
	if err := transport.DecodeJSON(r.verb, body, r.mutating(), &head); err != nil {
		return err
	}
	if head.Object != r.object || head.ID == "" && r.object != listObject {
		return r.malformed("the answer is not a Stripe " + r.object)
	}
	return transport.DecodeJSON(r.verb, body, r.mutating(), into)
}

func (r request) malformed(found string) *fault.Fault {
	f := fault.NewRetryable("backend.malformed", r.verb+": "+found, nil)
	f.Action = "check that the url in the provider block leads to Stripe's API"
	if r.mutating() {
		f.Kind = fault.Ambiguous
	}
	return f
}
