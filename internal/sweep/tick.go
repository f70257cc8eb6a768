package sweep

import (
	"context"
	"fmt"
	"sync"
	"time"

	"github.com/riverqueue/river"

	"github.com/tenantplane/terraform-provider-tenant/internal/ledger"
)

// maxLine bounds how many due tenants one tick looks at, maxBehind how many of
// those that are behind their spec it lines up: the next tick takes the next.
const (
	maxLine   = 20_000
	maxBehind = 500
)

// ticker works tick jobs: it lines up due tenants as visit jobs.
type ticker struct {
	river.WorkerDefaults[tickArgs]
	work  Work
	every time.Duration
	round time.Duration
	// insert puts jobs into the queues.
	insert func(ctx context.Context, jobs []river.InsertManyParams) error

	mu    sync.Mutex
	drain map[ledger.Health]*drain
}

// Work implements river.Worker.
func (t *ticker) Work(ctx context.Context, _ *river.Job[tickArgs]) error {
	if err := t.lineUp(ctx); err != nil && ctx.Err() == nil {
		t.work.Logger.WarnContext(ctx, "due tenants could not be lined up", "error", err.Error())
	}
	return nil
}

// lineUp inserts the visits that go with this tick: tenants that are behind
// their spec at once, the others as the drain lets them.
func (t *ticker) lineUp(ctx context.Context) error {
	t.mu.Lock()
	defer t.mu.Unlock()
	now := t.work.Clock.Now()
	var jobs []river.InsertManyParams
	for _, health := range []ledger.Health{ledger.Healthy, ledger.Failing} {
		due, err := t.work.Ledger.Due(ctx, ledger.DueFilter{At: now, Health: health, Limit: maxLine})
		if err != nil {
			return fmt.Errorf("list due tenants: %w", err)
		}
		behind, rest := partition(due)
		if health == ledger.Failing {
			behind, rest = nil, due // those that fail have had their first try
		}
		behind = behind[:min(len(behind), maxBehind)]
		rest = rest[:t.drain[health].release(len(rest), t.every)]
		for _, d := range append(behind, rest...) {
			jobs = append(jobs, visitJob(d, health == ledger.Failing, roundOf(now, t.round)))
		}
	}
	return t.insert(ctx, jobs)
}

// roundOf numbers the span of time that now is in.
func roundOf(now time.Time, round time.Duration) int64 { return now.UnixMilli() / round.Milliseconds() }

// partition keeps apart the tenants that wait for their spec to come true.
func partition(due []ledger.Due) (behind, rest []ledger.Due) {
	for _, d := range due {
		if d.Behind {
			behind = append(behind, d)
		} else {
			rest = append(rest, d)
		}
	}
	return behind, rest
}
