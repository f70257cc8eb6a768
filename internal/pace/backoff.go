// Package pace decides how long to wait before trying again.
package pace

import (
	"math"
	"time"
)

// Backoff is an exponential delay: base·2^failures, never above Max. It is safe
// for any stored count, however absurd.
type Backoff struct {
	// Base is the delay after the first failure; 0 or less counts as 1 s.
	Base time.Duration
	// Max bounds the delay; less than Base counts as Base.
	Max time.Duration
}

// Delay returns the wait after the given number of failures in a row, before
// jitter. It never decreases with failures and always lies in [Base, Max];
// negative counts as zero failures.
func (b Backoff) Delay(failures int64) time.Duration {
	base := b.Base
	if base <= 0 {
		base = time.Second
	}
	limit := max(b.Max, base)
	for delay := base; ; delay *= 2 {
		if failures <= 0 {
			return delay
		}
		if delay > limit/2 {
			return limit
		}
		failures--
	}
}

// Jittered returns Delay and up to extra more, still within [Base, Max]: extra
// is what the caller drew, and a negative one counts as none.
func (b Backoff) Jittered(failures int64, extra time.Duration) time.Duration {
	delay := b.Delay(failures)
	room := max(b.Max, delay) - delay
	return delay + min(max(extra, 0), room)
}

// OneMore returns the count after one more failure. A stored count that cannot
// be one is brought back into range first: negative counts as none, and the
// highest stays the highest instead of turning negative.
func OneMore(failures int64) int64 {
	return min(max(failures, 0), math.MaxInt64-1) + 1
}
