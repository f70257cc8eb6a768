package stripe

import (
	"context"
	"fmt"
	"net/http"
	"net/url"

	"github.com/tenantplane/terraform-provider-tenant/internal/backend"
	"github.com/tenantplane/terraform-provider-tenant/internal/component/billing"
	"github.com/tenantplane/terraform-provider-tenant/internal/fault"
)

const subscriptionsPath = "/v1/subscriptions"

// subscriptions keeps billing.subscription.
type subscriptions struct{ *client }

func (s subscriptions) observe(ctx context.Context, t backend.Target) (backend.Observation, error) {
	found, a, err := s.find(ctx, t)
	if err != nil {
		return backend.Observation{}, err
	}
	return found.observation(a), nil
}

// find returns the subscription by its id or, by its marker, among all of its
// customer's. Customers are looked for first: one that is not known is proven
// absent, and there is no subscription without a customer.
func (s subscriptions) find(ctx context.Context, t backend.Target) (subscription, answer, error) {
	if t.ExternalID != "" {
		return s.get(ctx, t.ExternalID)
	}
	customer := t.Refs[billing.CustomerID.String()]
	if customer == "" {
		return subscription{}, answer{}, absent("the tenant has no customer to hold a subscription")
	}
	candidates, err := s.of(ctx, customer)
	if err != nil {
		return subscription{}, answer{}, err
	}
	found, err := ours(t, candidates)
	return found, answer{}, err
}

// of lists all subscriptions of a customer, ended ones too.
func (s subscriptions) of(ctx context.Context, customer string) ([]subscription, error) {
	return all[subscription](ctx, s.client, request{
		verb: "list subscriptions", path: subscriptionsPath, names: true,
		params: url.Values{"customer": {customer}, "status": {"all"}},
	})
}

func (s subscriptions) get(ctx context.Context, id string) (subscription, answer, error) {
	var found subscription
	a, err := s.call(ctx, s.one("read subscription", http.MethodGet, id), &found)
	if err == nil && !found.live() {
		return subscription{}, answer{}, fault.NewNotFound(codeEnded, fmt.Sprintf("subscription %s is %s", id, found.Status))
	}
	return found, a, err
}

// one is a request that names a subscription.
func (s subscriptions) one(verb, method, id string) request {
	return request{verb: verb, method: method, path: subscriptionsPath + "/" + url.PathEscape(id), object: "subscription", names: true}
}

// remove cancels the subscription at once.
func (s subscriptions) remove(ctx context.Context, r backend.Removal) (backend.Receipt, error) {
	found, _, err := s.find(ctx, r.Target)
	if fault.Is(err, fault.NotFound) {
		return alreadyAbsent(), nil
	}
	if err != nil {
		return backend.Receipt{}, err
	}
	if f := mayRemove(r, found); f != nil {
		return backend.Receipt{}, f
	}
	var ended subscription
	a, err := s.call(ctx, s.one("cancel subscription", http.MethodDelete, found.ID), &ended)
	if fault.Is(err, fault.NotFound) {
		return alreadyAbsent(), nil
	}
	if err != nil {
		return backend.Receipt{}, err
	}
	return removed(found.ID, ended.Status, a.requestID), nil
}
