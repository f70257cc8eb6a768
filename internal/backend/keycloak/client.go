package keycloak

import (
	"bytes"
	"context"
	"encoding/json"
	"io"
	"net/http"
	"net/url"

	"github.com/tenantplane/terraform-provider-tenant/internal/backend/transport"
	"github.com/tenantplane/terraform-provider-tenant/internal/fault"
)

// client speaks to the admin API of one realm.
type client struct {
	http   *http.Client
	admin  *url.URL
	realm  string
	path   string
	tokens *tokens
}

// request is one call of the admin API.
type request struct {
	// verb says what is tried, for messages, e.g. "create organization".
	verb   string
	method string
	// path is relative to the realm, e.g. {"organizations", id}.
	path  []string
	query url.Values
	// body is sent as JSON; nil for none.
	body any
}

func (r request) mutating() bool { return r.method != http.MethodGet }

// answer is what came back; status 0 means nothing did.
type answer struct {
	status int
	header http.Header
	body   []byte
	// response is the answer itself, its body read and closed.
	response *http.Response
}

// call sends r and returns the answer, with a fault unless its status is the
// wanted one. A 401 means the token was turned down before anything was done,
// so the call is repeated once with a fresh token, whatever its method.
func (c *client) call(ctx context.Context, r request, wanted int) (answer, *fault.Fault) {
	token, f := c.tokens.get(ctx, "")
	if f != nil {
		return answer{}, f
	}
	got, f := c.send(ctx, r, token)
	if f == nil && got.status == http.StatusUnauthorized {
		if token, f = c.tokens.get(ctx, token); f != nil {
			return answer{}, f
		}
		got, f = c.send(ctx, r, token)
	}
	if f != nil {
		return answer{}, f
	}
	if got.status == wanted {
		return got, nil
	}
	return got, c.refusal(r, token, got.response, got.body)
}

// send carries r to the server with a token.
func (c *client) send(ctx context.Context, r request, token string) (answer, *fault.Fault) {
	httpRequest, err := c.build(ctx, r, token)
	if err != nil {
		return answer{}, fault.NewRetryable("keycloak.request", r.verb+": the request could not be built", err)
	}
	response, err := c.http.Do(httpRequest)
	if err != nil {
		return answer{}, transport.FaultFromError(r.verb, err, r.mutating())
	}
	defer func() { _ = response.Body.Close() }()
	body, err := io.ReadAll(response.Body)
	if err != nil {
		return answer{}, transport.FaultFromError(r.verb, err, r.mutating())
	}
	return answer{status: response.StatusCode, header: response.Header, body: body, response: response}, nil
}

func (c *client) build(ctx context.Context, r request, token string) (*http.Request, error) {
	segments := make([]string, 0, len(r.path))
	for _, segment := range r.path {
		segments = append(segments, url.PathEscape(segment))
	}
	target := c.admin.JoinPath(segments...)
	target.RawQuery = r.query.Encode()
	var body io.Reader
	if r.body != nil {
		text, err := json.Marshal(r.body)
		if err != nil {
			return nil, err
		}
		body = bytes.NewReader(text)
	}
	httpRequest, err := http.NewRequestWithContext(ctx, r.method, target.String(), body)
	if err != nil {
		return nil, err
	}
	httpRequest.Header.Set("Authorization", "Bearer "+token)
	httpRequest.Header.Set("Accept", "application/json")
	if r.body != nil {
		httpRequest.Header.Set("Content-Type", "application/json")
	}
	return httpRequest, nil
}
