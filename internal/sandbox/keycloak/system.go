package keycloak

import (
	"errors"
	"net/http"
	"strings"

	"github.com/tenantplane/terraform-provider-tenant/internal/sandbox/gate"
	"github.com/tenantplane/terraform-provider-tenant/internal/sandbox/state"
)

// Name is the system's name in paths, objects and faults.
const Name = "keycloak"

// kindOrganization is the kind of this system's objects.
const kindOrganization = "organization"

// System is the gate.System of Keycloak.
type System struct {
	// Realm is the one realm there is.
	Realm string
	// ClientID and ClientSecret are the service account that may manage it.
	ClientID     string
	ClientSecret string
}

// Name implements gate.System.
func (*System) Name() string { return Name }

// refusal is an answer that undoes what the call wrote so far.
type refusal struct {
	status int
	body   any
}

func (r *refusal) Error() string { return http.StatusText(r.status) }

// refuse says why the model does not allow something.
func refuse(status int, message string) error {
	return &refusal{status: status, body: map[string]string{"errorMessage": message}}
}

// protest says that a request makes no sense to the web layer.
func protest(status int, text string) error {
	return &refusal{status: status, body: map[string]string{"error": text}}
}

// explain is OAuth's form of an error.
func explain(status int, code, description string) error {
	return &refusal{status: status, body: map[string]string{"error": code, "error_description": description}}
}

// Admit implements gate.System.
func (s *System) Admit(tx *state.Tx, call *gate.Call) (*gate.Answer, error) {
	if call.OutOfBand || !strings.HasPrefix(call.Path, "/admin/") {
		return nil, nil
	}
	token, found := strings.CutPrefix(call.Header.Get("Authorization"), "Bearer ")
	if found {
		known, err := tx.HasToken(token, call.Now)
		if err != nil || known {
			return nil, err
		}
	}
	answer := s.Failure(gate.Unauthorized, call)
	return &answer, nil
}

// Failure implements gate.System.
func (s *System) Failure(effect gate.Effect, _ *gate.Call) gate.Answer {
	switch effect {
	case gate.Unauthorized:
		return gate.JSON(http.StatusUnauthorized, map[string]string{"error": "HTTP 401 Unauthorized"})
	case gate.Forbidden:
		return gate.JSON(http.StatusForbidden, map[string]string{"error": "HTTP 403 Forbidden"})
	case gate.RateLimit:
		return gate.Text(http.StatusTooManyRequests, "Too Many Requests") // a proxy's word: Keycloak itself has no quota
	case gate.Unavailable:
		return gate.Text(http.StatusServiceUnavailable, "Service Unavailable")
	default:
		return gate.JSON(http.StatusInternalServerError, map[string]string{
			"error": "unknown_error", "error_description": "For more on this error consult the server log.",
		})
	}
}

// Serve implements gate.System.
func (s *System) Serve(tx *state.Tx, call *gate.Call) (answer gate.Answer, err error) {
	err = tx.Nested(func() error {
		answer, err = s.route(tx, call)
		return err
	})
	var no *refusal
	if errors.As(err, &no) {
		return gate.JSON(no.status, no.body), nil
	}
	return answer, err
}

func (s *System) route(tx *state.Tx, call *gate.Call) (gate.Answer, error) {
	parts := strings.Split(strings.Trim(call.Path, "/"), "/")
	if parts[0] == "realms" {
		return s.openID(tx, call, parts)
	}
	if len(parts) < 4 || parts[0] != "admin" || parts[1] != "realms" || parts[3] != "organizations" {
		return gate.Answer{}, protest(http.StatusNotFound, "Unable to find matching target resource method")
	}
	if parts[2] != s.Realm {
		return gate.Answer{}, protest(http.StatusNotFound, "Realm not found.")
	}
	o := organizations{tx: tx, call: call, realm: s.Realm}
	switch rest := parts[4:]; {
	case len(rest) == 0:
		return o.collection()
	case len(rest) == 1 && rest[0] == "count":
		return o.count()
	case len(rest) == 1:
		return o.one(rest[0])
	default:
		return o.below(rest[0], strings.Join(rest[1:], "/"))
	}
}
