package sweep

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"sync"

	"github.com/tenantplane/terraform-provider-tenant/internal/clock"
	"github.com/tenantplane/terraform-provider-tenant/internal/executor"
	"github.com/tenantplane/terraform-provider-tenant/internal/ledger"
	"github.com/tenantplane/terraform-provider-tenant/internal/tenant"
)

// Visit looks after one tenant once and dates its next visit; executor.Visit
// does. faults tells how many things stand between the tenant and its spec.
// Errors are the ledger's own; executor.Busy tells those that only mean that
// somebody else works on the tenant.
type Visit func(ctx context.Context, id tenant.ID) (faults int, err error)

// Dispatch sends events that are due to their sinks; more tells that another
// round is worthwhile at once.
type Dispatch func(ctx context.Context) (more bool, err error)

// Work is what every sweep needs.
type Work struct {
	Ledger ledger.Store
	Visit  Visit
	// Dispatch may be nil: there are no events to send.
	Dispatch Dispatch
	// Workers is how many tenants are visited at a time, at least 1.
	Workers int
	Clock   clock.Clock
	Logger  *slog.Logger
}

// Report is what one sweep did.
type Report struct {
	// Visited counts the tenants; Failing those among them that are not as
	// their spec says.
	Visited int `json:"visited"`
	Failing int `json:"failing"`
	// Busy counts those that somebody else was at work on.
	Busy int `json:"busy"`
	// Undone counts those whose visit the ledger could not record.
	Undone int `json:"undone"`
}

// Once visits every tenant that is due now, each once, and then sends events
// until no more are due. step, if not nil, hears how many are done of how many.
// The error is the ledger's or the context's; what was done is in the report.
func Once(ctx context.Context, w Work, step func(done, of int)) (Report, error) {
	queue, err := w.due(ctx)
	if err != nil {
		return Report{}, err
	}
	report, err := w.visitAll(ctx, queue, step)
	if err != nil {
		return report, err
	}
	return report, w.dispatchAll(ctx)
}

// due lines up what is due now.
func (w Work) due(ctx context.Context) (*lines, error) {
	l := &lines{share: failingWorkers(w.Workers)}
	for health, line := range map[ledger.Health]*[]ledger.Due{ledger.Healthy: &l.healthy, ledger.Failing: &l.failing} {
		due, err := w.Ledger.Due(ctx, ledger.DueFilter{At: w.Clock.Now(), Health: health})
		if err != nil {
			return nil, fmt.Errorf("list due tenants: %w", err)
		}
		*line = due
	}
	return l, nil
}

// visitAll lets the workers loose on the queue.
func (w Work) visitAll(ctx context.Context, queue *lines, step func(done, of int)) (Report, error) {
	var mu sync.Mutex
	var report Report
	var group sync.WaitGroup
	done, of := 0, len(queue.healthy)+len(queue.failing)
	next := func() (ledger.Due, bool, bool) {
		mu.Lock()
		defer mu.Unlock()
		if ctx.Err() != nil {
			return ledger.Due{}, false, false
		}
		return queue.take()
	}
	for range max(1, w.Workers) {
		group.Go(func() {
			for due, failing, ok := next(); ok; due, failing, ok = next() {
				faults, err := w.Visit(ctx, due.ID)
				mu.Lock()
				queue.done(failing)
				report.count(faults, err)
				done++
				if step != nil {
					step(done, of)
				}
				mu.Unlock()
				w.tell(ctx, due.ID, err)
			}
		})
	}
	group.Wait()
	return report, ctx.Err()
}

func (r *Report) count(faults int, err error) {
	switch {
	case err == nil && faults > 0:
		r.Visited++
		r.Failing++
	case err == nil:
		r.Visited++
	case executor.Busy(err):
		r.Busy++
	case errors.Is(err, ledger.ErrNotFound):
	default:
		r.Undone++
	}
}

// tell logs a visit that could not be recorded. What is wrong with a tenant is
// in the ledger and in its own log lines.
func (w Work) tell(ctx context.Context, id tenant.ID, err error) {
	if err == nil || executor.Busy(err) || errors.Is(err, ledger.ErrNotFound) || ctx.Err() != nil {
		return
	}
	w.Logger.LogAttrs(ctx, slog.LevelWarn, "the visit could not be recorded",
		slog.String("tenant_id", string(id)), slog.String("error", err.Error()))
}

// dispatchAll sends events until nothing more is due.
func (w Work) dispatchAll(ctx context.Context) error {
	if w.Dispatch == nil {
		return nil
	}
	for {
		more, err := w.Dispatch(ctx)
		if err != nil {
			return fmt.Errorf("send events: %w", err)
		}
		if !more {
			return nil
		}
	}
}
