package powerdns

import (
	"crypto/subtle"
	"errors"
	"net/http"
	"strings"

	"github.com/tenantplane/terraform-provider-tenant/internal/sandbox/gate"
	"github.com/tenantplane/terraform-provider-tenant/internal/sandbox/state"
)

// Name is the system's name in paths, objects and faults.
const Name = "powerdns"

// The kinds of objects.
const (
	kindZone  = "zone"
	kindRRset = "rrset"
)

const apiRoot = "/api/v1/servers"

// System is the gate.System of PowerDNS.
type System struct {
	// APIKey is what X-API-Key must hold.
	APIKey string
}

// Name implements gate.System.
func (*System) Name() string { return Name }

// refusal is an answer that undoes what the call wrote so far.
type refusal struct {
	status int
	text   string
}

func (r *refusal) Error() string { return r.text }

func unprocessable(text string) error {
	return &refusal{status: http.StatusUnprocessableEntity, text: text}
}

func plain(status int) error { return &refusal{status: status, text: http.StatusText(status)} }

// Admit implements gate.System.
func (s *System) Admit(_ *state.Tx, call *gate.Call) (*gate.Answer, error) {
	key := call.Header.Get("X-API-Key")
	if call.OutOfBand || subtle.ConstantTimeCompare([]byte(key), []byte(s.APIKey)) == 1 {
		return nil, nil
	}
	answer := s.Failure(gate.Unauthorized, call)
	return &answer, nil
}

// Failure implements gate.System.
func (s *System) Failure(effect gate.Effect, call *gate.Call) gate.Answer {
	status := map[gate.Effect]int{
		gate.Unauthorized: http.StatusUnauthorized,
		gate.Forbidden:    http.StatusForbidden,
		gate.RateLimit:    http.StatusTooManyRequests,
		gate.Unavailable:  http.StatusServiceUnavailable,
	}[effect]
	if status == 0 {
		status = http.StatusInternalServerError
	}
	answer := say(call, &refusal{status: status, text: http.StatusText(status)})
	if status == http.StatusUnauthorized {
		answer.Header.Set("WWW-Authenticate", `X-API-Key realm="PowerDNS"`)
	}
	return answer
}

// say renders a refusal: what the API itself refuses is always JSON, what the
// web server in front of it refuses is text unless the client asks for JSON.
func say(call *gate.Call, r *refusal) gate.Answer {
	asksForJSON := strings.Contains(call.Header.Get("Accept"), "application/json")
	if r.status == http.StatusUnprocessableEntity || asksForJSON {
		return gate.JSON(r.status, map[string]string{"error": r.text})
	}
	return gate.Text(r.status, r.text)
}

// Serve implements gate.System.
func (s *System) Serve(tx *state.Tx, call *gate.Call) (answer gate.Answer, err error) {
	err = tx.Nested(func() error {
		answer, err = route(tx, call)
		return err
	})
	var no *refusal
	if errors.As(err, &no) {
		return say(call, no), nil
	}
	return answer, err
}

func route(tx *state.Tx, call *gate.Call) (gate.Answer, error) {
	rest, found := strings.CutPrefix(strings.TrimSuffix(call.Path, "/"), apiRoot)
	if !found {
		return gate.Answer{}, plain(http.StatusNotFound)
	}
	parts := strings.Split(rest, "/")[1:]
	switch {
	case len(parts) == 0:
		return onlyGet(call, func() (gate.Answer, error) {
			return gate.JSON(http.StatusOK, []any{server}), nil
		})
	case parts[0] != "localhost":
		return gate.Answer{}, plain(http.StatusNotFound)
	case len(parts) == 1:
		return onlyGet(call, func() (gate.Answer, error) { return gate.JSON(http.StatusOK, server), nil })
	case len(parts) == 2 && parts[1] == "zones":
		return onlyGet(call, func() (gate.Answer, error) { return listZones(tx, call) })
	case len(parts) == 2 && parts[1] == "search-data":
		return onlyGet(call, func() (gate.Answer, error) { return search(tx, call) })
	case len(parts) == 3 && parts[1] == "zones":
		return zone(tx, call, parts[2])
	default:
		return gate.Answer{}, plain(http.StatusNotFound)
	}
}

func onlyGet(call *gate.Call, do func() (gate.Answer, error)) (gate.Answer, error) {
	if call.Method != http.MethodGet {
		return gate.Answer{}, plain(http.StatusMethodNotAllowed)
	}
	return do()
}

func zone(tx *state.Tx, call *gate.Call, name string) (gate.Answer, error) {
	if call.Method != http.MethodGet && call.Method != http.MethodPatch {
		return gate.Answer{}, plain(http.StatusMethodNotAllowed)
	}
	z, found, err := loadZone(tx, strings.ToLower(absolute(name)))
	if err != nil {
		return gate.Answer{}, err
	}
	if !found {
		return gate.Answer{}, plain(http.StatusNotFound)
	}
	if call.Method == http.MethodPatch {
		return patch(tx, call, z)
	}
	return readZone(tx, call, z)
}

// absolute ends a name with the root's dot.
func absolute(name string) string { return strings.TrimSuffix(name, ".") + "." }

// server is what the API says of itself.
var server = map[string]string{
	"autoprimaries_url": "/api/v1/servers/localhost/autoprimaries{/autoprimary}",
	"config_url":        "/api/v1/servers/localhost/config{/config_setting}",
	"daemon_type":       "authoritative",
	"id":                "localhost",
	"type":              "Server",
	"url":               "/api/v1/servers/localhost",
	"version":           "4.7.3",
	"zones_url":         "/api/v1/servers/localhost/zones{/zone}",
}
