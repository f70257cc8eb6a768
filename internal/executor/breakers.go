package executor

import (
	"context"
	"fmt"
	"log/slog"
	"strings"
	"time"

	"github.com/tenantplane/terraform-provider-tenant/internal/backend"
	"github.com/tenantplane/terraform-provider-tenant/internal/fault"
	"github.com/tenantplane/terraform-provider-tenant/internal/ledger"
	"github.com/tenantplane/terraform-provider-tenant/internal/pace"
	"github.com/tenantplane/terraform-provider-tenant/internal/tenant"
)

// codeRests ends the code of the fault for a call that is not made, since the
// backend's breaker is open.
const codeRests = ".rests"

func tenantScope(id tenant.ID) string { return "tenant/" + string(id) }

// backendScope names the backend that serves a component in a region.
func (x *Executor) backendScope(component, region string) string {
	return "backend/" + x.place(component, region)
}

// place is "component" or, where each region has a backend of its own,
// "component/region".
func (x *Executor) place(component, region string) string {
	if x.Regional(component) {
		return component + "/" + region
	}
	return component
}

// rested finds backends as find does, but none whose breaker is open. A ledger
// that cannot say keeps nobody from trying.
func (x *Executor) rested(ctx context.Context, find Backends) Backends {
	return func(component, region string) (backend.Backend, *fault.Fault) {
		now := x.Clock.Now()
		tally, err := x.Ledger.Tally(ctx, x.backendScope(component, region))
		if err != nil || !tallyOf(tally).Open(now) {
			return find(component, region)
		}
		return nil, &fault.Fault{
			Kind: fault.Retryable, Code: component + codeRests, BackendWide: true, RetryAfter: tally.OpenUntil.Sub(now),
			Found: fmt.Sprintf("the %s backend is left alone until %s: %s", component, tally.OpenUntil.UTC().Format(time.RFC3339), tally.Reason),
		}
	}
}

// countBackends counts an outage for each backend that the pass found out of
// reach, and calms the others.
func (p *pass) countBackends(ctx context.Context) error {
	answered, out := map[string]bool{}, map[string]*fault.Fault{}
	region := p.view.Tenant.Region
	note := func(component string, f *fault.Fault) {
		scope := p.backendScope(component, region)
		switch {
		case f == nil, !f.BackendWide:
			answered[scope] = true
		case !strings.HasSuffix(f.Code, codeRests):
			out[scope] = f
		}
	}
	for _, id := range p.observed {
		note(id.Component, p.view.Seen[id].Fault)
	}
	for _, f := range p.faults {
		note(f.Object.Component, f.Fault)
	}
	for scope, f := range out {
		if _, err := p.trip(ctx, scope, p.Patience.Backend, f.Error()); err != nil {
			return err
		}
	}
	for scope := range answered {
		if out[scope] == nil {
			if err := p.calm(ctx, scope); err != nil {
				return err
			}
		}
	}
	return nil
}

// trip counts a failure of a scope and returns until when its breaker is open
// after it; zero while it is closed. Only sweeps count: a person who applies
// waits for nothing but the backend itself.
func (p *pass) trip(ctx context.Context, scope string, breaker pace.Breaker, reason string) (time.Time, error) {
	if !p.visiting {
		return time.Time{}, nil
	}
	for {
		old, err := p.Ledger.Tally(ctx, scope)
		if err != nil {
			return time.Time{}, fmt.Errorf("load the breaker %s: %w", scope, err)
		}
		now := p.now()
		next := breaker.Failed(tallyOf(old), now, p.Clock.Jitter(breaker.Rest/4))
		swapped, err := p.Ledger.SwapTally(ctx, scope, old, ledger.Tally{
			Failures: next.Failures, Since: next.Since, OpenUntil: next.OpenUntil, Reason: reason,
		})
		if err != nil {
			return time.Time{}, fmt.Errorf("count a failure of %s: %w", scope, err)
		}
		if !swapped {
			continue // another worker was first; count on top of it
		}
		if next.Open(now) && !tallyOf(old).Open(now) {
			p.Telemetry.BreakerOpened(ctx, breakerKind(scope))
			p.Logger.LogAttrs(ctx, slog.LevelWarn, "breaker opened", slog.String("scope", scope),
				slog.Time("until", next.OpenUntil), slog.Int64("failures", next.Failures), slog.String("error", reason))
		}
		if !next.Open(now) {
			return time.Time{}, nil
		}
		return next.OpenUntil, nil
	}
}

// calm closes a scope's breaker after a success.
func (p *pass) calm(ctx context.Context, scope string) error {
	if !p.visiting {
		return nil
	}
	old, err := p.Ledger.Tally(ctx, scope)
	if err != nil {
		return fmt.Errorf("load the breaker %s: %w", scope, err)
	}
	if old == (ledger.Tally{}) {
		return nil
	}
	// A failure that another worker counted meanwhile is newer than our success.
	if _, err := p.Ledger.SwapTally(ctx, scope, old, ledger.Tally{}); err != nil {
		return fmt.Errorf("close the breaker %s: %w", scope, err)
	}
	return nil
}

func tallyOf(t ledger.Tally) pace.Tally {
	return pace.Tally{Failures: t.Failures, Since: t.Since, OpenUntil: t.OpenUntil}
}
