package executor

import (
	"context"
	"errors"
	"time"

	"github.com/tenantplane/terraform-provider-tenant/internal/engine"
	"github.com/tenantplane/terraform-provider-tenant/internal/ledger"
	"github.com/tenantplane/terraform-provider-tenant/internal/tenant"
)

// Visit looks after one tenant once, as a sweep does, and says when it is due
// again. It never does more than one pass.
//
//	the tenant                   | a visit
//	-----------------------------+---------------------------------------------
//	deleted                      | ends the archives whose date has come
//	its breaker is open          | nothing, until the rest is over
//	deleting                     | goes on with the finalization
//	behind its spec, or failed   | goes on with the spec
//	ready, degraded, suspended   | looks, the critical components more often;
//	                             | dates drift, repairs what the policy says
//	any, with a due archive      | ends that as well
//
// A backend whose breaker is open is not called. Errors are the ledger's own;
// Busy tells those that only mean that somebody else works on the tenant.
func (x *Executor) Visit(ctx context.Context, id tenant.ID, actor string) (outcome Outcome, err error) {
	ctx, ended := x.passSpan(ctx, "tenant.visit", id, actor)
	defer func() { ended(err) }()
	own := *x
	own.Backends = x.rested(ctx, x.Backends)
	p, ctx, end, err := own.begin(ctx, id, actor)
	if err != nil {
		return Outcome{}, err
	}
	defer end()
	p.visiting = true
	outcome, err = p.attend(ctx)
	if err != nil || ctx.Err() != nil {
		return outcome, err // a look that was cut short says nothing about a backend
	}
	return outcome, p.countBackends(ctx)
}

// attend does what the table of Visit says.
func (p *pass) attend(ctx context.Context) (Outcome, error) {
	row := p.view.Tenant
	if err := p.purgeDue(ctx); err != nil {
		return Outcome{}, err
	}
	if row.Status == ledger.Deleted {
		return p.keepTombstone(ctx)
	}
	until, err := p.rests(ctx)
	if err != nil {
		return Outcome{}, err
	}
	if !until.IsZero() {
		return p.stay(ctx, until)
	}
	view, err := p.load(ctx, row.Spec, row)
	var bad *SpecFaults
	if errors.As(err, &bad) {
		return p.misread(ctx, bad)
	}
	if err != nil {
		return Outcome{}, err
	}
	p.view = view
	if settledRow(row) {
		return p.inspect(ctx)
	}
	p.watch(ctx, nil)
	if row.Status == ledger.Deleting {
		return p.finalize(ctx)
	}
	return p.converge(ctx)
}

// settledRow tells whether the spec was fully processed, so that whatever
// differs is drift.
func settledRow(row ledger.Tenant) bool {
	if row.ObservedGeneration != row.DesiredGeneration {
		return false
	}
	return row.Status == ledger.Ready || row.Status == ledger.Degraded || row.Status == ledger.Suspended
}

// watch observes the objects that pick takes, and notes that it did.
func (p *pass) watch(ctx context.Context, pick func(engine.ObjectID) bool) {
	p.observe(ctx, &p.view, pick)
	for _, o := range p.view.objects() {
		if pick == nil || pick(o.ID) {
			p.observed = append(p.observed, o.ID)
		}
	}
}

// misread records that this program does not understand the tenant's spec.
func (p *pass) misread(ctx context.Context, bad *SpecFaults) (Outcome, error) {
	row := p.view.Tenant
	outcome := Outcome{Status: ledger.Failed, View: p.view}
	if row.Status == ledger.Deleting {
		outcome.Status = ledger.Deleting
	}
	for _, f := range bad.Faults {
		outcome.Faults = append(outcome.Faults, engine.ObjectFault{Object: engine.ObjectID{Component: f.Path}, Fault: f})
	}
	return outcome, p.advance(ctx, ledger.Progress{
		Generation: row.DesiredGeneration, Status: outcome.Status,
		LastErrorCode: bad.Faults[0].Code, LastError: bad.Faults[0].Error(),
	}, outcome.Faults)
}

// dueForAll tells whether everything of the tenant is to be looked at, not only
// what is critical.
func (p *pass) dueForAll() bool {
	examined := p.view.Tenant.ExaminedAt
	slack := min(p.Cadence.Critical, p.Cadence.Stable) / 2 // rather now than one visit late
	return examined.IsZero() || p.now().Sub(examined) >= p.Cadence.Stable-slack
}

// paused tells whether somebody asked to leave the tenant's drift alone.
func paused(row ledger.Tenant, now time.Time) bool { return now.Before(row.PausedUntil) }
