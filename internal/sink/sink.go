// Package sink is the contract of what receives events.
package sink

import (
	"context"

	"github.com/tenantplane/terraform-provider-tenant/internal/tenant"
)

// Message is one event on its way to a sink.
type Message struct {
	// ID is the same for ever: a receiver that has seen it drops it.
	ID     string
	Tenant tenant.ID
	// Type is the event's versioned type.
	Type string
	// Body is the event as CloudEvents JSON.
	Body []byte
}

// Sink receives messages, one at a time of each tenant. It is safe for
// concurrent use, opens nothing before the first message, and honours ctx.
// The suite sinktest holds every implementation to this table:
//
//	the receiver                       | result
//	-----------------------------------+---------------------------------------
//	has the message for good           | nil
//	refuses this message               | fault Terminal: another one may do
//	cannot be reached, or is overloaded| fault Retryable, RetryAfter where it says
//	may or may not have it             | fault Retryable: it comes again
type Sink interface {
	Deliver(ctx context.Context, m Message) error
	// Close ends connections.
	Close() error
}
