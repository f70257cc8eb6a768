package executor

import (
	"context"
	"fmt"
	"slices"
	"time"

	"github.com/tenantplane/terraform-provider-tenant/internal/engine"
	"github.com/tenantplane/terraform-provider-tenant/internal/ledger"
	"github.com/tenantplane/terraform-provider-tenant/internal/pace"
)

// Cadence is how often sweeps look at a tenant in good health.
type Cadence struct {
	// Critical is the interval of the critical components; 0 means 5 minutes.
	Critical time.Duration
	// Stable is the interval at which everything is looked at; 0 means 1 hour.
	Stable time.Duration
	// Components lists the critical ones: those that decide who gets in and
	// where users are sent.
	Components []string
}

func (c Cadence) orDefault() Cadence {
	if c.Critical <= 0 {
		c.Critical = 5 * time.Minute
	}
	if c.Stable <= 0 {
		c.Stable = time.Hour
	}
	return c
}

func (c Cadence) isCritical(o engine.ObjectID) bool {
	return slices.Contains(c.Components, o.Component)
}

// interval is when a tenant with these objects is due again.
func (c Cadence) interval(objects []engine.Object) time.Duration {
	for _, o := range objects {
		if c.isCritical(o.ID) {
			return min(c.Critical, c.Stable)
		}
	}
	return c.Stable
}

// Patience is how long tenants and backends are left alone after failures. The
// zero Patience is DefaultPatience.
type Patience struct {
	// Rest grows with a tenant's failures in a row. What no repetition mends is
	// tried again at the stable interval, since its cause may lie outside the spec.
	Rest pace.Backoff
	// Tenant and Backend are the breakers. An outage is the backend's, and counts
	// against no tenant.
	Tenant, Backend pace.Breaker
	// Absence bounds how many missing objects of one backend sweeps make anew: a
	// backend that was emptied, or exchanged for another one, is a matter for
	// people (DESIGN section 5).
	Absence pace.Breaker
	// Outage is the least wait after an outage; the tenants that met it come back
	// spread over Spread.
	Outage, Spread time.Duration
	// Longest bounds what a backend may ask for with Retry-After.
	Longest time.Duration
	// Remnant is the wait before what could not be ended is tried again.
	Remnant time.Duration
}

// DefaultPatience is for real systems.
func DefaultPatience() Patience {
	return Patience{
		Rest:    pace.Backoff{Base: 5 * time.Second, Max: 15 * time.Minute},
		Tenant:  pace.Breaker{Failures: 5, Within: 10 * time.Minute, Rest: 30 * time.Minute},
		Backend: pace.Breaker{Failures: 3, Within: 5 * time.Minute, Rest: time.Minute},
		Absence: pace.Breaker{Failures: 5, Within: time.Hour, Rest: time.Hour},
		Outage:  30 * time.Second, Spread: 2 * time.Minute, Longest: time.Hour, Remnant: time.Hour,
	}
}

// Compressed is a patience that is over sooner, by a factor of at least 1: a
// soak plays hours in minutes.
func (p Patience) Compressed(factor int64) Patience {
	by := time.Duration(max(factor, 1))
	p.Rest = pace.Backoff{Base: p.Rest.Base / by, Max: p.Rest.Max / by}
	for _, b := range []*pace.Breaker{&p.Tenant, &p.Backend, &p.Absence} {
		b.Within, b.Rest = b.Within/by, b.Rest/by
	}
	p.Outage, p.Spread, p.Longest, p.Remnant = p.Outage/by, p.Spread/by, p.Longest/by, p.Remnant/by
	return p
}

// nextPass is when a tenant is due again, and what its failure count is then.
type nextPass struct {
	failures int64
	due      time.Time
}

// next decides when the tenant is due again after a pass that left it in a
// status with these faults.
func (p *pass) next(ctx context.Context, status ledger.Status, faults []engine.ObjectFault) (nextPass, error) {
	row, now := p.view.Tenant, p.now()
	switch {
	case len(faults) == 0 && !settled(status) && status != ledger.Degraded:
		return nextPass{row.FailureCount, now.Add(p.Patience.Rest.Base)}, nil // it was interrupted
	case len(faults) == 0:
		// Up to a tenth early or late: tenants that were applied together do
		// not stay together.
		interval := p.Cadence.interval(p.view.Desired.Objects)
		return nextPass{0, now.Add(interval - interval/10 + p.Clock.Jitter(interval/5))}, p.calm(ctx, tenantScope(row.ID))
	case ofBackends(faults):
		wait := max(p.Patience.Outage, min(retryAfter(faults), p.Patience.Longest))
		return nextPass{row.FailureCount, now.Add(wait + p.Clock.Jitter(p.Patience.Spread))}, nil
	case allFinal(faults):
		stable := p.Cadence.Stable
		return nextPass{pace.OneMore(row.FailureCount), now.Add(stable - stable/10 + p.Clock.Jitter(stable/5))}, nil
	}
	rest := p.Patience.Rest
	n := nextPass{failures: pace.OneMore(row.FailureCount)}
	wait := max(rest.Jittered(n.failures-1, p.Clock.Jitter(rest.Delay(n.failures-1))), min(retryAfter(faults), p.Patience.Longest))
	n.due = now.Add(wait)
	open, err := p.trip(ctx, tenantScope(row.ID), p.Patience.Tenant, faults[0].Fault.Error())
	if open.After(n.due) {
		n.due = open
	}
	return n, err
}

// ofBackends tells whether every fault is one of a whole backend.
func ofBackends(faults []engine.ObjectFault) bool {
	return !slices.ContainsFunc(faults, func(f engine.ObjectFault) bool { return !f.Fault.BackendWide })
}

// rests tells whether the tenant's breaker is open, and until when. A new spec
// begins without failures and is not held back.
func (p *pass) rests(ctx context.Context) (time.Time, error) {
	row := p.view.Tenant
	if row.FailureCount == 0 {
		return time.Time{}, nil
	}
	tally, err := p.Ledger.Tally(ctx, tenantScope(row.ID))
	if err != nil {
		return time.Time{}, fmt.Errorf("load the breaker of tenant %s: %w", row.ID, err)
	}
	if !tallyOf(tally).Open(p.now()) {
		return time.Time{}, nil
	}
	return tally.OpenUntil, nil
}

// stay leaves everything as it is until the breaker's rest is over.
func (p *pass) stay(ctx context.Context, until time.Time) (Outcome, error) {
	row := p.view.Tenant
	err := p.Ledger.Advance(ctx, p.currentLease(), ledger.Progress{
		Generation: row.DesiredGeneration, Status: row.Status, NextReconcileAt: until,
		FailureCount: row.FailureCount, LastErrorCode: row.LastErrorCode, LastError: row.LastError,
	})
	if err != nil {
		return Outcome{}, fmt.Errorf("leave tenant %s alone: %w", row.ID, err)
	}
	return Outcome{Status: row.Status, View: p.view}, nil
}
