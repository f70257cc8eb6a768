package provider

import (
	"context"
	"crypto/rand"
	"fmt"
	"log/slog"
	"net/http"
	"os"
	"path/filepath"
	"sync"

	"github.com/tenantplane/terraform-provider-tenant/internal/backend"
	"github.com/tenantplane/terraform-provider-tenant/internal/backend/middleware/budget"
	"github.com/tenantplane/terraform-provider-tenant/internal/clock"
	"github.com/tenantplane/terraform-provider-tenant/internal/fault"
	"github.com/tenantplane/terraform-provider-tenant/internal/sandbox"
	"github.com/tenantplane/terraform-provider-tenant/internal/telemetry"
)

// codeDeferred marks a backend whose options only the apply will know.
const codeDeferred = "provider.deferred"

// defaultSandbox is the sandbox's folder beside the configuration.
const defaultSandbox = ".tenant-sandbox"

// backends opens each configured backend at first use and keeps it.
type backends struct {
	config Config
	logger *slog.Logger
	// telemetry stands before every HTTP backend.
	telemetry *telemetry.Telemetry
	sandbox   *sandbox.Server
	mu        sync.Mutex
	open      map[Place]backend.Backend
}

// newBackends starts the sandbox if the configuration asks for it.
func newBackends(ctx context.Context, config Config, logger *slog.Logger, t *telemetry.Telemetry) (*backends, *configError) {
	b := &backends{config: config, logger: logger, telemetry: t, open: map[Place]backend.Backend{}}
	if config.Sandbox == nil {
		return b, nil
	}
	if err := os.MkdirAll(config.Sandbox.folder(), 0o750); err != nil {
		return nil, &configError{"sandbox", "Cannot start the sandbox", fmt.Sprintf("sandbox.path: %v. Name a folder that can be written.", err)}
	}
	server, err := sandbox.Open(context.WithoutCancel(ctx), SandboxOptions(*config.Sandbox))
	if err != nil {
		return nil, &configError{"sandbox", "Cannot start the sandbox", fmt.Sprintf("sandbox.path: %v", err)}
	}
	b.sandbox = server
	return b, nil
}

// SandboxOptions turns the sandbox block into the sandbox's options.
func SandboxOptions(c SandboxConfig) sandbox.Options {
	return sandbox.Options{
		Path: filepath.Join(c.folder(), "state.db"), Clock: clock.System{}, Random: rand.Reader,
		Zones: c.Zones, Plans: c.Plans, Logger: slog.New(logHandler{}),
	}
}

func (c SandboxConfig) folder() string {
	if c.Path == "" {
		return defaultSandbox
	}
	return c.Path
}

// find implements executor.Backends.
func (b *backends) find(component, region string) (backend.Backend, *fault.Fault) {
	b.mu.Lock()
	defer b.mu.Unlock()
	place := b.place(component, region)
	if found, isOpen := b.open[place]; isOpen {
		return found, nil
	}
	if b.config.Deferred[place] {
		return nil, &fault.Fault{Kind: fault.Retryable, Code: codeDeferred, Path: component,
			Found: "the provider's configuration is not known yet", Action: "apply what it depends on first"}
	}
	choice, configured := b.choice(place)
	if !configured {
		return nil, b.missing(place)
	}
	opened, f := b.start(place, choice)
	if f != nil {
		return nil, f
	}
	b.open[place] = opened
	return opened, nil
}

// place drops the region for components that have one backend for all.
func (b *backends) place(component, region string) Place {
	if isRegional(component) {
		return Place{Component: component, Region: region}
	}
	return Place{Component: component}
}

// isRegional tells whether a component's backends are configured per region.
func isRegional(component string) bool {
	return len(driversFor(Place{Component: component})) == 0
}

// choice is what the user configured, or else what the sandbox offers.
func (b *backends) choice(place Place) (Choice, bool) {
	choice, configured := b.config.Backends[place]
	if configured || b.sandbox == nil {
		return choice, configured
	}
	return b.sandboxed(place)
}

// sandboxed serves a place from the sandbox.
func (b *backends) sandboxed(place Place) (Choice, bool) {
	credentials := b.sandbox.Credentials
	folder := b.config.Sandbox.folder()
	choices := map[string]Choice{
		"identity": {Vendor: "keycloak", Options: map[string]string{
			"url": b.sandbox.KeycloakURL(), "realm": credentials.KeycloakRealm,
			"client_id": credentials.KeycloakClientID, "client_secret": credentials.KeycloakClientSecret,
		}},
		"billing":  {Vendor: "stripe", Options: map[string]string{"url": b.sandbox.StripeURL(), "api_key": credentials.StripeAPIKey}},
		"domain":   {Vendor: "powerdns", Options: map[string]string{"url": b.sandbox.PowerDNSURL(), "api_key": credentials.PowerDNSAPIKey}},
		"database": {Vendor: "sqlite", Options: map[string]string{"path": filepath.Join(folder, "databases", place.Region)}},
		"storage":  {Vendor: "localdir", Options: map[string]string{"path": filepath.Join(folder, "storage", place.Region)}},
	}
	if place.Region != "" && !b.config.offers(place.Region) {
		return Choice{}, false
	}
	choice, offered := choices[place.Component]
	choice.Path = "sandbox." + choice.Vendor
	if folder := choice.Options["path"]; folder != "" {
		_ = os.MkdirAll(folder, 0o750) // the backend says what is wrong if it is not there
	}
	return choice, offered
}

// start opens a backend.
func (b *backends) start(place Place, choice Choice) (backend.Backend, *fault.Fault) {
	for _, d := range driversFor(place) {
		if d.Vendor == choice.Vendor {
			through, f := b.transport(choice)
			if f != nil {
				return nil, f
			}
			return d.Open(backend.Settings{Options: choice.Options, Path: choice.Path, Logger: b.logger, Transport: through})
		}
	}
	return nil, b.missing(place)
}

// transport is what stands before an HTTP backend, from the inside out: traces,
// so that they show the wire, then the budget, so that waiting is in none.
func (b *backends) transport(choice Choice) (http.RoundTripper, *fault.Fault) {
	perSecond, f := budget.Read(choice.Options[budget.Option().Name], choice.Path+"."+budget.Option().Name)
	return budget.Transport(b.telemetry.Transport(nil), perSecond), f
}

// missing is the fault for a place nobody configured.
func (b *backends) missing(place Place) *fault.Fault {
	if place.Region == "" {
		return fault.NewTerminal("provider.no_backend", place.Component, "the provider block configures no "+place.Component+" backend",
			"add "+place.Component+" to the provider block, or sandbox = {} to try it out")
	}
	return fault.NewTerminal("provider.no_backend", "region",
		fmt.Sprintf("region %q has no %s backend", place.Region, place.Component),
		fmt.Sprintf("add regions[%q].%s to the provider block, or correct the region", place.Region, place.Component))
}
