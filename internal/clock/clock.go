// Package clock is where time and jitter come from. Everything that needs
// either takes a Clock, so that tests and the simulation own both.
package clock

import (
	"context"
	"math/rand/v2"
	"sync"
	"time"
)

// Clock tells the time, waits and draws jitter.
type Clock interface {
	// Now returns the current time in UTC.
	Now() time.Time
	// Sleep waits for d or until ctx ends, whose error it then returns.
	Sleep(ctx context.Context, d time.Duration) error
	// Jitter draws uniformly from [0, limit); 0 for a limit of 0 or less.
	Jitter(limit time.Duration) time.Duration
}

// System is the real clock.
type System struct{}

// Now implements Clock.
func (System) Now() time.Time { return time.Now().UTC() }

// Sleep implements Clock.
func (System) Sleep(ctx context.Context, d time.Duration) error {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-ctx.Done():
		return ctx.Err()
	case <-timer.C:
		return nil
	}
}

// Jitter implements Clock.
func (System) Jitter(limit time.Duration) time.Duration {
	if limit <= 0 {
		return 0
	}
	return rand.N(limit)
}

// Virtual is a clock that stands still until it is told to move. Sleep moves
// it forward at once, so that code under test never really waits. Jitter is
// always half the limit. Safe for concurrent use.
type Virtual struct {
	mu  sync.Mutex
	now time.Time
}

// NewVirtual returns a clock that shows start.
func NewVirtual(start time.Time) *Virtual { return &Virtual{now: start.UTC()} }

// Now implements Clock.
func (v *Virtual) Now() time.Time {
	v.mu.Lock()
	defer v.mu.Unlock()
	return v.now
}

// Advance moves the clock by d, which may be negative.
func (v *Virtual) Advance(d time.Duration) {
	v.mu.Lock()
	defer v.mu.Unlock()
	v.now = v.now.Add(d)
}

// Sleep implements Clock.
func (v *Virtual) Sleep(ctx context.Context, d time.Duration) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	v.Advance(d)
	return nil
}

// Jitter implements Clock.
func (*Virtual) Jitter(limit time.Duration) time.Duration { return max(limit, 0) / 2 }
