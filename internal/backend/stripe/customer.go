package stripe

import (
	"context"
	"fmt"
	"net/http"
	"net/url"
	"strings"

	"github.com/tenantplane/terraform-provider-tenant/internal/backend"
	"github.com/tenantplane/terraform-provider-tenant/internal/component/billing"
	"github.com/tenantplane/terraform-provider-tenant/internal/fault"
)

const customersPath = "/v1/customers"

// customers keeps billing.customer.
type customers struct{ *client }

func (c customers) observe(ctx context.Context, t backend.Target) (backend.Observation, error) {
	// The wanted e-mail is only a first look: the customer may have been made
	// with another, so that absence is proven by the whole list alone.
	found, a, err := c.find(ctx, t, t.Hints.Get(billing.FieldEmail))
	if fault.Is(err, fault.NotFound) && t.ExternalID == "" && t.Hints.Get(billing.FieldEmail) != "" {
		found, a, err = c.find(ctx, t, "")
	}
	if err != nil {
		return backend.Observation{}, err
	}
	return found.observation(a), nil
}

// find returns the customer by its id, or by its marker among those with the
// e-mail, or among all when email is "".
func (c customers) find(ctx context.Context, t backend.Target, email string) (customer, answer, error) {
	if t.ExternalID != "" {
		return c.get(ctx, t.ExternalID)
	}
	query := url.Values{}
	if email != "" {
		query.Set("email", email)
	}
	candidates, err := all[customer](ctx, c.client, request{verb: "list customers", path: customersPath, params: query})
	if err != nil {
		return customer{}, answer{}, err
	}
	found, err := ours(t, candidates)
	return found, answer{}, err
}

func (c customers) get(ctx context.Context, id string) (customer, answer, error) {
	var found customer
	a, err := c.call(ctx, c.one("read customer", http.MethodGet, id), &found)
	if err == nil && found.Deleted {
		return customer{}, answer{}, fault.NewNotFound(codeEnded, fmt.Sprintf("customer %s was deleted", id))
	}
	return found, a, err
}

// one is a request that names a customer.
func (c customers) one(verb, method, id string) request {
	return request{verb: verb, method: method, path: customersPath + "/" + url.PathEscape(id), object: "customer", names: true}
}

// remove deletes the customer. Stripe cancels all subscriptions with it, so
// that one we did not make stands in the way.
func (c customers) remove(ctx context.Context, r backend.Removal) (backend.Receipt, error) {
	found, _, err := c.find(ctx, r.Target, "")
	if fault.Is(err, fault.NotFound) {
		return alreadyAbsent(), nil
	}
	if err != nil {
		return backend.Receipt{}, err
	}
	if f := mayRemove(r, found); f != nil {
		return backend.Receipt{}, f
	}
	if err := c.unused(ctx, r.Target, found.ID); err != nil {
		return backend.Receipt{}, err
	}
	var gone customer
	a, err := c.call(ctx, c.one("delete customer", http.MethodDelete, found.ID), &gone)
	if fault.Is(err, fault.NotFound) {
		return alreadyAbsent(), nil
	}
	if err != nil {
		return backend.Receipt{}, err
	}
	return removed(found.ID, "deleted", a.requestID), nil
}

// unused returns nil when no live subscription but ours hangs on the customer.
func (c customers) unused(ctx context.Context, t backend.Target, id string) error {
	subs, err := subscriptions(c).of(ctx, id)
	if err != nil && !fault.Is(err, fault.NotFound) {
		return err
	}
	var strangers []string
	for _, s := range subs {
		if s.live() && s.marker() != t.Marker() {
			strangers = append(strangers, s.ID)
		}
	}
	if len(strangers) == 0 {
		return nil
	}
	return fault.NewTerminal("billing.customer_in_use", t.Path,
		fmt.Sprintf("customer %s has subscriptions that are not this tenant's: %s", id, strings.Join(strangers, ", ")),
		"cancel them at Stripe first; deleting the customer would cancel them all at once")
}
