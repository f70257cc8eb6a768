package executor

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"

	"golang.org/x/sync/errgroup"

	"github.com/tenantplane/terraform-provider-tenant/internal/engine"
	"github.com/tenantplane/terraform-provider-tenant/internal/fault"
	"github.com/tenantplane/terraform-provider-tenant/internal/ledger"
)

// pass is one bounded step of reconciliation of one tenant under one lease.
type pass struct {
	*Executor
	view View
	// actor is who asked, for evidence.
	actor string

	// lasting is for writes after a call: it outlives a Ctrl-C by the grace.
	lasting context.Context
	// skew is how far the ledger's clock is ahead of this machine's.
	skew time.Duration

	mu     sync.Mutex
	lease  ledger.Lease
	done   map[string]bool
	faults []engine.ObjectFault
	// final are faults of an earlier pass that no repetition mends.
	final map[engine.ObjectID]*fault.Fault
	// acted counts the actions that changed something.
	acted int
	// observed lists what a sweep looked at.
	observed []engine.ObjectID
	// visiting: a sweep carries out the pass, and breakers count.
	visiting bool
}

// run plans with plan and carries the actions out, those that do not depend
// on each other side by side. The error is the ledger's own or the context's;
// faults of backends are collected.
func (p *pass) run(ctx context.Context, plan engine.Plan) error {
	p.faults = append(p.faults, plan.Faults...)
	p.reportForeign(ctx, plan.Faults)
	rest := plan.Actions
	for len(rest) > 0 {
		ready, later := p.ready(rest)
		if len(ready) == 0 {
			return nil // the rest needs an action that failed
		}
		if err := p.actAll(ctx, ready); err != nil {
			return err
		}
		rest = later
	}
	return nil
}

// rememberFinal takes over the final faults of the last pass of this run.
func (p *pass) rememberFinal(last Outcome) {
	p.final = map[engine.ObjectID]*fault.Fault{}
	if last.View.Tenant.DesiredGeneration != p.view.Tenant.DesiredGeneration {
		return
	}
	for _, f := range last.Faults {
		if final(f.Fault) {
			p.final[f.Object] = f.Fault
		}
	}
}

// ready splits off up to maxParallel actions whose needs are met, all of one
// stage: a later stage begins when nothing more can be done in this one.
func (p *pass) ready(actions []engine.Action) (ready, later []engine.Action) {
	for _, a := range actions {
		if len(ready) < maxParallel && p.needsMet(a) && (len(ready) == 0 || a.Stage == ready[0].Stage) {
			ready = append(ready, a)
		} else {
			later = append(later, a)
		}
	}
	return ready, later
}

func (p *pass) needsMet(a engine.Action) bool {
	for _, need := range a.Needs {
		if !p.done[need] {
			return false
		}
	}
	return true
}

// actAll carries out independent actions.
func (p *pass) actAll(ctx context.Context, actions []engine.Action) error {
	var group errgroup.Group
	for _, a := range actions {
		group.Go(func() error {
			if err := ctx.Err(); err != nil {
				return err
			}
			if f := p.final[a.Object.ID]; f != nil {
				p.fail(a.Object.ID, f)
				return nil
			}
			if err := p.renew(); err != nil {
				return err
			}
			return p.act(ctx, a)
		})
	}
	return group.Wait()
}

// renew prolongs the lease. Before an action it also finds out whether the
// lease is still ours.
func (p *pass) renew() error {
	p.mu.Lock()
	defer p.mu.Unlock()
	lease, err := p.Ledger.Renew(p.lasting, p.lease, p.Lease)
	if err != nil {
		return fmt.Errorf("renew lease on tenant %s: %w", p.lease.Tenant, err)
	}
	p.lease = lease
	return nil
}

// now is the ledger's time: dates in the ledger are judged by it, whatever this
// machine's clock says.
func (p *pass) now() time.Time { return p.Clock.Now().Add(p.skew) }

// fail remembers a fault of one object.
func (p *pass) fail(object engine.ObjectID, f *fault.Fault) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.faults = append(p.faults, engine.ObjectFault{Object: object, Fault: f})
}

// succeed remembers that an action is done and what is known since.
func (p *pass) succeed(a engine.Action, s engine.Sighting) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.done[a.ID()] = true
	p.acted++
	p.view.Seen[a.Object.ID] = s
}

// Busy tells whether err only means that somebody else works on the tenant:
// asking again later is all there is to do.
func Busy(err error) bool { return errors.Is(err, ledger.ErrLeased) || overtaken(err) }

// overtaken tells whether err means that somebody else moved on: the pass must
// stop and start over.
func overtaken(err error) bool {
	return errors.Is(err, ledger.ErrFenced) || errors.Is(err, ledger.ErrGeneration)
}
