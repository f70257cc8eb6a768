package ledger

import (
	"encoding/json"
	"time"

	"github.com/tenantplane/terraform-provider-tenant/internal/tenant"
)

// Status is where a tenant stands.
type Status string

// The statuses (DESIGN section 2).
const (
	Pending     Status = "pending"
	Reconciling Status = "reconciling"
	Waiting     Status = "waiting"
	Ready       Status = "ready"
	Degraded    Status = "degraded"
	Failed      Status = "failed"
	Blocked     Status = "blocked"
	Suspended   Status = "suspended"
	Deleting    Status = "deleting"
	Deleted     Status = "deleted"
)

// Condition is where one object stands.
type Condition string

// The conditions (DESIGN section 2).
const (
	ConditionReady           Condition = "Ready"
	ConditionMissing         Condition = "Missing"
	ConditionDrifted         Condition = "Drifted"
	ConditionProgressing     Condition = "Progressing"
	ConditionWaiting         Condition = "Waiting"
	ConditionFailed          Condition = "Failed"
	ConditionBlocked         Condition = "Blocked"
	ConditionPendingDeletion Condition = "PendingDeletion"
	ConditionDisabled        Condition = "Disabled"
	ConditionArchived        Condition = "Archived"
	ConditionDeleted         Condition = "Deleted"
)

// Tenant is one tenant's row.
type Tenant struct {
	ID     tenant.ID
	Region string
	// Spec is the desired state of DesiredGeneration.
	Spec tenant.Spec
	// DesiredGeneration is the version of Spec, from 1, rising only.
	DesiredGeneration tenant.Generation
	// ObservedGeneration is the last version fully processed, rising only,
	// never above DesiredGeneration.
	ObservedGeneration tenant.Generation
	Status             Status
	// Claim says which Terraform state owns the tenant.
	Claim            string
	LastReconciledAt time.Time
	NextReconcileAt  time.Time
	// FailureCount is the number of failed passes in a row, never negative.
	FailureCount int64
	// LastErrorCode and LastError describe the last failure; "" after success.
	LastErrorCode string
	LastError     string
	// CorrelationID ties together the events of one onboarding or deletion.
	CorrelationID string
	CreatedAt     time.Time
	// ExaminedAt is when every object was last looked at; zero before the first
	// time.
	ExaminedAt time.Time
	// PausedUntil and PauseReason are somebody's word that sweeps leave drift
	// alone until then; zero and "" without one.
	PausedUntil time.Time
	PauseReason string
	// SuspendedAt and SuspendReason are somebody's word that access is off;
	// zero and "" without one.
	SuspendedAt   time.Time
	SuspendReason string
}

// IsSuspended tells whether the tenant's access is to be off.
func (t Tenant) IsSuspended() bool { return !t.SuspendedAt.IsZero() }

// Tally is what a circuit breaker remembers of one scope. The zero Tally is a
// scope in good health, and is not stored.
type Tally struct {
	// Failures counts those since Since.
	Failures int64
	Since    time.Time
	// OpenUntil is when the next try may be made; zero while the breaker is
	// closed.
	OpenUntil time.Time
	// Reason is the last failure, for people.
	Reason string
}

// Object is what is remembered of one external object of a tenant.
type Object struct {
	Component string
	Object    string
	// ExternalID is the id the system gave; "" before the first success.
	ExternalID string
	// Name is the deterministic name the object was made under.
	Name string
	// Epoch counts the object's lives, from 1.
	Epoch int64
	// Attempt numbers the creates within the epoch, from 1.
	Attempt   int64
	Condition Condition
	// Message explains the condition to a person; "" when Ready.
	Message string
	// Fields is the content as last observed.
	Fields tenant.Fields
	// Spec is the component's spec the object was last ensured with.
	Spec json.RawMessage
	// Generation is the tenant's generation the object was last ensured for.
	Generation tenant.Generation
	// PendingUntil is set while the object awaits a dated end: an archive
	// whose retention runs, a deletion the system finishes later.
	PendingUntil time.Time
	// DriftSince is when a difference was first seen; zero when there is none.
	DriftSince time.Time
	ObservedAt time.Time
}

// Intent is the note written before a mutating call.
type Intent struct {
	Component string
	Object    string
	// Verb is the engine's verb, e.g. "create".
	Verb string
	// Key is the idempotency key of the call.
	Key string
	// RequestHash is the hash of the canonical request the key is bound to.
	RequestHash string
	// Epoch and Attempt are those in Key.
	Epoch   int64
	Attempt int64
	// FirstUsedAt is when the key was first used: the backend's key window
	// counts from it.
	FirstUsedAt time.Time
	// LastUsedAt is when the call was last about to be sent.
	LastUsedAt time.Time
	// Tries counts how often the intent was opened.
	Tries int64
}

// Evidence is one entry of the hash-chained proof of what was taken away.
type Evidence struct {
	// Sequence numbers the entries of a tenant from 1 without gaps.
	Sequence int64
	Time     time.Time
	// Actor is who asked: a claim, a sweep, an operator.
	Actor string
	// Step is what was done, e.g. "delete domain.record".
	Step string
	// Outcome is the receipt's outcome, e.g. "already absent".
	Outcome string
	// Details holds counts, response ids, archive names; no secrets.
	Details map[string]string
	// Previous is the Hash of the entry before, "" for the first.
	Previous string
	// Hash covers all of the above and the tenant id.
	Hash string
}

// Lease is the right to work on one tenant until Expires. Fence rises with
// every lease of a tenant; a write under an older fence is refused.
type Lease struct {
	Tenant  tenant.ID
	Holder  string
	Fence   int64
	Expires time.Time
}
