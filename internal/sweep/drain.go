package sweep

import (
	"math"
	"time"
)

// drain paces how fast overdue tenants are let go after an outage or a restart,
// so that they neither meet at the backends nor stay together ever after (C70).
// It is not safe for concurrent use.
//
// A backlog drains within window, at a steady rate: the highest that any
// backlog since the last empty one asked for, and never below floor.
type drain struct {
	// window is how long the largest backlog takes.
	window time.Duration
	// floor is how many a second are always let go.
	floor float64
	// rate is what goes at present, in tenants a second.
	rate float64
	// owed is the part of a tenant that earlier calls rounded off.
	owed float64
}

// release returns how many of the overdue tenants go now, after a wait since
// the last call.
func (d *drain) release(overdue int, wait time.Duration) int {
	if overdue <= 0 {
		d.rate, d.owed = 0, 0
		return 0
	}
	d.rate = max(d.rate, d.floor, float64(overdue)/d.window.Seconds())
	d.owed += d.rate * wait.Seconds()
	whole := math.Floor(d.owed)
	d.owed -= whole
	return min(int(whole), overdue)
}
