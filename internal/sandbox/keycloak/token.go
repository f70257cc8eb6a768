package keycloak

import (
	"crypto/subtle"
	"fmt"
	"net/http"
	"net/url"
	"time"

	"github.com/tenantplane/terraform-provider-tenant/internal/sandbox/gate"
	"github.com/tenantplane/terraform-provider-tenant/internal/sandbox/state"
)

// tokenLife is how long an access token lives: a realm's default.
const tokenLife = time.Minute

func (s *System) openID(tx *state.Tx, call *gate.Call, parts []string) (gate.Answer, error) {
	switch {
	case len(parts) < 2 || parts[1] != s.Realm:
		return gate.Answer{}, protest(http.StatusNotFound, "Realm does not exist")
	case call.Path != fmt.Sprintf("/realms/%s/protocol/openid-connect/token", s.Realm):
		return gate.Answer{}, protest(http.StatusNotFound, "Unable to find matching target resource method")
	case call.Method != http.MethodPost:
		return gate.Answer{}, protest(http.StatusMethodNotAllowed, "HTTP 405 Method Not Allowed")
	}
	form, err := url.ParseQuery(string(call.Body))
	if err != nil {
		return gate.Answer{}, explain(http.StatusBadRequest, "invalid_request", "Cannot parse the form")
	}
	if err := s.checkGrant(form, call.Header); err != nil {
		return gate.Answer{}, err
	}
	return issueToken(tx, call)
}

func (s *System) checkGrant(form url.Values, header http.Header) error {
	id, secret, basic := (&http.Request{Header: header}).BasicAuth()
	if !basic {
		id, secret = form.Get("client_id"), form.Get("client_secret")
	}
	switch grant := form.Get("grant_type"); {
	case grant == "":
		return explain(http.StatusBadRequest, "invalid_request", "Missing form parameter: grant_type")
	case id != s.ClientID || subtle.ConstantTimeCompare([]byte(secret), []byte(s.ClientSecret)) != 1:
		return explain(http.StatusUnauthorized, "invalid_client", "Invalid client or Invalid client credentials")
	case grant != "client_credentials":
		return explain(http.StatusBadRequest, "unsupported_grant_type", "Unsupported grant_type")
	}
	return nil
}

func issueToken(tx *state.Tx, call *gate.Call) (gate.Answer, error) {
	token, err := call.NewID("sandbox-token-", 40)
	if err != nil {
		return gate.Answer{}, err
	}
	if err := tx.PutToken(token, call.Now, call.Now.Add(tokenLife)); err != nil {
		return gate.Answer{}, fmt.Errorf("remember token: %w", err)
	}
	answer := gate.JSON(http.StatusOK, map[string]any{
		"access_token":       token,
		"expires_in":         int(tokenLife.Seconds()),
		"refresh_expires_in": 0,
		"token_type":         "Bearer",
		"not-before-policy":  0,
		"scope":              "profile email",
	})
	answer.Header.Set("Cache-Control", "no-store")
	answer.Header.Set("Pragma", "no-cache")
	return answer, nil
}
