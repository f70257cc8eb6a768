package sqlstore

import (
	"context"
	"database/sql"
	"errors"
	"time"

	"github.com/tenantplane/terraform-provider-tenant/internal/ledger"
	"github.com/tenantplane/terraform-provider-tenant/internal/ledger/queries"
	"github.com/tenantplane/terraform-provider-tenant/internal/tenant"
)

// Claim implements ledger.Outbox.
func (s *Store) Claim(ctx context.Context, sink, holder string, limit int, hold time.Duration) ([]ledger.Delivery, error) {
	var claimed []ledger.Delivery
	err := s.write(ctx, func(ctx context.Context, tx *transaction) error {
		claimed = nil
		if open, err := tx.sinkOpen(ctx, sink); err != nil || !open {
			return err
		}
		rows, err := tx.ListClaimable(ctx, queries.ListClaimableParams{Sink: sink, Now: micros(tx.at), AtMost: int64(limit)})
		if err != nil {
			return err
		}
		for _, row := range rows {
			won, err := tx.ClaimDelivery(ctx, queries.ClaimDeliveryParams{
				Sink: sink, EventID: row.EventID, Holder: holder, HeldUntil: micros(tx.at.Add(hold)),
				OldHolder: row.Holder, OldHeldUntil: row.HeldUntil,
			})
			if err != nil {
				return err
			}
			if won == 0 {
				continue // another dispatcher was first
			}
			stored, err := tx.GetEvent(ctx, row.EventID)
			if err != nil {
				return err
			}
			claimed = append(claimed, ledger.Delivery{Sink: sink, Event: eventOf(stored), Position: stored.Position, Attempts: row.Attempts})
		}
		return nil
	})
	return claimed, err
}

// sinkOpen locks the sink, so that claims on it take turns, reads the time, and
// tells whether anything may be sent to it.
func (tx *transaction) sinkOpen(ctx context.Context, name string) (bool, error) {
	row, err := tx.LockSink(ctx, name)
	if errors.Is(err, sql.ErrNoRows) {
		return false, nil
	}
	if err != nil {
		return false, err
	}
	if err := tx.readClock(ctx); err != nil {
		return false, err
	}
	return row.PausedUntil <= micros(tx.at), nil
}

// SettleDeliveries implements ledger.Outbox.
func (s *Store) SettleDeliveries(ctx context.Context, sink, holder string, results []ledger.DeliveryResult, health ledger.SinkHealth) error {
	return s.write(ctx, func(ctx context.Context, tx *transaction) error {
		if _, err := tx.LockSink(ctx, sink); errors.Is(err, sql.ErrNoRows) {
			return nil // it was forgotten meanwhile, with all it was owed
		} else if err != nil {
			return err
		}
		for _, r := range results {
			if err := tx.settleDelivery(ctx, sink, holder, r); err != nil {
				return err
			}
		}
		return tx.UpdateSink(ctx, queries.UpdateSinkParams{
			Name: sink, PausedUntil: micros(health.PausedUntil), Outages: max(health.Outages, 0), LastError: text(health.LastError),
		})
	})
}

func (tx *transaction) settleDelivery(ctx context.Context, sink, holder string, r ledger.DeliveryResult) error {
	if r.Delivered {
		return tx.DeleteDelivery(ctx, queries.DeleteDeliveryParams{Sink: sink, EventID: r.EventID, Holder: holder})
	}
	var dead int64
	if r.Dead {
		dead = 1
	}
	return tx.PutBackDelivery(ctx, queries.PutBackDeliveryParams{
		Sink: sink, EventID: r.EventID, Holder: holder, Dead: dead, Attempts: r.Attempts, NextAt: micros(r.NextAt),
		ZeroTime: never, LastError: text(r.Error),
	})
}

// DeadDeliveries implements ledger.Outbox.
func (s *Store) DeadDeliveries(ctx context.Context, sink string) ([]ledger.Delivery, error) {
	var rows []queries.ListDeadRow
	err := s.read(ctx, func(ctx context.Context, q *queries.Queries) (err error) {
		rows, err = q.ListDead(ctx, sink)
		return err
	})
	if err != nil {
		return nil, err
	}
	dead := make([]ledger.Delivery, 0, len(rows))
	for _, row := range rows {
		dead = append(dead, ledger.Delivery{
			Sink: row.Sink, Position: row.Position, Attempts: row.Attempts, LastError: row.LastError,
			Event: eventOf(queries.Outbox{
				EventID: row.EventID, TenantID: row.TenantID, Type: row.Type, Correlation: row.Correlation, At: row.At, Data: row.Data,
			}),
		})
	}
	return dead, nil
}

// Replay implements ledger.Outbox.
func (s *Store) Replay(ctx context.Context, sink string, id tenant.ID, eventID string) (int64, error) {
	var replayed int64
	err := s.write(ctx, func(ctx context.Context, tx *transaction) (err error) {
		if err := tx.readClock(ctx); err != nil {
			return err
		}
		replayed, err = tx.ReplayDead(ctx, queries.ReplayDeadParams{Now: micros(tx.at), Sink: sink, TenantID: string(id), EventID: eventID})
		return err
	})
	return replayed, err
}
