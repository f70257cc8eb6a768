package provider

import (
	"context"
	"fmt"
	"log/slog"
	"os"
	"sync"

	"github.com/google/uuid"

	"github.com/tenantplane/terraform-provider-tenant/internal/clock"
	"github.com/tenantplane/terraform-provider-tenant/internal/executor"
	"github.com/tenantplane/terraform-provider-tenant/internal/ledger"
	"github.com/tenantplane/terraform-provider-tenant/internal/tenant"
)

// Session is one configured provider: the open ledger, the backends and the
// executor over both. Terraform makes one for every walk.
type Session struct {
	Executor *executor.Executor
	// Workspace says which state the tenants declared here belong to.
	Workspace string
	ledger    ledger.Store
	events    EventsConfig
	// alone: nobody else can be this workspace.
	alone bool
	// place is where the ledger is.
	place     string
	addresses *addresses
	// views keeps what a read saw for the plan that follows it.
	mu    sync.Mutex
	views map[tenant.ID]executor.View
}

// configError is a fault of the provider block.
type configError struct{ attribute, summary, detail string }

// Error implements error.
func (e *configError) Error() string { return e.attribute + ": " + e.detail }

// Open opens a session from plain values, for callers other than Terraform.
func (p Program) Open(ctx context.Context, config Config) (*Session, error) {
	s, err := p.open(ctx, config)
	if err != nil {
		return nil, err
	}
	return s, nil
}

// open opens the ledger and, if configured, the sandbox.
func (p Program) open(ctx context.Context, config Config) (*Session, *configError) {
	store, bad := openLedger(ctx, config)
	if bad != nil {
		return nil, bad
	}
	if p.WrapLedger != nil {
		store = p.WrapLedger(store)
	}
	logger := p.Logger
	if logger == nil {
		logger = slog.New(logHandler{})
	}
	backends, bad := newBackends(ctx, config, logger, p.Telemetry)
	if bad == nil {
		bad = registerSinks(ctx, store, config.Events)
	}
	if bad != nil {
		return nil, bad
	}
	host, _ := os.Hostname()
	place, _ := config.Ledger.place()
	return &Session{
		Workspace: workspaceName(config.Workspace),
		ledger:    store,
		place:     place,
		events:    config.Events,
		alone:     namedWorkspace(config.Workspace) || !IsLedgerURL(place),
		addresses: newAddresses(),
		views:     map[tenant.ID]executor.View{},
		Executor: executor.New(executor.Options{
			Ledger: store, Components: Components(), Backends: backends.find, Regional: isRegional, Clock: clock.System{},
			NewID: uuid.NewString, Worker: fmt.Sprintf("%s/%d/%s", host, os.Getpid(), uuid.NewString()[:8]),
			Logger: logger, Lease: p.Lease, Patience: p.Patience, Telemetry: p.Telemetry,
			Cadence: executor.Cadence{Critical: p.Cadence.Critical, Stable: p.Cadence.Stable, Components: critical()},
		}),
	}, nil
}

// Ledger returns the open ledger.
func (s *Session) Ledger() ledger.Store { return s.ledger }

// Close releases the ledger.
func (s *Session) Close() error { return s.ledger.Close() }

// keepView remembers what a read saw.
func (s *Session) keepView(v executor.View) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.views[v.Desired.Subject.ID] = v
}

// takeView returns what a read saw, once.
func (s *Session) takeView(id tenant.ID) (executor.View, bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	v, found := s.views[id]
	delete(s.views, id)
	return v, found
}
