package billing

import (
	"cmp"
	"encoding/json"

	"github.com/tenantplane/terraform-provider-tenant/internal/engine"
	"github.com/tenantplane/terraform-provider-tenant/internal/fault"
	"github.com/tenantplane/terraform-provider-tenant/internal/tenant"
)

// Names of the component and of its objects.
const (
	Name         = "billing"
	Customer     = "customer"
	Subscription = "subscription"
)

// CustomerID and SubscriptionID name the objects within a tenant.
var (
	CustomerID     = engine.ObjectID{Component: Name, Object: Customer}
	SubscriptionID = engine.ObjectID{Component: Name, Object: Subscription}
)

// Component compiles billing specs. The zero value is ready.
type Component struct{}

var _ engine.Component = Component{}

// Name implements engine.Component.
func (Component) Name() string { return Name }

// DependsOn implements engine.Component.
func (Component) DependsOn() []string { return nil }

// Compile implements engine.Component. It returns the customer and its
// subscription. Billing systems give ids and no names. The subscription is
// stopped as soon as access is off; the customer goes last, because it is the
// record by which past invoices are audited.
func (Component) Compile(subject tenant.Subject, _ tenant.Deletion, raw json.RawMessage) ([]engine.Object, []*fault.Fault) {
	spec, malformed := parseSpec(raw)
	if malformed != nil {
		return nil, []*fault.Fault{malformed}
	}
	name := cmp.Or(subject.DisplayName, string(subject.ID))
	faults := spec.check()
	if f := checkName(name); f != nil {
		faults = append(faults, f)
	}
	email, err := CanonicalEmail(spec.Email)
	if err != nil {
		f := fault.NewTerminal("billing.email_invalid", PathEmail, err.Error(), `use one plain address, e.g. "ap@northstar.example"`)
		f.Err = err
		faults = append(faults, f)
	}
	if len(faults) > 0 {
		return nil, faults
	}
	return []engine.Object{customer(name, email, raw), subscription(spec, raw)}, nil
}

func customer(name, email string, raw json.RawMessage) engine.Object {
	return engine.Object{
		ID: CustomerID, Path: Name, Fields: CustomerContent(name, email),
		Finalization: engine.Finalization{Last: true}, Spec: raw,
	}
}

func subscription(spec Spec, raw json.RawMessage) engine.Object {
	return engine.Object{
		ID: SubscriptionID, Path: Name, Fields: SubscriptionContent(spec.Plan, spec.Seats, 1),
		Needs:        []engine.ObjectID{CustomerID},
		Finalization: engine.Finalization{Billable: true}, Spec: raw,
	}
}
