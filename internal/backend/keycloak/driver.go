package keycloak

import (
	"fmt"
	"net/url"
	"strings"
	"time"

	"github.com/tenantplane/terraform-provider-tenant/internal/backend"
	"github.com/tenantplane/terraform-provider-tenant/internal/backend/transport"
	"github.com/tenantplane/terraform-provider-tenant/internal/component/identity"
	"github.com/tenantplane/terraform-provider-tenant/internal/fault"
)

// vendor is the driver's name and begins its errors.
const vendor = "keycloak"

// The options.
const (
	optionURL      = "url"
	optionRealm    = "realm"
	optionClientID = "client_id"
	optionSecret   = "client_secret"
)

// Driver describes the driver to the provider block.
func Driver() backend.Driver {
	return backend.Driver{
		Vendor:      vendor,
		Component:   identity.Name,
		HTTP:        true,
		Description: "Keeps organizations in a realm of Keycloak 26 or newer.",
		Options: []backend.Option{
			{Name: optionURL, Required: true, Env: "KEYCLOAK_URL",
				Description: "Base URL of Keycloak, with its relative path if it has one, e.g. https://id.example.com."},
			{Name: optionRealm, Required: true, Env: "KEYCLOAK_REALM",
				Description: "Realm that holds the organizations. Organizations must be switched on in it."},
			{Name: optionClientID, Required: true, Env: "KEYCLOAK_CLIENT_ID",
				Description: "Confidential client of that realm whose service account has the realm-management roles manage-realm and, to end sessions, manage-users."},
			{Name: optionSecret, Required: true, Secret: true, Env: "KEYCLOAK_CLIENT_SECRET",
				Description: "Secret of that client."},
		},
		Open: open,
	}
}

// open builds a backend from settings. It does no I/O.
func open(s backend.Settings) (backend.Backend, *fault.Fault) {
	for _, name := range []string{optionURL, optionRealm, optionClientID, optionSecret} {
		if s.Options[name] == "" {
			return nil, fault.NewTerminal("keycloak.option_missing", s.Path+"."+name, "it is not set", "set it, or its environment variable")
		}
	}
	base, f := parseBase(s)
	if f != nil {
		return nil, f
	}
	return newBackend(base, s, time.Now), nil
}

func newBackend(base *url.URL, s backend.Settings, now func() time.Time) *Backend {
	http := transport.NewClient(transport.Options{Base: s.Transport, Timeout: s.Timeout, Logger: s.Logger})
	realm := s.Options[optionRealm]
	return &Backend{client: &client{
		http:  http,
		admin: base.JoinPath("admin", "realms", url.PathEscape(realm)),
		realm: realm,
		path:  s.Path,
		tokens: &tokens{
			http:     http,
			endpoint: base.JoinPath("realms", url.PathEscape(realm), "protocol", "openid-connect", "token").String(),
			realm:    realm,
			clientID: s.Options[optionClientID],
			secret:   s.Options[optionSecret],
			path:     s.Path,
			now:      now,
			turn:     make(chan struct{}, 1),
		},
	}}
}

// parseBase reads the base URL. Its text is not repeated in faults: it may
// hold a password.
func parseBase(s backend.Settings) (*url.URL, *fault.Fault) {
	refuse := func(found string) *fault.Fault {
		return fault.NewTerminal("keycloak.url_invalid", s.Path+"."+optionURL, found,
			"use the address people sign in at, e.g. https://id.example.com")
	}
	base, err := url.Parse(strings.TrimSpace(s.Options[optionURL]))
	switch {
	case err != nil:
		return nil, refuse("it is not a URL")
	case base.Scheme != "https" && base.Scheme != "http":
		return nil, refuse(fmt.Sprintf("its scheme is %q, not https or http", base.Scheme))
	case base.Hostname() == "":
		return nil, refuse("it names no host")
	case base.User != nil:
		return nil, refuse("it carries credentials; they belong into client_id and client_secret")
	case base.RawQuery != "" || base.Fragment != "":
		return nil, refuse("it has a query or a fragment")
	}
	return base, nil
}
