package executor

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/tenantplane/terraform-provider-tenant/internal/engine"
	"github.com/tenantplane/terraform-provider-tenant/internal/event"
	"github.com/tenantplane/terraform-provider-tenant/internal/fault"
	"github.com/tenantplane/terraform-provider-tenant/internal/ledger"
	"github.com/tenantplane/terraform-provider-tenant/internal/pace"
	"github.com/tenantplane/terraform-provider-tenant/internal/tenant"
)

// retry paces the passes of one apply; leaseRetry is the pause before asking
// for a lease again, or for what is true now when somebody else moved on.
var (
	retry      = pace.Backoff{Base: 500 * time.Millisecond, Max: 15 * time.Second}
	leaseRetry = 250 * time.Millisecond
)

// outagePatience is how long an apply waits for a backend that is out of reach
// as a whole while nothing else of the tenant moves. Other waits last as long
// as the caller's context.
const outagePatience = 2 * time.Minute

// Outcome is where a tenant stands after a pass or a run of passes.
type Outcome struct {
	Status ledger.Status
	// View is what is known now, the results of the actions included.
	View View
	// Faults are what stands between the tenant and its spec.
	Faults []engine.ObjectFault
	// Interrupted: the context ended before the work did.
	Interrupted bool
	// acted counts the actions that changed something.
	acted int
}

// Request asks for a tenant to have a spec.
type Request struct {
	Spec     tenant.Spec
	Claim    string
	TakeOver bool
	// TakeFrom is whose claim may be taken over; "" for anybody's.
	TakeFrom string
}

// Converge declares the spec and runs passes until the tenant is ready, only
// final faults are left, a backend stays out of reach, or ctx ends; the last is not an error: the outcome
// says Interrupted and what exists is in the ledger. Errors are the ledger's
// own (see package ledger) and *SpecFaults, and then nothing was begun, unless
// the outcome's View holds recorded objects.
func (x *Executor) Converge(ctx context.Context, r Request) (Outcome, error) {
	if _, faults := engine.Compile(x.Components, r.Spec); len(faults) > 0 {
		return Outcome{}, &SpecFaults{Faults: faults}
	}
	if err := x.sameRegion(ctx, r.Spec.Subject); err != nil {
		return Outcome{}, err
	}
	row, err := x.Ledger.Declare(ctx, ledger.Declaration{
		Spec: r.Spec, Claim: r.Claim, TakeOver: r.TakeOver, TakeFrom: r.TakeFrom, CorrelationID: x.NewID(), EventID: x.NewID(),
	})
	if err != nil {
		return Outcome{}, fmt.Errorf("declare tenant %s: %w", r.Spec.Subject.ID, err)
	}
	return x.repeat(ctx, row.ID, r.Claim)
}

// sameRegion refuses to move a living tenant: its objects are where they are,
// and absence in another region proves nothing.
func (x *Executor) sameRegion(ctx context.Context, s tenant.Subject) error {
	row, err := x.Ledger.Tenant(ctx, s.ID)
	if errors.Is(err, ledger.ErrNotFound) {
		return nil
	}
	if err != nil {
		return fmt.Errorf("load tenant %s: %w", s.ID, err)
	}
	if row.Status == ledger.Deleted || row.Region == s.Region {
		return nil
	}
	return &SpecFaults{Faults: []*fault.Fault{fault.NewTerminal("tenant.region", "region",
		fmt.Sprintf("tenant %s lives in region %q and cannot move to %q", s.ID, row.Region, s.Region),
		"destroy it there first, without create_before_destroy")}}
}

// repeat runs passes over a tenant until one leaves nothing to wait for.
func (x *Executor) repeat(ctx context.Context, id tenant.ID, actor string) (Outcome, error) {
	var outcome Outcome
	progress := x.Clock.Now()
	for failures := int64(0); ; {
		next, err := x.pass(ctx, id, actor, outcome)
		switch {
		case ctx.Err() != nil:
			outcome = keepLast(outcome, next)
			outcome.Interrupted = true
			return outcome, nil
		case overtaken(err):
			if x.Clock.Sleep(ctx, leaseRetry) != nil {
				outcome.Interrupted = true
				return outcome, nil
			}
			continue // start over with what is true now
		case errors.Is(err, ledger.ErrLeased):
			if x.Clock.Sleep(ctx, leaseRetry) != nil {
				outcome.Interrupted = true
				return outcome, fmt.Errorf("wait for the lease: %w", err)
			}
			continue
		case err != nil:
			return keepLast(outcome, next), err
		}
		outcome = next
		if outcome.acted > 0 {
			progress = x.Clock.Now()
		}
		outage := allBackendWide(outcome.Faults) && x.Clock.Now().Sub(progress) > outagePatience
		if len(outcome.Faults) == 0 || allFinal(outcome.Faults) || outage {
			return outcome, nil
		}
		delay := max(retry.Jittered(failures, x.Clock.Jitter(retry.Delay(failures)/4)), min(retryAfter(outcome.Faults), retry.Max))
		failures++
		if x.Clock.Sleep(ctx, delay) != nil {
			outcome.Interrupted = true
			return outcome, nil
		}
	}
}

func keepLast(last, next Outcome) Outcome {
	if next.Status == "" {
		return last
	}
	return next
}

// retryAfter is the longest wait that a backend asked for. An apply waits no
// longer than retry.Max of it; the rest is left to next_reconcile_at.
func retryAfter(faults []engine.ObjectFault) time.Duration {
	var longest time.Duration
	for _, f := range faults {
		longest = max(longest, f.Fault.RetryAfter)
	}
	return longest
}

// Pass runs one pass over a tenant: finalization when it is deleting,
// convergence otherwise. actor goes into the evidence.
func (x *Executor) Pass(ctx context.Context, id tenant.ID, actor string) (Outcome, error) {
	return x.pass(ctx, id, actor, Outcome{})
}

// pass is Pass after an earlier pass of the same run over the same generation:
// what that one found to be final is not tried again.
func (x *Executor) pass(ctx context.Context, id tenant.ID, actor string, last Outcome) (outcome Outcome, err error) {
	ctx, ended := x.passSpan(ctx, "tenant.pass", id, actor)
	defer func() { ended(err) }()
	p, ctx, end, err := x.begin(ctx, id, actor)
	if err != nil {
		return Outcome{}, err
	}
	defer end()
	row := p.view.Tenant
	if row.Status == ledger.Deleted {
		return Outcome{Status: ledger.Deleted}, nil // it ended meanwhile: nothing may be made again
	}
	if p.view, err = x.look(ctx, row.Spec, row); err != nil {
		return Outcome{}, err
	}
	p.rememberFinal(last)
	if row.Status == ledger.Deleting {
		return p.finalize(ctx)
	}
	return p.converge(ctx)
}

// converge carries out a forward plan and writes where the tenant stands.
func (p *pass) converge(ctx context.Context) (Outcome, error) {
	runErr := p.resumeArchives(ctx)
	if runErr == nil && len(p.faults) == 0 {
		v := p.view
		runErr = p.run(ctx, engine.Converge(v.Desired, v.Departing, v.Seen, p.now()))
	}
	if runErr != nil && ctx.Err() == nil {
		return Outcome{Status: ledger.Reconciling, View: p.view, Faults: p.faults}, runErr
	}
	outcome := Outcome{Status: statusOf(p.faults), View: p.view, Faults: p.faults, acted: p.acted}
	switch {
	case runErr != nil:
		outcome.Status = ledger.Reconciling
	case outcome.Status == ledger.Ready && p.view.Tenant.IsSuspended():
		outcome.Status = ledger.Suspended
	}
	return outcome, p.conclude(ctx, outcome)
}

// resumeArchives ends the archives that a deletion left open before it was
// taken back, and looks again.
func (p *pass) resumeArchives(ctx context.Context) error {
	plan := engine.InterruptedArchives(p.view.Desired, p.view.Seen, p.now())
	if plan.Empty() {
		return nil
	}
	if err := p.run(ctx, plan); err != nil || len(p.faults) > 0 {
		return err
	}
	view, err := p.look(ctx, p.view.Tenant.Spec, p.view.Tenant)
	if err == nil {
		p.view = view
	}
	return err
}

// conclude writes the tenant's own row after a forward pass.
func (p *pass) conclude(ctx context.Context, o Outcome) error {
	row := p.view.Tenant
	events, err := p.milestones(row, o)
	if err != nil {
		return err
	}
	progress := ledger.Progress{
		Generation: row.DesiredGeneration, Status: o.Status, Observed: settled(o.Status), Examined: settled(o.Status), Events: events,
	}
	if len(o.Faults) > 0 {
		first := o.Faults[0].Fault
		progress.LastErrorCode, progress.LastError = first.Code, first.Error()
	}
	return p.advance(ctx, progress, o.Faults)
}

// advance writes the tenant's own row, with when it is due again.
func (p *pass) advance(ctx context.Context, progress ledger.Progress, faults []engine.ObjectFault) error {
	next, err := p.next(p.lasting, progress.Status, faults)
	if err != nil {
		return err
	}
	progress.FailureCount, progress.NextReconcileAt = next.failures, next.due
	if err := p.Ledger.Advance(p.lasting, p.currentLease(), progress); err != nil {
		return fmt.Errorf("record status of tenant %s: %w", p.view.Tenant.ID, err)
	}
	p.countPass(ctx, progress)
	return nil
}

// settled tells whether a status says that nothing of the spec is left to do.
func settled(s ledger.Status) bool { return s == ledger.Ready || s == ledger.Suspended }

// milestones are the events of a change of status.
func (p *pass) milestones(row ledger.Tenant, o Outcome) ([]event.Event, error) {
	kind := ""
	switch {
	case o.Status == ledger.Ready && row.ObservedGeneration == 0:
		kind = event.OnboardingCompleted
	case o.Status == ledger.Blocked && row.Status != ledger.Blocked:
		kind = event.Blocked
	default:
		return nil, nil
	}
	data := map[string]any{"generation": row.DesiredGeneration, "status": string(o.Status)}
	if len(o.Faults) > 0 {
		data["code"], data["reason"] = o.Faults[0].Fault.Code, o.Faults[0].Fault.Error()
	}
	e, err := p.event(kind, data)
	if err != nil {
		return nil, err
	}
	return []event.Event{e}, nil
}
