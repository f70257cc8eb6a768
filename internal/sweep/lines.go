package sweep

import "github.com/tenantplane/terraform-provider-tenant/internal/ledger"

// FailingShare is the part of the workers that tenants which keep failing may
// use: one of this many, at least one. The others are never held up by them.
const FailingShare = 4

// failingWorkers is how many of the workers failing tenants may use.
func failingWorkers(workers int) int { return max(1, workers/FailingShare) }

// lines are the tenants of one sweep that wait for a worker, in two lines.
// Failing tenants have their share of the workers, and all of them when nobody
// else waits.
type lines struct {
	healthy, failing []ledger.Due
	// share is how many failing tenants may be visited at a time.
	share int
	// visiting counts the failing ones being visited.
	visiting int
}

// take returns the next tenant to visit, and which line it stood in; ok is
// false when nobody waits.
func (l *lines) take() (next ledger.Due, failing, ok bool) {
	if len(l.failing) > 0 && (l.visiting < l.share || len(l.healthy) == 0) {
		next, l.failing = l.failing[0], l.failing[1:]
		l.visiting++
		return next, true, true
	}
	if len(l.healthy) > 0 {
		next, l.healthy = l.healthy[0], l.healthy[1:]
		return next, false, true
	}
	return ledger.Due{}, false, false
}

// done gives a worker back.
func (l *lines) done(failing bool) {
	if failing {
		l.visiting--
	}
}
