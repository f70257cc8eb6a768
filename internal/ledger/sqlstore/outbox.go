package sqlstore

import (
	"context"
	"database/sql"
	"errors"
	"math"
	"time"

	"github.com/tenantplane/terraform-provider-tenant/internal/event"
	"github.com/tenantplane/terraform-provider-tenant/internal/ledger"
	"github.com/tenantplane/terraform-provider-tenant/internal/ledger/queries"
	"github.com/tenantplane/terraform-provider-tenant/internal/tenant"
)

// Events implements ledger.Outbox.
func (s *Store) Events(ctx context.Context, f ledger.EventFilter) ([]event.Event, error) {
	atMost := int64(math.MaxInt64)
	if f.Limit > 0 {
		atMost = int64(f.Limit)
	}
	var rows []queries.Outbox
	err := s.read(ctx, func(ctx context.Context, q *queries.Queries) (err error) {
		rows, err = q.ListEvents(ctx, queries.ListEventsParams{TenantID: string(f.Tenant), Types: joined(f.Types), AtMost: atMost})
		return err
	})
	if err != nil {
		return nil, err
	}
	events := make([]event.Event, 0, len(rows))
	for _, row := range rows {
		events = append(events, eventOf(row))
	}
	return events, nil
}

// PurgeEvents implements ledger.Outbox.
func (s *Store) PurgeEvents(ctx context.Context, before time.Time, limit int) (int64, error) {
	var purged int64
	err := s.write(ctx, func(ctx context.Context, tx *transaction) (err error) {
		purged, err = tx.PurgeEvents(ctx, queries.PurgeEventsParams{Before: micros(before), AtMost: int64(limit)})
		return err
	})
	return purged, err
}

// appendEvents puts events into the outbox behind all earlier ones of the
// tenant, whose row the caller holds locked. An event without a time gets the
// ledger's. An id that is there already is the same fact and not added again.
func (tx *transaction) appendEvents(ctx context.Context, id tenant.ID, events []event.Event) error {
	if len(events) == 0 {
		return nil
	}
	last, err := tx.LastPosition(ctx, string(id))
	if err != nil && !errors.Is(err, sql.ErrNoRows) {
		return err
	}
	for _, e := range events {
		if err := checkEvent(id, e); err != nil {
			return err
		}
		if e.Time.IsZero() {
			e.Time = tx.at
		}
		// By the clock, but never before the event ahead of it: clocks are
		// set back, the order of a tenant's events is not.
		last = max(last+1, micros(tx.at))
		if err := tx.putEvent(ctx, e, last); err != nil {
			return err
		}
	}
	return nil
}

func checkEvent(id tenant.ID, e event.Event) error {
	switch {
	case e.ID == "":
		return refuse("tenant %s: a %s event has no id", id, e.Type)
	case e.Tenant != id:
		return refuse("tenant %s: event %s is about tenant %q", id, e.ID, e.Tenant)
	}
	return nil
}

func (tx *transaction) putEvent(ctx context.Context, e event.Event, position int64) error {
	appended, err := tx.AppendEvent(ctx, queries.AppendEventParams{
		EventID:     e.ID,
		TenantID:    string(e.Tenant),
		Position:    position,
		Type:        e.Type,
		Correlation: e.Correlation,
		At:          micros(e.Time),
		Data:        text(string(e.Data)),
	})
	if err != nil || appended == 0 {
		return err
	}
	return tx.OweEvent(ctx, queries.OweEventParams{
		EventID: e.ID, TenantID: string(e.Tenant), Position: position, Now: micros(tx.at), ZeroTime: never,
	})
}

func eventOf(row queries.Outbox) event.Event {
	return event.Event{
		ID:          row.EventID,
		Type:        row.Type,
		Tenant:      tenant.ID(row.TenantID),
		Correlation: row.Correlation,
		Time:        moment(row.At),
		Data:        raw(row.Data),
	}
}
