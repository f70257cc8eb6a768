package keycloak

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strings"
	"time"

	"github.com/tenantplane/terraform-provider-tenant/internal/backend/transport"
	"github.com/tenantplane/terraform-provider-tenant/internal/fault"
)

// Token lifetimes.
const (
	// assumedLife stands in for a lifetime the server did not tell.
	assumedLife = time.Minute
	// renewalMargin is how long before its end a token is renewed; for tokens
	// of less than two and a half minutes it is a fifth of their life.
	renewalMargin = 30 * time.Second
)

// fetchToken names the call in faults.
const fetchToken = "fetch a token"

// tokens fetches access tokens for a service account (OAuth 2.0 client
// credentials, RFC 6749 section 4.4) when first needed and renews them before
// they end. Safe for concurrent use.
type tokens struct {
	http     *http.Client
	endpoint string
	realm    string
	clientID string
	secret   string
	path     string
	now      func() time.Time
	// turn holds an element while somebody reads or renews the token.
	turn    chan struct{}
	value   string
	renewAt time.Time
}

// get returns a token that is good for a while and is not refused, which is
// one the server just turned down ("" for none). Fetching changes nothing, so
// its faults are never Ambiguous.
func (s *tokens) get(ctx context.Context, refused string) (string, *fault.Fault) {
	select {
	case s.turn <- struct{}{}:
		defer func() { <-s.turn }()
	case <-ctx.Done():
		return "", transport.FaultFromError("wait for a token", ctx.Err(), false)
	}
	if s.value != "" && s.value != refused && s.now().Before(s.renewAt) {
		return s.value, nil
	}
	asked := s.now()
	value, life, f := s.fetch(ctx)
	if f != nil {
		return "", f
	}
	s.value, s.renewAt = value, asked.Add(life-min(renewalMargin, life/5))
	return value, nil
}

// fetch asks for a token and returns it with its lifetime.
func (s *tokens) fetch(ctx context.Context) (string, time.Duration, *fault.Fault) {
	form := url.Values{"grant_type": {"client_credentials"}, "client_id": {s.clientID}, "client_secret": {s.secret}}
	request, err := http.NewRequestWithContext(ctx, http.MethodPost, s.endpoint, strings.NewReader(form.Encode()))
	if err != nil {
		return "", 0, fault.NewRetryable("keycloak.request", fetchToken+": the request could not be built", err)
	}
	request.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	response, err := s.http.Do(request)
	if err != nil {
		return "", 0, transport.FaultFromError(fetchToken, err, false)
	}
	defer func() { _ = response.Body.Close() }()
	body, err := io.ReadAll(response.Body)
	if err != nil {
		return "", 0, transport.FaultFromError(fetchToken, err, false)
	}
	if response.StatusCode != http.StatusOK {
		return "", 0, s.refusal(response, body)
	}
	return readToken(body)
}

func readToken(body []byte) (string, time.Duration, *fault.Fault) {
	var answer struct {
		AccessToken string `json:"access_token"`
		ExpiresIn   int64  `json:"expires_in"`
	}
	if err := transport.DecodeJSON(fetchToken, body, false, &answer); err != nil {
		return "", 0, fault.From(err)
	}
	if answer.AccessToken == "" {
		return "", 0, fault.NewRetryable("backend.malformed", fetchToken+": the answer holds no access_token", nil)
	}
	life := assumedLife
	if answer.ExpiresIn > 0 {
		life = time.Duration(min(answer.ExpiresIn, 24*60*60)) * time.Second
	}
	return answer.AccessToken, life, nil
}

// refusal sorts an answer of the token endpoint other than 200.
func (s *tokens) refusal(response *http.Response, body []byte) *fault.Fault {
	switch response.StatusCode {
	case http.StatusBadRequest, http.StatusUnauthorized, http.StatusForbidden:
		f := fault.NewTerminal("keycloak.credentials", s.path+"."+optionSecret,
			fmt.Sprintf("realm %q refuses to sign in client %q", s.realm, s.clientID),
			"check client_id and client_secret, and that the client has client authentication and service accounts switched on")
		f.BackendWide = true
		return f
	case http.StatusNotFound:
		if isMessage(body, "Realm does not exist") {
			return unknownRealm(s.path, s.realm)
		}
		if isMessage(body, saysNoResource) {
			return noSuchAPI(s.path)
		}
	}
	f := transport.FaultFromStatus(response, body, false)
	f.Found = fetchToken + ": " + f.Found
	return f
}
