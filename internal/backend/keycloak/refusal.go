package keycloak

import (
	"encoding/json"
	"fmt"
	"net/http"
	"strings"
	"unicode"

	"github.com/tenantplane/terraform-provider-tenant/internal/backend/transport"
	"github.com/tenantplane/terraform-provider-tenant/internal/fault"
)

// What Keycloak says with a 404; without a final stop.
const (
	saysNoOrganization  = "Organization not found"
	saysNoRealm         = "Realm not found"
	saysNoOrganizations = "Organizations not enabled for this realm"
	saysNoResource      = "Unable to find matching target resource method"
)

// longestMessage is how many characters of a server's message are shown.
const longestMessage = 200

// refusal sorts an answer with another status than the wanted one. The token
// the call was made with is kept out of it, should the server repeat it.
func (c *client) refusal(r request, token string, response *http.Response, body []byte) *fault.Fault {
	f := transport.FaultFromStatus(response, body, r.mutating())
	switch response.StatusCode {
	case http.StatusUnauthorized:
		f = c.terminal("keycloak.credentials",
			fmt.Sprintf("realm %q refuses even a fresh token of client %q", c.realm, c.tokens.clientID),
			"check that url is the address at which Keycloak issues tokens, and that the client is not disabled")
	case http.StatusForbidden:
		f = c.terminal("keycloak.forbidden",
			fmt.Sprintf("client %q may not do this in realm %q", c.tokens.clientID, c.realm),
			"give its service account the realm-management roles manage-realm and manage-users")
	case http.StatusNotFound:
		if said := c.notFound(body); said != nil {
			f = said
		}
	case http.StatusBadRequest, http.StatusConflict:
		f.Found = fmt.Sprintf("Keycloak answered %d: %s", response.StatusCode, quote(strings.ReplaceAll(message(body), token, "[token]")))
	}
	if response.StatusCode >= 200 && response.StatusCode < 300 {
		f = unexpected(r)
	}
	f.Found = r.verb + ": " + f.Found
	return f
}

// notFound reads a 404; nil when it is none of Keycloak's.
func (c *client) notFound(body []byte) *fault.Fault {
	switch {
	case isMessage(body, saysNoOrganization):
		return fault.NewNotFound("keycloak.organization_absent", fmt.Sprintf("realm %q has no such organization", c.realm))
	case isMessage(body, saysNoRealm):
		return unknownRealm(c.path, c.realm)
	case isMessage(body, saysNoOrganizations):
		return c.terminal("keycloak.organizations_off", fmt.Sprintf("organizations are switched off in realm %q", c.realm),
			"switch them on under Realm settings, General, Organizations; if the switch is missing, start Keycloak with the feature organization")
	case isMessage(body, saysNoResource):
		return noSuchAPI(c.path)
	}
	return nil
}

// unexpected is the fault for a success that is none: a login page of a proxy.
func unexpected(r request) *fault.Fault {
	f := fault.NewRetryable("backend.malformed", "the answer is not one of Keycloak's", nil)
	f.Action = "check that the backend's url leads to Keycloak and not to a proxy or a login page"
	if r.mutating() {
		f.Kind = fault.Ambiguous
	}
	return f
}

// terminal is a fault of the whole backend.
func (c *client) terminal(code, found, action string) *fault.Fault {
	f := fault.NewTerminal(code, c.path, found, action)
	f.BackendWide = true
	return f
}

func unknownRealm(path, realm string) *fault.Fault {
	f := fault.NewTerminal("keycloak.realm_unknown", path+"."+optionRealm,
		fmt.Sprintf("Keycloak has no realm %q", realm), "create the realm or correct its name, which is case-sensitive")
	f.BackendWide = true
	return f
}

// noSuchAPI is the fault for a path that this Keycloak does not serve.
func noSuchAPI(path string) *fault.Fault {
	f := fault.NewTerminal("keycloak.no_organizations_api", path+"."+optionURL, "there is a Keycloak, but no organizations API at this address",
		"check that url has Keycloak's relative path (such as /auth) if and only if it is set, and that Keycloak is version 26 or newer")
	f.BackendWide = true
	return f
}

// message returns what a Keycloak error says, "" when body is none.
func message(body []byte) string {
	var said struct {
		ErrorMessage string `json:"errorMessage"`
		Error        string `json:"error"`
	}
	if json.Unmarshal(body, &said) != nil {
		return ""
	}
	if said.ErrorMessage != "" {
		return said.ErrorMessage
	}
	return said.Error
}

func isMessage(body []byte, want string) bool {
	return strings.EqualFold(strings.TrimSuffix(strings.TrimSpace(message(body)), "."), want)
}

// quote makes a server's message fit for a line of text.
func quote(text string) string {
	clean := []rune(strings.Map(func(r rune) rune {
		if unicode.IsPrint(r) {
			return r
		}
		return ' '
	}, text))
	if len(clean) > longestMessage {
		clean = append(clean[:longestMessage], '…')
	}
	return fmt.Sprintf("%q", string(clean))
}
