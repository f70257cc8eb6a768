package executor

import (
	"context"
	"log/slog"
	"time"

	"github.com/tenantplane/terraform-provider-tenant/internal/engine"
	"github.com/tenantplane/terraform-provider-tenant/internal/fault"
)

// report writes one log line per action, with the ten fields of DESIGN
// section 10.
func (p *pass) report(ctx context.Context, st step, begin time.Time, err error) {
	level, outcome := slog.LevelInfo, "done"
	attrs := p.attrs(st)
	if err != nil {
		f := fault.From(err)
		level, outcome = slog.LevelWarn, string(f.Kind)
		attrs = append(attrs, slog.String("code", f.Code), slog.String("error", err.Error()))
	}
	attrs = append(attrs, slog.String("outcome", outcome), slog.String("took", p.Clock.Now().Sub(begin).String()))
	p.Logger.LogAttrs(ctx, level, st.action.ID(), attrs...)
}

// reportForeign writes a line for each object that is somebody else's: nothing
// is called for it, so no action tells of it.
func (p *pass) reportForeign(ctx context.Context, faults []engine.ObjectFault) {
	row := p.view.Tenant
	for _, f := range faults {
		if f.Fault.Kind != fault.Conflict {
			continue
		}
		p.Logger.LogAttrs(ctx, slog.LevelWarn, "foreign owner",
			slog.String("tenant_id", string(row.ID)), slog.String("provider", f.Object.Component),
			slog.String("object", f.Object.String()), slog.String("code", f.Fault.Code),
			slog.String("error", f.Fault.Error()), slog.String("outcome", string(fault.Conflict)),
			slog.String("correlation_id", row.CorrelationID))
	}
}

// attrs are the log fields that identify a step.
func (p *pass) attrs(st step) []slog.Attr {
	row := p.view.Tenant
	return []slog.Attr{
		slog.String("tenant_id", string(row.ID)),
		slog.Int64("desired_generation", int64(row.DesiredGeneration)),
		slog.Int64("observed_generation", int64(row.ObservedGeneration)),
		slog.String("action", st.action.ID()),
		slog.String("provider", st.action.Object.ID.Component),
		slog.String("idempotency_key", st.intent.Key),
		slog.String("external_resource_id", st.target.ExternalID),
		slog.Time("next_reconcile_at", row.NextReconcileAt),
		slog.String("correlation_id", row.CorrelationID),
	}
}
