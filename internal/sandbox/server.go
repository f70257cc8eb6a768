package sandbox

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/http"
	"time"

	"github.com/tenantplane/terraform-provider-tenant/internal/sandbox/admin"
	"github.com/tenantplane/terraform-provider-tenant/internal/sandbox/gate"
	"github.com/tenantplane/terraform-provider-tenant/internal/sandbox/keycloak"
	"github.com/tenantplane/terraform-provider-tenant/internal/sandbox/powerdns"
	"github.com/tenantplane/terraform-provider-tenant/internal/sandbox/state"
	"github.com/tenantplane/terraform-provider-tenant/internal/sandbox/stripe"
)

// Server is a running sandbox.
type Server struct {
	// Credentials are what its systems accept.
	Credentials Credentials

	store    *state.Store
	listener net.Listener
	http     *http.Server
	end      context.CancelFunc
	done     chan error
}

// Open opens the state file, fills it if it is new, and serves until Close.
// The error names the path or the address that is to blame.
func Open(ctx context.Context, options Options) (*Server, error) {
	options = options.withDefaults()
	store, err := state.Open(ctx, options.Path)
	if err != nil {
		return nil, err
	}
	if err := store.Update(ctx, seed(options)); err != nil {
		return nil, errors.Join(fmt.Errorf("fill sandbox state %s: %w", options.Path, err), store.Close())
	}
	listener, err := new(net.ListenConfig).Listen(ctx, "tcp", options.Listen)
	if err != nil {
		return nil, errors.Join(fmt.Errorf("sandbox cannot listen on %s: %w", options.Listen, err), store.Close())
	}
	s := &Server{Credentials: KnownCredentials(), store: store, listener: listener, done: make(chan error, 1)}
	// Handlers outlive the context of Open, and end with Close.
	base, end := context.WithCancel(context.WithoutCancel(ctx))
	s.end = end
	s.http = &http.Server{
		Handler: s.routes(options), ReadHeaderTimeout: 10 * time.Second,
		BaseContext: func(net.Listener) context.Context { return base },
	}
	go func() { s.done <- s.http.Serve(listener) }()
	return s, nil
}

func (s *Server) routes(options Options) http.Handler {
	known := s.Credentials
	systems := map[string]gate.System{
		keycloak.Name: &keycloak.System{Realm: known.KeycloakRealm, ClientID: known.KeycloakClientID, ClientSecret: known.KeycloakClientSecret},
		stripe.Name:   &stripe.System{APIKey: known.StripeAPIKey},
		powerdns.Name: &powerdns.System{APIKey: known.PowerDNSAPIKey},
	}
	mux := http.NewServeMux()
	for name, system := range systems {
		mux.Handle("/"+name+"/", &gate.Gate{
			System: system, Store: s.store, Clock: options.Clock, Random: options.Random, Logger: options.Logger,
		})
	}
	handler := &admin.Handler{
		Store: s.store, Clock: options.Clock, Random: options.Random, Systems: systems, Realm: known.KeycloakRealm, Seed: seed(options),
	}
	mux.Handle("/admin/", http.StripPrefix("/admin", handler.Routes()))
	return mux
}

// seed makes zones and prices that are not there yet.
func seed(options Options) func(*state.Tx) error {
	return func(tx *state.Tx) error {
		now := options.Clock.Now()
		for _, zone := range options.Zones {
			if err := powerdns.Seed(tx, zone, now); err != nil {
				return fmt.Errorf("zone %s: %w", zone, err)
			}
		}
		for i, plan := range options.Plans {
			if err := stripe.Seed(tx, plan, int64(i+1)*2900, true, now); err != nil {
				return fmt.Errorf("plan %s: %w", plan, err)
			}
		}
		return stripe.Seed(tx, archivedPlan, 1900, false, now)
	}
}

// Close ends the sandbox: calls that hang are cut, the file is closed.
func (s *Server) Close() error {
	s.end()
	err := s.http.Close()
	if served := <-s.done; !errors.Is(served, http.ErrServerClosed) {
		err = errors.Join(err, served)
	}
	return errors.Join(err, s.store.Close())
}

func (s *Server) url(prefix string) string {
	return "http://" + s.listener.Addr().String() + "/" + prefix
}

// KeycloakURL is the base URL of Keycloak.
func (s *Server) KeycloakURL() string { return s.url(keycloak.Name) }

// StripeURL is the base URL of Stripe's API, without /v1.
func (s *Server) StripeURL() string { return s.url(stripe.Name) }

// PowerDNSURL is the base URL of PowerDNS' API, without /api/v1.
func (s *Server) PowerDNSURL() string { return s.url(powerdns.Name) }

// AdminURL is the base URL of the admin endpoint.
func (s *Server) AdminURL() string { return s.url("admin") }
