package executor

import (
	"context"
	"strconv"
	"strings"

	"github.com/tenantplane/terraform-provider-tenant/internal/backend"
	"github.com/tenantplane/terraform-provider-tenant/internal/fault"
	"github.com/tenantplane/terraform-provider-tenant/internal/ledger"
	"github.com/tenantplane/terraform-provider-tenant/internal/telemetry"
	"github.com/tenantplane/terraform-provider-tenant/internal/tenant"
)

// span begins a span about one object.
func (x *Executor) span(ctx context.Context, name string, target backend.Target) (context.Context, func(error)) {
	return x.Telemetry.Span(ctx, name, telemetry.Attribute{Name: "tenant.id", Value: string(target.Subject.ID)},
		telemetry.Attribute{Name: "tenant.region", Value: target.Subject.Region},
		telemetry.Attribute{Name: "tenant.object", Value: target.Component + "." + target.Object},
		telemetry.Attribute{Name: "tenant.external_id", Value: target.ExternalID})
}

// passSpan begins the span of a pass.
func (x *Executor) passSpan(ctx context.Context, name string, id tenant.ID, actor string) (context.Context, func(error)) {
	return x.Telemetry.Span(ctx, name, telemetry.Attribute{Name: "tenant.id", Value: string(id)}, telemetry.Attribute{Name: "tenant.actor", Value: actor})
}

// actionSpan begins the span of an action.
func (p *pass) actionSpan(ctx context.Context, st step) (context.Context, func(error)) {
	return p.Telemetry.Span(ctx, "tenant."+string(st.action.Verb), telemetry.Attribute{Name: "tenant.id", Value: string(st.target.Subject.ID)},
		telemetry.Attribute{Name: "tenant.object", Value: st.action.Object.ID.String()},
		telemetry.Attribute{Name: "tenant.idempotency_key", Value: st.intent.Key},
		telemetry.Attribute{Name: "tenant.generation", Value: strconv.FormatInt(int64(p.view.Tenant.DesiredGeneration), 10)},
		telemetry.Attribute{Name: "tenant.correlation_id", Value: p.view.Tenant.CorrelationID})
}

// countAttempt counts an action that was tried.
func (p *pass) countAttempt(ctx context.Context, st step, err error) {
	outcome := "done"
	if err != nil {
		outcome = string(fault.From(err).Kind)
	}
	p.Telemetry.Attempt(ctx, st.action.Object.ID.Component, string(st.action.Verb), outcome)
}

// countPass records what a pass came to.
func (p *pass) countPass(ctx context.Context, progress ledger.Progress) {
	row := p.view.Tenant
	passed := telemetry.Pass{Calls: p.calls.Load(), Failures: progress.FailureCount, Requeue: progress.NextReconcileAt.Sub(p.now())}
	if progress.Observed && row.ObservedGeneration == 0 {
		passed.Converged = p.now().Sub(row.CreatedAt)
	}
	p.Telemetry.Passed(ctx, passed)
}

// breakerKind is what a breaker's scope is of: tenant, backend or absence.
func breakerKind(scope string) string {
	kind, _, _ := strings.Cut(scope, "/")
	return kind
}
