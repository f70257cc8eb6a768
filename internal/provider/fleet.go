package provider

import (
	"context"
	"time"

	"github.com/tenantplane/terraform-provider-tenant/internal/ledger"
	"github.com/tenantplane/terraform-provider-tenant/internal/telemetry"
)

// Fleet is what is true of all tenants of the ledger now.
func (s *Session) Fleet(ctx context.Context) (telemetry.Fleet, error) {
	fleet, err := s.ledger.Fleet(ctx)
	if err != nil {
		return telemetry.Fleet{}, err
	}
	sinks, err := s.ledger.Sinks(ctx)
	if err != nil {
		return telemetry.Fleet{}, err
	}
	open, err := s.ledger.OldestTransaction(ctx)
	if err != nil {
		return telemetry.Fleet{}, err
	}
	now := s.Executor.Clock.Now()
	f := telemetry.Fleet{OldestDrift: age(fleet.OldestDrift, now), Stuck: map[string]int64{}, Gap: fleet.Gap, OldestTransaction: open}
	for status, n := range fleet.ByStatus {
		if status != ledger.Ready && status != ledger.Suspended {
			f.Stuck[string(status)] = n
		}
	}
	for _, sink := range sinks {
		f.Sinks = append(f.Sinks, telemetry.Sink{Name: sink.Name, Pending: sink.Pending, Dead: sink.Dead, Oldest: age(sink.Oldest, now)})
	}
	return f, nil
}

// age is how long ago a moment was; 0 for none.
func age(since, now time.Time) time.Duration {
	if since.IsZero() {
		return 0
	}
	return max(now.Sub(since), 0)
}
