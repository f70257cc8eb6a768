package ledger

import (
	"context"
	"time"

	"github.com/tenantplane/terraform-provider-tenant/internal/event"
	"github.com/tenantplane/terraform-provider-tenant/internal/tenant"
)

// EventFilter selects events; zero fields do not restrict.
type EventFilter struct {
	Tenant tenant.ID
	Types  []string
	// Limit bounds the result; 0 means no bound.
	Limit int
}

// Delivery is an event that a sink is owed.
//
//	                 claim                    delivered
//	(owed) ◄─────────────────── held ───────────────────► gone
//	   ▲  ────────────────────►  │ │
//	   │    refused: later       │ │ refused once too often
//	   ├─────────────────────────┘ └──────────────────────► dead
//	   │    outage: as before                                │
//	   │    the claim's end: as before                       │
//	   └─────────────────────────────────────────────────────┘ replay
type Delivery struct {
	Sink  string
	Event event.Event
	// Position orders the events of a tenant, rising.
	Position int64
	// Attempts counts how often the sink refused this event.
	Attempts int64
	// LastError is why it was refused the last time; set for dead ones.
	LastError string
}

// DeliveryResult is what became of a claimed delivery.
type DeliveryResult struct {
	EventID string
	// Delivered: the sink has it. Otherwise it is owed as before, from NextAt on.
	Delivered bool
	// Attempts replaces the stored count.
	Attempts int64
	NextAt   time.Time
	// Dead: it is given up until somebody replays it.
	Dead  bool
	Error string
}

// SinkHealth is how a sink does as a whole.
type SinkHealth struct {
	// PausedUntil is when the next event may be sent to it; zero for at once.
	PausedUntil time.Time
	// Outages counts those in a row.
	Outages   int64
	LastError string
}

// Sink is a registered receiver of events.
type Sink struct {
	Name         string
	RegisteredAt time.Time
	SinkHealth
	// Pending and Dead count what it is owed, and what was given up.
	Pending, Dead int64
	// Oldest is the time of the oldest pending event; zero for none.
	Oldest time.Time
}

// Outbox is the part of a Store that carries events to their sinks. Each sink
// is owed each event, from its registration on; the debt is written in the
// transaction that writes the event, so that none can be passed over.
type Outbox interface {
	// Events returns what happened, newest first.
	Events(ctx context.Context, f EventFilter) ([]event.Event, error)
	// RegisterSink makes a sink known; with backlog it is owed the events that
	// are still stored, too. Registering a known one changes nothing.
	RegisterSink(ctx context.Context, name string, backlog bool) error
	// ForgetSink forgets a sink and all it is owed; ErrNotFound for an unknown one.
	ForgetSink(ctx context.Context, name string) error
	// Sinks returns the registered sinks by name.
	Sinks(ctx context.Context) ([]Sink, error)
	// Claim takes up to limit events for a sink: of each tenant the first that is
	// undelivered, if it is due, so that a later one never overtakes and a
	// tenant whose event waits holds up no other. They are the holder's for hold;
	// after that anybody may claim them, and of two who do one gets each. A
	// sink that is paused or unknown is owed nothing now.
	Claim(ctx context.Context, sink, holder string, limit int, hold time.Duration) ([]Delivery, error)
	// SettleDeliveries records what became of claimed deliveries, and how the
	// sink does. Results of a claim that was lost change nothing.
	SettleDeliveries(ctx context.Context, sink, holder string, results []DeliveryResult, health SinkHealth) error
	// DeadDeliveries returns what was given up, of one sink or ("") of all, in
	// order.
	DeadDeliveries(ctx context.Context, sink string) ([]Delivery, error)
	// Replay makes dead deliveries of a sink owed again, in their order, under
	// the same ids: those of a tenant, one event's, or, with both "", all. It
	// returns how many.
	Replay(ctx context.Context, sink string, id tenant.ID, eventID string) (int64, error)
	// PurgeEvents deletes up to limit events older than before that no sink is
	// owed any more, dead ones included, and returns how many. Evidence stays.
	PurgeEvents(ctx context.Context, before time.Time, limit int) (int64, error)
	// OldestTransaction is how long the oldest open transaction of the database
	// has been open: one that is never ended keeps deleted rows from being
	// cleaned up. 0 where that cannot happen.
	OldestTransaction(ctx context.Context) (time.Duration, error)
}
