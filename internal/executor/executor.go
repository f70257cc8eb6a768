package executor

import (
	"context"
	"fmt"
	"log/slog"
	"sync/atomic"
	"time"

	"github.com/tenantplane/terraform-provider-tenant/internal/backend"
	"github.com/tenantplane/terraform-provider-tenant/internal/clock"
	"github.com/tenantplane/terraform-provider-tenant/internal/engine"
	"github.com/tenantplane/terraform-provider-tenant/internal/fault"
	"github.com/tenantplane/terraform-provider-tenant/internal/ledger"
	"github.com/tenantplane/terraform-provider-tenant/internal/telemetry"
	"github.com/tenantplane/terraform-provider-tenant/internal/tenant"
)

// maxParallel bounds the actions and looks of one tenant at a time.
const maxParallel = 4

// DefaultLease is how long a lease lasts without renewal, and so how long the
// tenant of a killed process has to wait for the next one.
const DefaultLease = 15 * time.Second

// Backends finds the backend that serves a component in a region. The fault is
// Terminal and says what to configure.
type Backends func(component, region string) (backend.Backend, *fault.Fault)

// Options are what an Executor works with. All but Lease are required.
type Options struct {
	Ledger     ledger.Store
	Components []engine.Component
	Backends   Backends
	// Regional tells whether each region has a backend of its own for a
	// component; otherwise one serves all.
	Regional func(component string) bool
	Clock    clock.Clock
	// NewID returns a new unique id, for events and correlations.
	NewID func() string
	// Worker names this process in leases.
	Worker string
	Logger *slog.Logger
	// Telemetry hears of passes, actions and calls; nil for nobody.
	Telemetry *telemetry.Telemetry
	// Lease is how long a lease lasts without renewal; 0 for DefaultLease.
	Lease time.Duration
	// Cadence is how often a tenant in good health is due.
	Cadence Cadence
	// Patience is how long failures are left alone; the zero one is the default.
	Patience Patience
}

// Executor carries out passes. It is safe for concurrent use; the ledger's
// leases keep two passes over one tenant apart.
type Executor struct {
	Options
	// calls counts calls to backends; each pass has a counter of its own.
	calls *atomic.Int64
}

// New returns an executor.
func New(o Options) *Executor {
	if o.Lease == 0 {
		o.Lease = DefaultLease
	}
	o.Cadence = o.Cadence.orDefault()
	if o.Patience == (Patience{}) {
		o.Patience = DefaultPatience()
	}
	return &Executor{Options: o, calls: &atomic.Int64{}}
}

// Begun tells whether anything of the tenant may exist outside the ledger: an
// object with an id, or a call whose outcome is unknown.
func (x *Executor) Begun(ctx context.Context, id tenant.ID) (bool, error) {
	rows, err := x.Ledger.Objects(ctx, id)
	if err != nil {
		return false, fmt.Errorf("load objects of tenant %s: %w", id, err)
	}
	for _, row := range rows {
		if row.ExternalID != "" && row.PendingUntil.IsZero() {
			return true, nil
		}
	}
	intents, err := x.Ledger.OpenIntents(ctx, id)
	if err != nil {
		return false, fmt.Errorf("load intents of tenant %s: %w", id, err)
	}
	return len(intents) > 0, nil
}
