package tenant

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
)

// Generation counts the versions of a tenant's spec, from 1. A tenant whose
// observed generation equals the desired one was fully processed.
type Generation int64

// Subject is who a component acts for: the part of a tenant that every
// component may use and that never changes within the tenant's life, except
// for the display name.
type Subject struct {
	Installation Installation `json:"installation"`
	ID           ID           `json:"id"`
	DisplayName  string       `json:"display_name"`
	Region       string       `json:"region"`
}

// Marker is the marker that objects of this subject carry.
func (s Subject) Marker() Marker {
	return Marker{Installation: s.Installation, Tenant: s.ID, Region: s.Region}
}

// DataPolicy says what becomes of a tenant's data when the tenant goes.
type DataPolicy string

// The data policies.
const (
	// RetainData refuses to remove a container that still holds data.
	RetainData DataPolicy = "retain"
	// ArchiveData puts the data out of reach and keeps it for the retention.
	ArchiveData DataPolicy = "archive"
	// DeleteData destroys the data at once.
	DeleteData DataPolicy = "delete"
)

// Deletion is the tenant's policy for its own end.
type Deletion struct {
	// Protection refuses destruction at plan time.
	Protection bool `json:"protection,omitempty"`
	// Data is the policy for databases and storage; "" means RetainData.
	Data DataPolicy `json:"data,omitempty"`
	// RetentionDays is how long archived data is kept, 0 to 3650 days.
	RetentionDays int64 `json:"retention_days,omitempty"`
}

// Spec is what the user wants of one tenant. Components holds each enabled
// component's own spec by component name; only the component reads it.
type Spec struct {
	Subject    Subject                    `json:"subject"`
	Components map[string]json.RawMessage `json:"components"`
	Deletion   Deletion                   `json:"deletion"`
	Drift      Drift                      `json:"drift"`
}

// Fingerprint is a hash of the whole spec, equal for equal specs; the ledger
// raises the generation when it changes. It fails only on malformed component
// specs.
func (s Spec) Fingerprint() (string, error) {
	text, err := json.Marshal(s)
	if err != nil {
		return "", fmt.Errorf("encode spec of tenant %s: %w", s.Subject.ID, err)
	}
	sum := sha256.Sum256(text)
	return hex.EncodeToString(sum[:]), nil
}
