package engine

import (
	"encoding/json"

	"github.com/tenantplane/terraform-provider-tenant/internal/fault"
	"github.com/tenantplane/terraform-provider-tenant/internal/tenant"
)

// ObjectID names one external object of a tenant, e.g. billing.customer.
type ObjectID struct {
	Component string
	Object    string
}

// String returns "component.object".
func (id ObjectID) String() string { return id.Component + "." + id.Object }

// Finalization says how an object leaves (DESIGN section 8). The zero value is
// an object that is simply removed in reverse dependency order.
type Finalization struct {
	// AccessOff: the object lets people or programs in and is disabled before
	// anything is removed.
	AccessOff bool
	// Billable: the object costs the customer money and is removed right after
	// access is off.
	Billable bool
	// Data is what becomes of the data in the object; "" for an object that
	// holds none.
	Data tenant.DataPolicy
	// RetentionDays is how long archived data is kept.
	RetentionDays int64
	// Last: the object is the audit record and outlives everything else.
	Last bool
}

// Object is one external object as the spec wants it.
type Object struct {
	ID ObjectID
	// Name is the deterministic external name; "" where the system gives ids
	// only.
	Name string
	// Path is the attribute path that stands for the object in messages.
	Path string
	// Fields is the content wanted, in canonical form.
	Fields tenant.Fields
	// Inputs is material the calls need that is not content to compare, such
	// as the text of seed files whose hashes are in Fields. No secrets.
	Inputs map[string]string
	// Immutable lists fields that cannot change while the object lives; a
	// change to one is a terminal fault, never a replacement.
	Immutable []string
	// Needs lists objects that must be ready before this one is created, in
	// addition to those of the components its component depends on.
	Needs []ObjectID
	// AdoptIdentical: an object without marker whose content equals Fields may
	// be taken over without asking, since taking over changes nothing (a DNS
	// rrset). Containers of data never set it.
	AdoptIdentical bool
	// Adopt is the user's explicit word on objects without our marker:
	// "" (refuse), "matching" or "overwrite".
	Adopt string
	// Finalization says how the object leaves.
	Finalization Finalization
	// Spec is the component's spec the object was compiled from. The ledger
	// keeps it, so that an object can be finalized after its component left
	// the configuration.
	Spec json.RawMessage
}

// Component is the pure half of one component: it compiles its spec into
// objects. Implementations are stateless and safe for concurrent use.
type Component interface {
	// Name is the component's name and its attribute in HCL, e.g. "billing".
	Name() string
	// DependsOn lists the components that must be ready first. Components the
	// tenant does not use are ignored.
	DependsOn() []string
	// Compile checks the spec and returns the objects it stands for, in
	// creation order. With faults, all of them Terminal with attribute paths
	// below the component's name, the objects are meaningless. Deletion is the
	// tenant's policy, which a component's own policy overrides.
	Compile(subject tenant.Subject, deletion tenant.Deletion, spec json.RawMessage) ([]Object, []*fault.Fault)
}
