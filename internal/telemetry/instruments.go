package telemetry

import (
	"context"
	"errors"
	"time"

	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/metric"
)

// instruments are the metrics of DESIGN section 10. Times are in seconds.
type instruments struct {
	attempts    metric.Int64Counter
	convergence metric.Float64Histogram
	calls       metric.Int64Histogram
	failures    metric.Int64Histogram
	requeue     metric.Float64Histogram
	breakers    metric.Int64Counter
	// Gauges that are read from the ledger when somebody asks.
	driftAge, oldestEvent, oldestTransaction metric.Float64ObservableGauge
	stuck, gap, pending, dead                metric.Int64ObservableGauge
}

func newInstruments(m metric.Meter) (*instruments, error) {
	var i instruments
	var errs []error
	note := func(err error) { errs = append(errs, err) }
	var err error
	i.attempts, err = m.Int64Counter("tenant.attempts", metric.WithUnit("{attempt}"), metric.WithDescription("Actions tried, by component, action and outcome."))
	note(err)
	i.convergence, err = m.Float64Histogram("tenant.convergence.duration", metric.WithUnit("s"),
		metric.WithDescription("Time from a tenant's declaration to its first being ready."),
		metric.WithExplicitBucketBoundaries(1, 2, 5, 10, 30, 60, 120, 300, 900, 3600, 14400, 86400))
	note(err)
	i.calls, err = m.Int64Histogram("tenant.calls", metric.WithUnit("{call}"), metric.WithDescription("Calls to backends in one pass over a tenant."),
		metric.WithExplicitBucketBoundaries(0, 1, 2, 4, 8, 16, 32, 64))
	note(err)
	i.failures, err = m.Int64Histogram("tenant.failures", metric.WithUnit("{failure}"), metric.WithDescription("Failures of a tenant in a row, after each pass that failed."),
		metric.WithExplicitBucketBoundaries(1, 2, 3, 5, 10, 20, 50, 100))
	note(err)
	i.requeue, err = m.Float64Histogram("tenant.requeue.delay", metric.WithUnit("s"), metric.WithDescription("Time until a tenant is due again, after each pass."),
		metric.WithExplicitBucketBoundaries(1, 5, 15, 60, 300, 900, 1800, 3600, 7200))
	note(err)
	i.breakers, err = m.Int64Counter("tenant.breaker.activations", metric.WithUnit("{activation}"), metric.WithDescription("Breakers that opened, by kind: tenant, backend, absence."))
	note(err)
	i.driftAge, err = m.Float64ObservableGauge("tenant.drift.oldest.age", metric.WithUnit("s"), metric.WithDescription("Age of the oldest drift that was not mended."))
	note(err)
	i.stuck, err = m.Int64ObservableGauge("tenant.stuck", metric.WithUnit("{tenant}"), metric.WithDescription("Tenants that are not ready, by status."))
	note(err)
	i.gap, err = m.Int64ObservableGauge("tenant.generation.gap", metric.WithUnit("{generation}"), metric.WithDescription("Most generations that any tenant is behind its spec."))
	note(err)
	i.pending, err = m.Int64ObservableGauge("tenant.events.pending", metric.WithUnit("{event}"), metric.WithDescription("Events a sink is owed, by sink."))
	note(err)
	i.dead, err = m.Int64ObservableGauge("tenant.events.dead", metric.WithUnit("{event}"), metric.WithDescription("Events that were given up, by sink."))
	note(err)
	i.oldestEvent, err = m.Float64ObservableGauge("tenant.events.oldest.age", metric.WithUnit("s"), metric.WithDescription("Age of the oldest event a sink is owed, by sink."))
	note(err)
	i.oldestTransaction, err = m.Float64ObservableGauge("tenant.ledger.transaction.oldest.age", metric.WithUnit("s"),
		metric.WithDescription("Age of the oldest open transaction of the ledger's database: one that stays open keeps deleted rows."))
	note(err)
	return &i, errors.Join(errs...)
}

// Attempt counts an action that was tried.
func (t *Telemetry) Attempt(ctx context.Context, component, action, outcome string) {
	if t == nil || t.instruments == nil {
		return
	}
	t.instruments.attempts.Add(ctx, 1, metric.WithAttributes(
		attribute.String("component", component), attribute.String("action", action), attribute.String("outcome", outcome)))
}

// Pass is what one pass over a tenant came to.
type Pass struct {
	// Calls counts calls to backends.
	Calls int64
	// Failures are those in a row; 0 after a success.
	Failures int64
	// Requeue is when the tenant is due again.
	Requeue time.Duration
	// Converged is how long the tenant took to be ready for the first time; 0 for
	// any other pass.
	Converged time.Duration
}

// Passed records a pass.
func (t *Telemetry) Passed(ctx context.Context, p Pass) {
	if t == nil || t.instruments == nil {
		return
	}
	t.instruments.calls.Record(ctx, p.Calls)
	t.instruments.requeue.Record(ctx, max(p.Requeue, 0).Seconds())
	if p.Failures > 0 {
		t.instruments.failures.Record(ctx, p.Failures)
	}
	if p.Converged > 0 {
		t.instruments.convergence.Record(ctx, p.Converged.Seconds())
	}
}

// BreakerOpened counts a breaker that opened. kind is tenant, backend or absence.
func (t *Telemetry) BreakerOpened(ctx context.Context, kind string) {
	if t == nil || t.instruments == nil {
		return
	}
	t.instruments.breakers.Add(ctx, 1, metric.WithAttributes(attribute.String("kind", kind)))
}

// Fleet is what is true of all tenants at one moment.
type Fleet struct {
	// OldestDrift is the age of the oldest drift; 0 for none.
	OldestDrift time.Duration
	// Stuck counts tenants that are not ready, by status.
	Stuck map[string]int64
	// Gap is the most generations any tenant is behind.
	Gap   int64
	Sinks []Sink
	// OldestTransaction is the age of the database's oldest open transaction.
	OldestTransaction time.Duration
}

// Sink is how one sink of events does.
type Sink struct {
	Name          string
	Pending, Dead int64
	Oldest        time.Duration
}

// ObserveFleet has the gauges read with look, whenever they are asked for.
func (t *Telemetry) ObserveFleet(look func(context.Context) (Fleet, error)) error {
	if t == nil || t.instruments == nil {
		return nil
	}
	i := t.instruments
	_, err := t.meters.Meter(scope).RegisterCallback(func(ctx context.Context, o metric.Observer) error {
		f, err := look(ctx)
		if err != nil {
			return err
		}
		o.ObserveFloat64(i.driftAge, f.OldestDrift.Seconds())
		o.ObserveInt64(i.gap, f.Gap)
		o.ObserveFloat64(i.oldestTransaction, f.OldestTransaction.Seconds())
		for status, n := range f.Stuck {
			o.ObserveInt64(i.stuck, n, metric.WithAttributes(attribute.String("status", status)))
		}
		for _, s := range f.Sinks {
			of := metric.WithAttributes(attribute.String("sink", s.Name))
			o.ObserveInt64(i.pending, s.Pending, of)
			o.ObserveInt64(i.dead, s.Dead, of)
			o.ObserveFloat64(i.oldestEvent, s.Oldest.Seconds(), of)
		}
		return nil
	}, i.driftAge, i.gap, i.oldestTransaction, i.stuck, i.pending, i.dead, i.oldestEvent)
	return err
}
