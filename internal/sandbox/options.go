package sandbox

import (
	"crypto/rand"
	"io"
	"log/slog"
	"sync"

	"github.com/tenantplane/terraform-provider-tenant/internal/clock"
)

// Options says where the sandbox lives and what is in it from the beginning.
type Options struct {
	// Path is the state file; it is created when it does not exist.
	Path string
	// Clock tells the time; nil means the system's.
	Clock clock.Clock
	// Random is where ids come from; nil means crypto/rand.
	Random io.Reader
	// Listen is a TCP address; "" means a free port of 127.0.0.1.
	Listen string
	// Zones are the DNS zones; nil means example.com, example.net, example.org.
	Zones []string
	// Plans are the lookup keys of active prices; nil means starter, pro and
	// enterprise. There is always an archived price with the key legacy.
	Plans []string
	// Logger takes failures of the sandbox itself; nil discards them.
	Logger *slog.Logger
}

// archivedPlan is the lookup key of a price nobody can subscribe to any more.
const archivedPlan = "legacy"

func (o Options) withDefaults() Options {
	if o.Clock == nil {
		o.Clock = clock.System{}
	}
	if o.Random == nil {
		o.Random = rand.Reader
	}
	if o.Listen == "" {
		o.Listen = "127.0.0.1:0"
	}
	if o.Zones == nil {
		o.Zones = []string{"example.com", "example.net", "example.org"}
	}
	if o.Plans == nil {
		o.Plans = []string{"starter", "pro", "enterprise"}
	}
	if o.Logger == nil {
		o.Logger = slog.New(slog.DiscardHandler)
	}
	o.Random = &lockedReader{inner: o.Random}
	return o
}

// lockedReader makes a reader safe for concurrent use.
type lockedReader struct {
	mu    sync.Mutex
	inner io.Reader
}

func (r *lockedReader) Read(p []byte) (int, error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.inner.Read(p)
}

// Credentials are what a sandbox's systems accept. They guard nothing.
type Credentials struct {
	KeycloakRealm        string
	KeycloakClientID     string
	KeycloakClientSecret string
	StripeAPIKey         string
	PowerDNSAPIKey       string
}

// KnownCredentials are the credentials of every sandbox.
func KnownCredentials() Credentials {
	return Credentials{
		KeycloakRealm:        "tenants",
		KeycloakClientID:     "tenant-provider",
		KeycloakClientSecret: "sandbox-keycloak-not-a-secret",
		StripeAPIKey:         "sandbox-stripe-not-a-secret",
		PowerDNSAPIKey:       "sandbox-powerdns-not-a-secret",
	}
}
