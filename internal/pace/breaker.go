package pace

import "time"

// Breaker decides when something that keeps failing is left alone for a while.
//
//	closed ── Failures within Within ──► open ── Rest is over ──► half open
//	   ▲                                  ▲                          │
//	   │                                  └──────── a failure ───────┤
//	   └───────────────────────── a success ─────────────────────────┘
//
// Half open is not stored: it is an open breaker whose rest is over.
type Breaker struct {
	// Failures is how many open the breaker; less than 1 counts as 1.
	Failures int64
	// Within is how long failures count; 0 or less: for ever.
	Within time.Duration
	// Rest is how long an opened breaker stays open.
	Rest time.Duration
}

// Tally is what a Breaker remembers of one scope; the zero Tally is closed.
type Tally struct {
	Failures int64
	// Since is when the first of Failures happened.
	Since time.Time
	// OpenUntil is the end of the rest; zero while closed.
	OpenUntil time.Time
}

// Open tells whether no try may be made now.
func (t Tally) Open(now time.Time) bool { return now.Before(t.OpenUntil) }

// Failed returns the tally after one more failure. extra prolongs the rest, so
// that many breakers that opened at once do not close at once; a negative one
// counts as none. A failure while the breaker is open changes nothing: it began
// before.
func (b Breaker) Failed(t Tally, now time.Time, extra time.Duration) Tally {
	if t.Open(now) {
		return t
	}
	halfOpen := !t.OpenUntil.IsZero()
	outdated := b.Within > 0 && (now.Sub(t.Since) > b.Within || now.Before(t.Since))
	if t.Failures <= 0 || outdated && !halfOpen {
		t = Tally{Since: now}
	}
	t.Failures = OneMore(t.Failures)
	if halfOpen || t.Failures >= max(b.Failures, 1) {
		t.OpenUntil = now.Add(b.Rest + max(extra, 0))
	}
	return t
}
