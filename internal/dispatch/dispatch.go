// Package dispatch carries events from the ledger's outbox to their sinks.
//
// One round, for each sink: claim what is due, deliver it, settle. A process
// that is killed in between leaves claims that end by themselves, and the events
// come again, under the same ids. See ledger.Delivery for the states.
package dispatch

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"sync"
	"time"

	"golang.org/x/sync/errgroup"

	"github.com/tenantplane/terraform-provider-tenant/internal/clock"
	"github.com/tenantplane/terraform-provider-tenant/internal/event/cloudevent"
	"github.com/tenantplane/terraform-provider-tenant/internal/fault"
	"github.com/tenantplane/terraform-provider-tenant/internal/ledger"
	"github.com/tenantplane/terraform-provider-tenant/internal/pace"
	"github.com/tenantplane/terraform-provider-tenant/internal/sink"
	"github.com/tenantplane/terraform-provider-tenant/internal/tenant"
)

const (
	// batch is how many events of a sink are claimed at a time, of as many
	// tenants; parallel how many are under way.
	batch, parallel = 32, 8
	// defaultHold is how long a claim lasts: longer than a batch takes at its
	// slowest.
	defaultHold = 90 * time.Second
	// maxAttempts is how many refusals make an event dead.
	maxAttempts = 10
	// purgeBatch is how many old events go at a time.
	purgeBatch = 500
	// DefaultRetention is how long events are kept that nobody is owed.
	DefaultRetention = 7 * 24 * time.Hour
)

var (
	// refusals paces an event that its sink refuses: dead after some five hours.
	refusals = pace.Backoff{Base: 30 * time.Second, Max: time.Hour}
	// outages paces a sink that cannot be reached.
	outages = pace.Backoff{Base: 5 * time.Second, Max: 5 * time.Minute}
)

// Dispatcher sends events. It is safe for concurrent use; the ledger's claims
// keep several of them apart.
type Dispatcher struct {
	Ledger       ledger.Store
	Installation tenant.Installation
	// Sinks by the names they are registered with.
	Sinks map[string]sink.Sink
	// Holder names this process in claims.
	Holder string
	// Hold is how long a claim lasts, and so how long the events of a killed
	// process wait; 0 means 90 seconds, which is longer than a batch takes.
	Hold time.Duration
	// Retention is how long events are kept that nobody is owed.
	Retention time.Duration
	Clock     clock.Clock
	Logger    *slog.Logger
}

// Once sends what is due now to every sink, each at most one batch, and deletes
// some of what is too old. more tells that another round is worthwhile at once.
// What a sink does wrong is in the ledger and the log; errors are the ledger's.
func (d *Dispatcher) Once(ctx context.Context) (more bool, err error) {
	states, err := d.Ledger.Sinks(ctx)
	if err != nil {
		return false, fmt.Errorf("load sinks: %w", err)
	}
	var mu sync.Mutex
	var group errgroup.Group
	for _, state := range states {
		to, configured := d.Sinks[state.Name]
		if !configured {
			continue // another process may have it
		}
		group.Go(func() error {
			delivered, err := d.feed(ctx, to, state)
			mu.Lock()
			more = more || delivered > 0
			mu.Unlock()
			return err
		})
	}
	if err := group.Wait(); err != nil || more {
		return more, err
	}
	purged, err := d.Ledger.PurgeEvents(ctx, d.Clock.Now().Add(-d.Retention), purgeBatch)
	if err != nil {
		return false, fmt.Errorf("delete old events: %w", err)
	}
	return purged == purgeBatch, nil
}

// feed sends one batch to one sink and returns how many events it took.
func (d *Dispatcher) feed(ctx context.Context, to sink.Sink, state ledger.Sink) (int, error) {
	claimed, err := d.Ledger.Claim(ctx, state.Name, d.Holder, batch, cmp.Or(d.Hold, defaultHold))
	if err != nil {
		return 0, fmt.Errorf("claim events for sink %s: %w", state.Name, err)
	}
	if len(claimed) == 0 {
		return 0, nil
	}
	outcomes := d.deliverAll(ctx, to, claimed)
	results, health, delivered := d.judge(ctx, state, claimed, outcomes)
	// Whatever ended ctx, what was delivered must not be sent again.
	if err := d.Ledger.SettleDeliveries(context.WithoutCancel(ctx), state.Name, d.Holder, results, health); err != nil {
		return 0, fmt.Errorf("settle events for sink %s: %w", state.Name, err)
	}
	return delivered, nil
}

// errUntried is the outcome of an event that was not sent, since the sink was
// found to be out of reach.
var errUntried = errors.New("not tried")

// deliverAll sends the claimed events, each of another tenant, side by side. The
// first outage ends it.
func (d *Dispatcher) deliverAll(ctx context.Context, to sink.Sink, claimed []ledger.Delivery) []error {
	outcomes := make([]error, len(claimed))
	var out sync.Once
	down := make(chan struct{})
	var group errgroup.Group
	group.SetLimit(parallel)
	for i, c := range claimed {
		group.Go(func() error {
			select {
			case <-down:
				outcomes[i] = errUntried
				return nil
			default:
			}
			outcomes[i] = d.deliver(ctx, to, c)
			if outcomes[i] != nil && !fault.Is(outcomes[i], fault.Terminal) {
				out.Do(func() { close(down) })
			}
			return nil
		})
	}
	_ = group.Wait() // the goroutines return no errors: they are outcomes
	return outcomes
}

func (d *Dispatcher) deliver(ctx context.Context, to sink.Sink, c ledger.Delivery) error {
	body, err := cloudevent.Render(d.Installation, c.Event, c.Position)
	if err != nil {
		return fault.NewTerminal("events.unreadable", "", err.Error(), "report this as a defect of the provider")
	}
	return to.Deliver(ctx, sink.Message{ID: c.Event.ID, Tenant: c.Event.Tenant, Type: c.Event.Type, Body: body})
}

// judge turns outcomes into what the ledger is told. An outage counts against
// the sink and not against the events that met it.
func (d *Dispatcher) judge(ctx context.Context, state ledger.Sink, claimed []ledger.Delivery, outcomes []error) ([]ledger.DeliveryResult, ledger.SinkHealth, int) {
	var results []ledger.DeliveryResult
	var health ledger.SinkHealth
	now, delivered := d.Clock.Now(), 0
	for i, c := range claimed {
		r := ledger.DeliveryResult{EventID: c.Event.ID, Attempts: c.Attempts, NextAt: now}
		switch err := outcomes[i]; {
		case err == nil:
			r.Delivered = true
			delivered++
		case errors.Is(err, errUntried):
		case fault.Is(err, fault.Terminal):
			r.Attempts, r.Error = pace.OneMore(c.Attempts), err.Error()
			r.Dead = r.Attempts >= maxAttempts
			r.NextAt = now.Add(refusals.Jittered(r.Attempts-1, d.Clock.Jitter(refusals.Delay(r.Attempts-1)/4)))
			d.tellRefused(ctx, state.Name, c, r)
		default:
			health = d.outage(ctx, state, err, now)
		}
		results = append(results, r)
	}
	return results, health, delivered
}

// outage is how a sink does after one more outage.
func (d *Dispatcher) outage(ctx context.Context, state ledger.Sink, err error, now time.Time) ledger.SinkHealth {
	h := ledger.SinkHealth{Outages: pace.OneMore(state.Outages), LastError: err.Error()}
	wait := outages.Jittered(h.Outages-1, d.Clock.Jitter(outages.Delay(h.Outages-1)/4))
	h.PausedUntil = now.Add(max(wait, min(fault.From(err).RetryAfter, time.Hour)))
	d.Logger.LogAttrs(ctx, slog.LevelWarn, "a sink is out of reach", slog.String("sink", state.Name),
		slog.Time("until", h.PausedUntil), slog.Int64("outages", h.Outages), slog.String("error", err.Error()))
	return h
}

func (d *Dispatcher) tellRefused(ctx context.Context, name string, c ledger.Delivery, r ledger.DeliveryResult) {
	level, what := slog.LevelWarn, "a sink refused an event"
	if r.Dead {
		level, what = slog.LevelError, "an event is dead"
	}
	d.Logger.LogAttrs(ctx, level, what, slog.String("sink", name), slog.String("event_id", c.Event.ID),
		slog.String("tenant_id", string(c.Event.Tenant)), slog.Int64("attempts", r.Attempts), slog.String("error", r.Error))
}
