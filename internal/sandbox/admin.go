package sandbox

import (
	"github.com/tenantplane/terraform-provider-tenant/internal/sandbox/admin"
	"github.com/tenantplane/terraform-provider-tenant/internal/sandbox/gate"
)

// The words of the admin endpoint, see their packages.
type (
	// Admin is a client of a sandbox's admin endpoint: Admin{BaseURL: server.AdminURL()}.
	Admin = admin.Client
	// Filter narrows or widens an inventory.
	Filter = admin.Filter
	// Inventory is all objects there are.
	Inventory = admin.Inventory
	// Object is one object of the inventory.
	Object = admin.Object
	// Request is one line of the log of requests.
	Request = admin.Request
	// RecordSet is a DNS record set to put out of band.
	RecordSet = admin.RecordSet
	// Fault is a trouble that waits for calls to hit.
	Fault = gate.Fault
	// Effect is what a fault does; gate documents each.
	Effect = gate.Effect
	// Duration is a time.Duration that is written like "1.5s" in JSON.
	Duration = gate.Duration
)

// The effects of faults, see gate.
const (
	Latency       = gate.Latency
	TimeoutBefore = gate.TimeoutBefore
	TimeoutAfter  = gate.TimeoutAfter
	DropBefore    = gate.DropBefore
	DropAfter     = gate.DropAfter
	KeyInUse      = gate.KeyInUse
	RateLimit     = gate.RateLimit
	LockTimeout   = gate.LockTimeout
	ServerError   = gate.ServerError
	StoredError   = gate.StoredError
	Unavailable   = gate.Unavailable
	Unauthorized  = gate.Unauthorized
	Forbidden     = gate.Forbidden
	HTML          = gate.HTML
	Truncated     = gate.Truncated
	HideCreated   = gate.HideCreated
)
