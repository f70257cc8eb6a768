package sqlstore

import (
	"context"
	"time"

	"github.com/tenantplane/terraform-provider-tenant/internal/ledger"
	"github.com/tenantplane/terraform-provider-tenant/internal/ledger/queries"
)

// RegisterSink implements ledger.Outbox.
func (s *Store) RegisterSink(ctx context.Context, name string, backlog bool) error {
	known, err := s.Sinks(ctx)
	if err != nil {
		return err
	}
	for _, sink := range known {
		if sink.Name == name {
			return nil // the usual case takes no lock
		}
	}
	return s.write(ctx, func(ctx context.Context, tx *transaction) error {
		if err := tx.freeze(ctx, s.dialect); err != nil {
			return err
		}
		now := micros(tx.at)
		inserted, err := tx.InsertSink(ctx, queries.InsertSinkParams{Name: name, RegisteredAt: now, PausedUntil: never})
		if err != nil || inserted == 0 || !backlog {
			return err
		}
		return tx.OweBacklog(ctx, queries.OweBacklogParams{Sink: name, Now: now, ZeroTime: never})
	})
}

// ForgetSink implements ledger.Outbox.
func (s *Store) ForgetSink(ctx context.Context, name string) error {
	return s.write(ctx, func(ctx context.Context, tx *transaction) error {
		if err := tx.freeze(ctx, s.dialect); err != nil {
			return err
		}
		if err := tx.DeleteDeliveriesOf(ctx, name); err != nil {
			return err
		}
		deleted, err := tx.DeleteSink(ctx, name)
		if err == nil && deleted == 0 {
			return refuse("sink %q: %w", name, ledger.ErrNotFound)
		}
		return err
	})
}

// freeze stops the appending of events and reads the time.
func (tx *transaction) freeze(ctx context.Context, d Dialect) error {
	if d.FreezeEvents != nil {
		if err := d.FreezeEvents(ctx, tx.db); err != nil {
			return err
		}
	}
	return tx.readClock(ctx)
}

// Sinks implements ledger.Outbox.
func (s *Store) Sinks(ctx context.Context) ([]ledger.Sink, error) {
	var rows []queries.ListSinksRow
	err := s.read(ctx, func(ctx context.Context, q *queries.Queries) (err error) {
		rows, err = q.ListSinks(ctx, never)
		return err
	})
	if err != nil {
		return nil, err
	}
	sinks := make([]ledger.Sink, 0, len(rows))
	for _, row := range rows {
		sinks = append(sinks, ledger.Sink{
			Name: row.Name, RegisteredAt: moment(row.RegisteredAt), Pending: row.Pending, Dead: row.Dead, Oldest: moment(row.Oldest),
			SinkHealth: ledger.SinkHealth{PausedUntil: moment(row.PausedUntil), Outages: row.Outages, LastError: row.LastError},
		})
	}
	return sinks, nil
}

// OldestTransaction implements ledger.Outbox.
func (s *Store) OldestTransaction(ctx context.Context) (age time.Duration, err error) {
	if s.dialect.OldestTransaction == nil {
		return 0, nil
	}
	err = s.again(ctx, func(ctx context.Context) (err error) {
		age, err = s.dialect.OldestTransaction(ctx, s.db)
		return err
	})
	return age, err
}
