package admin

import (
	"encoding/json"
	"time"

	"github.com/tenantplane/terraform-provider-tenant/internal/sandbox/state"
)

// Object is one line of the inventory.
type Object struct {
	System string `json:"system"`
	// Kind is zone, rrset, organization, customer, subscription, price or product.
	Kind string `json:"kind"`
	ID   string `json:"id"`
	Name string `json:"name"`
	// Tenant, Installation and Region are the marker the object carries.
	Tenant       string `json:"tenant,omitempty"`
	Installation string `json:"installation,omitempty"`
	Region       string `json:"region,omitempty"`
	// Live is false for deleted customers, cancelled subscriptions and
	// archived prices, which the vendor still remembers.
	Live bool `json:"live"`
	// Fixture objects were there from the beginning.
	Fixture bool `json:"fixture,omitempty"`
	// Body is the vendor's representation.
	Body json.RawMessage `json:"body"`
}

// Inventory is what GET /objects answers.
type Inventory struct {
	Objects []Object `json:"objects"`
	// Counts counts Objects by "system/kind".
	Counts map[string]int `json:"counts"`
}

// Request is one line of the log.
type Request struct {
	ID             int64     `json:"id"`
	At             time.Time `json:"at"`
	System         string    `json:"system"`
	Method         string    `json:"method"`
	Path           string    `json:"path"`
	Query          string    `json:"query,omitempty"`
	IdempotencyKey string    `json:"idempotency_key,omitempty"`
	// Status is 0 when the client got no answer.
	Status   int  `json:"status"`
	Replayed bool `json:"replayed,omitempty"`
	// Fault is the effect of the fault that hit the request.
	Fault      string  `json:"fault,omitempty"`
	DurationMS float64 `json:"duration_ms"`
}

// RecordSet is a DNS record set to put behind the clients' back.
type RecordSet struct {
	TTL      int      `json:"ttl"`
	Contents []string `json:"contents"`
}

func fromObject(o state.Object) Object {
	return Object{
		System: o.System, Kind: o.Kind, ID: o.ID, Name: o.Name, Live: o.Live, Fixture: o.Fixture, Body: o.Body,
		Tenant: string(o.Marker.Tenant), Installation: string(o.Marker.Installation), Region: o.Marker.Region,
	}
}

func fromRequest(r state.Request) Request {
	return Request{
		ID: r.ID, At: r.At, System: r.System, Method: r.Method, Path: r.Path, Query: r.Query, IdempotencyKey: r.IdempotencyKey,
		Status: r.Status, Replayed: r.Replayed, Fault: r.Fault, DurationMS: float64(r.Duration.Microseconds()) / 1000,
	}
}
