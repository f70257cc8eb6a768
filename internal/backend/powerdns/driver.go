package powerdns

import (
	"net/http"
	"net/url"
	"strings"
	"time"

	"github.com/tenantplane/terraform-provider-tenant/internal/backend"
	"github.com/tenantplane/terraform-provider-tenant/internal/backend/transport"
	"github.com/tenantplane/terraform-provider-tenant/internal/component/domain"
	"github.com/tenantplane/terraform-provider-tenant/internal/fault"
)

// The options of the driver.
const (
	optionURL      = "url"
	optionKey      = "api_key"
	optionServerID = "server_id"
	optionZone     = "zone"
)

// maxBody bounds one answer in bytes; a list of 100,000 zones is about 30 MB.
const maxBody = 64 << 20

// Driver returns the PowerDNS driver of the domain component.
func Driver() backend.Driver {
	return backend.Driver{
		Vendor:      "powerdns",
		Component:   "domain",
		HTTP:        true,
		Description: "DNS records in a PowerDNS Authoritative Server (4.7 or later), through its HTTP API.",
		Regional:    true,
		Options: []backend.Option{
			{Name: optionURL, Required: true, Description: "Base URL of the HTTP API, e.g. `https://dns.example.com:8081`."},
			{Name: optionKey, Required: true, Secret: true, Env: "POWERDNS_API_KEY", Description: "API key of the server."},
			{Name: optionServerID, Description: "Id of the server within the API. Defaults to `localhost`, the only one PowerDNS itself knows."},
			{Name: optionZone, Description: "The one zone to keep records in. Unset, the longest matching zone of the server is used."},
		},
		Open: func(settings backend.Settings) (backend.Backend, *fault.Fault) {
			client := transport.NewClient(transport.Options{
				Base: settings.Transport, Timeout: settings.Timeout, MaxBody: maxBody, Logger: settings.Logger,
			})
			b, f := open(settings, client, time.Now)
			if f != nil {
				return nil, f
			}
			return b, nil
		},
	}
}

// powerDNS is the backend. It is immutable but for the cache of zones.
type powerDNS struct {
	api   api
	zones *zones
}

// open checks the settings. now dates the cached list of zones.
func open(settings backend.Settings, client *http.Client, now func() time.Time) (*powerDNS, *fault.Fault) {
	base, f := baseURL(settings)
	if f != nil {
		return nil, f
	}
	key := settings.Options[optionKey]
	if key == "" {
		return nil, refuse(settings, optionKey, "is not set", "set it, or the environment variable POWERDNS_API_KEY")
	}
	server := settings.Options[optionServerID]
	if server == "" {
		server = "localhost"
	}
	b := &powerDNS{api: api{
		client: client, key: key, path: settings.Path,
		server: base + "/api/v1/servers/" + url.PathEscape(server),
	}}
	b.zones = &zones{api: b.api, now: now}
	if fixed := settings.Options[optionZone]; fixed != "" {
		name, err := domain.Name(fixed)
		if err != nil {
			return nil, refuse(settings, optionZone, err.Error(), "write the name of a zone, e.g. example.com")
		}
		b.zones.fixed = name
	}
	return b, nil
}

// baseURL returns the URL before "/api/v1". Its faults never show the URL,
// which may hold a password.
func baseURL(settings backend.Settings) (string, *fault.Fault) {
	const action = "write the base URL of the HTTP API, e.g. https://dns.example.com:8081"
	parsed, err := url.Parse(settings.Options[optionURL])
	switch {
	case err != nil:
		return "", refuse(settings, optionURL, "is not a URL", action)
	case parsed.Scheme != "http" && parsed.Scheme != "https", parsed.Host == "":
		return "", refuse(settings, optionURL, "is not an http or https URL", action)
	case parsed.User != nil:
		return "", refuse(settings, optionURL, "holds a user name or password", "use api_key instead")
	}
	base := parsed.Scheme + "://" + parsed.Host + strings.TrimRight(parsed.EscapedPath(), "/")
	return strings.TrimSuffix(base, "/api/v1"), nil
}

func refuse(settings backend.Settings, option, found, action string) *fault.Fault {
	return fault.NewTerminal("domain.backend_misconfigured", settings.Path+"."+option, found, action)
}

// Capabilities implements backend.Backend. PowerDNS has no idempotency keys,
// but a name and type are looked up exactly.
func (*powerDNS) Capabilities() backend.Capabilities {
	return backend.Capabilities{ExactLookup: true}
}
