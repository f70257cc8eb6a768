package stripe

import (
	"cmp"

	"github.com/tenantplane/terraform-provider-tenant/internal/backend"
	"github.com/tenantplane/terraform-provider-tenant/internal/component/billing"
	"github.com/tenantplane/terraform-provider-tenant/internal/tenant"
)

// The metadata keys by which a subscription remembers which price stood for
// its plan when it was set.
const (
	metadataPlan  = "tenant-plan"
	metadataPrice = "tenant-price"
)

// customer is what is read of a customer (docs.stripe.com/api/customers/object).
type customer struct {
	ID       string            `json:"id"`
	Deleted  bool              `json:"deleted"`
	Name     string            `json:"name"`
	Email    string            `json:"email"`
	Metadata map[string]string `json:"metadata"`
}

func (c customer) identity() string      { return c.ID }
func (c customer) marker() tenant.Marker { return tenant.MarkerFromPairs(c.Metadata) }
func (c customer) live() bool            { return !c.Deleted }

func (c customer) observation(a answer) backend.Observation {
	return backend.Observation{
		ExternalID: c.ID, Fields: billing.CustomerContent(c.Name, c.Email), Marker: c.marker(), RequestID: a.requestID,
	}
}

// subscription is what is read of a subscription
// (docs.stripe.com/api/subscriptions/object).
type subscription struct {
	ID       string            `json:"id"`
	Status   string            `json:"status"`
	Metadata map[string]string `json:"metadata"`
	Items    list[item]        `json:"items"`
}

// item is one line of a subscription. A price by usage has no quantity.
type item struct {
	ID       string `json:"id"`
	Quantity int64  `json:"quantity"`
	Price    price  `json:"price"`
}

func (s subscription) identity() string      { return s.ID }
func (s subscription) marker() tenant.Marker { return tenant.MarkerFromPairs(s.Metadata) }

// live tells whether the subscription can still bill: the statuses incomplete,
// trialing, active, past_due, unpaid, paused, and any that Stripe may add.
func (s subscription) live() bool {
	return s.Status != "canceled" && s.Status != "incomplete_expired"
}

func (s subscription) observation(a answer) backend.Observation {
	return backend.Observation{ExternalID: s.ID, Fields: s.content(), Marker: s.marker(), RequestID: a.requestID}
}

// content shows the first line and how many there are.
func (s subscription) content() tenant.Fields {
	var first item
	if len(s.Items.Data) > 0 {
		first = s.Items.Data[0]
	}
	return billing.SubscriptionContent(s.plan(first.Price), first.Quantity, int64(len(s.Items.Data)))
}

// plan names the plan of the price in use: as it was called when we set that
// price, otherwise, since somebody changed it, as the price is called now.
func (s subscription) plan(p price) string {
	if p.ID != "" && s.Metadata[metadataPrice] == p.ID {
		return s.Metadata[metadataPlan]
	}
	return cmp.Or(p.LookupKey, p.ID)
}

// price is what is read of a price (docs.stripe.com/api/prices/object).
type price struct {
	ID        string `json:"id"`
	LookupKey string `json:"lookup_key"`
	Type      string `json:"type"`
}

func (p price) identity() string { return p.ID }
