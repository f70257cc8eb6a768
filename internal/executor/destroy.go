package executor

import (
	"context"
	"fmt"
	"strconv"

	"github.com/tenantplane/terraform-provider-tenant/internal/engine"
	"github.com/tenantplane/terraform-provider-tenant/internal/event"
	"github.com/tenantplane/terraform-provider-tenant/internal/ledger"
	"github.com/tenantplane/terraform-provider-tenant/internal/tenant"
)

// Destroy moves the tenant to deleting and runs passes until it is a
// tombstone, only final faults are left, or ctx ends. Interrupted is no error;
// the next Destroy goes on.
func (x *Executor) Destroy(ctx context.Context, id tenant.ID, claim string) (Outcome, error) {
	begun := event.Event{
		ID: x.NewID(), Type: event.DeletionStarted, Tenant: id, Correlation: x.NewID(), Time: x.Clock.Now(),
	}
	row, err := x.Ledger.BeginDeletion(ctx, id, claim, []event.Event{begun})
	if err != nil {
		return Outcome{}, fmt.Errorf("begin deletion of tenant %s: %w", id, err)
	}
	if row.Status == ledger.Deleted {
		return Outcome{Status: ledger.Deleted}, nil
	}
	return x.repeat(ctx, id, claim)
}

// DestroyPlan is what Destroy would do to a view now.
func (x *Executor) DestroyPlan(v View) engine.Plan {
	return engine.Finalize(v.finalizable(), v.Seen, x.Clock.Now())
}

// destroyPlan is what is left to do, by the ledger's time.
func (p *pass) destroyPlan() engine.Plan {
	return engine.Finalize(p.view.finalizable(), p.view.Seen, p.now())
}

// finalizable is everything a finalization has to deal with.
func (v View) finalizable() engine.Desired {
	d := v.Desired
	d.Objects = v.objects()
	return d
}

// finalize carries out one pass of finalization. With everything gone the
// tenant becomes a tombstone.
func (p *pass) finalize(ctx context.Context) (Outcome, error) {
	plan := p.destroyPlan()
	runErr := p.run(ctx, plan)
	outcome := Outcome{Status: ledger.Deleting, View: p.view, Faults: p.faults, acted: p.acted}
	switch {
	case runErr != nil && ctx.Err() == nil:
		return outcome, runErr
	case runErr != nil, len(p.faults) > 0:
		return outcome, p.postpone(ctx, outcome)
	}
	if plan := p.destroyPlan(); !plan.Empty() {
		return outcome, fmt.Errorf("finalize tenant %s: %d objects are left although every action succeeded", p.view.Tenant.ID, len(plan.Actions))
	}
	if back, err := p.verify(ctx); err != nil || len(back) > 0 {
		outcome.View, outcome.Faults = p.view, back
		if err != nil && ctx.Err() == nil {
			return outcome, err
		}
		return outcome, p.postpone(ctx, outcome)
	}
	if err := p.tombstone(len(plan.Actions)); err != nil {
		return outcome, err
	}
	outcome.Status = ledger.Deleted
	return outcome, nil
}

// postpone records why finalization is not done.
func (p *pass) postpone(ctx context.Context, o Outcome) error {
	progress := ledger.Progress{Generation: p.view.Tenant.DesiredGeneration, Status: ledger.Deleting}
	if len(o.Faults) > 0 {
		progress.LastErrorCode, progress.LastError = o.Faults[0].Fault.Code, o.Faults[0].Fault.Error()
	}
	return p.advance(ctx, progress, o.Faults)
}

// tombstone writes the last entry of the evidence and ends the life.
func (p *pass) tombstone(actions int) error {
	gone, err := p.event(event.Deleted, map[string]any{"actions": actions})
	if err != nil {
		return err
	}
	last := ledger.Evidence{
		Time: p.now(), Actor: p.actor, Step: "verify", Outcome: "every object is gone or dated",
		Details: map[string]string{"actions": strconv.Itoa(actions)},
	}
	if err := p.Ledger.Tombstone(p.lasting, p.currentLease(), []event.Event{gone}, []ledger.Evidence{last}); err != nil {
		return fmt.Errorf("end tenant %s: %w", p.view.Tenant.ID, err)
	}
	return nil
}
