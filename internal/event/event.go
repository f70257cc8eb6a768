// Package event defines the versioned facts that the ledger's outbox carries.
package event

import (
	"encoding/json"
	"time"

	"github.com/tenantplane/terraform-provider-tenant/internal/tenant"
)

// The event types. A type is a promise: its meaning and the shape of its data
// never change; a new meaning gets a new version.
const (
	RegistrationInitiated = "tenant.registration_initiated.v1"
	ComponentReady        = "tenant.component_ready.v1"
	OnboardingCompleted   = "tenant.onboarding_completed.v1"
	Blocked               = "tenant.blocked.v1"
	DriftDetected         = "tenant.drift_detected.v1"
	DeletionStarted       = "tenant.deletion_started.v1"
	Suspended             = "tenant.suspended.v1"
	Resumed               = "tenant.resumed.v1"
	Deleted               = "tenant.deleted.v1"
)

// Event is one fact about one tenant.
type Event struct {
	// ID is the same for ever, however often the event is delivered.
	ID string `json:"id"`
	// Type is one of the constants above.
	Type string `json:"type"`
	// Tenant is whom the fact is about; events are ordered per tenant.
	Tenant tenant.ID `json:"tenant"`
	// Correlation ties together all events of one onboarding or deletion.
	Correlation string `json:"correlation"`
	// Time is when the fact became true, by the ledger's clock.
	Time time.Time `json:"time"`
	// Data is the type's own JSON object; it never holds secrets.
	Data json.RawMessage `json:"data,omitempty"`
}
