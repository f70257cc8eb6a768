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

// daysUntilDue is the term of payment of invoices sent by e-mail.
const daysUntilDue = "30"

func (s subscriptions) ensure(ctx context.Context, w backend.Want) (backend.Observation, error) {
	if w.Observed != nil {
		current, _, err := s.get(ctx, w.Observed.ExternalID)
		if err != nil {
			return backend.Observation{}, err
		}
		return s.update(ctx, current, w)
	}
	found, a, err := s.find(ctx, w.Target)
	if fault.Is(err, fault.NotFound) {
		return s.create(ctx, w)
	}
	if err != nil {
		return backend.Observation{}, err
	}
	return s.align(ctx, w, found, a)
}

// align brings a subscription that was found instead of created to what is
// wanted.
func (s subscriptions) align(ctx context.Context, w backend.Want, found subscription, a answer) (backend.Observation, error) {
	if f := mayTouch(w.Target, found); f != nil {
		return backend.Observation{}, f
	}
	seen := found.observation(a)
	if len(seen.Fields.Diff(w.Fields)) == 0 {
		return seen, nil
	}
	return s.update(ctx, found, w)
}

// create subscribes the customer. Invoices are sent by e-mail: a customer made
// by Terraform has no card, and charging it would fail.
func (s subscriptions) create(ctx context.Context, w backend.Want) (backend.Observation, error) {
	customer := w.Refs[billing.CustomerID.String()]
	if customer == "" {
		return backend.Observation{}, fault.NewRetryable("billing.no_customer", "the tenant has no customer to hold a subscription", nil)
	}
	p, err := s.price(ctx, w.Fields.Get(billing.FieldPlan))
	if err != nil {
		return backend.Observation{}, err
	}
	form := subscriptionForm(w)
	setPrice(form, w, p)
	form.Set("customer", customer)
	form.Set("collection_method", "send_invoice")
	form.Set("days_until_due", daysUntilDue)
	var made subscription
	r := request{verb: "create subscription", method: http.MethodPost, path: subscriptionsPath, object: "subscription", key: w.Key, params: form}
	a, err := s.call(ctx, r, &made)
	if err != nil {
		return backend.Observation{}, err
	}
	if !a.replayed {
		return made.observation(a), nil
	}
	made, a, err = s.get(ctx, made.ID)
	if err != nil {
		return backend.Observation{}, orStored(err, w.Target)
	}
	return s.align(ctx, w, made, a)
}

// update changes the one line in place, by its id and with the absolute
// number of seats. The price is sent only when the plan changes: it may have
// been archived since, and then Stripe would refuse it.
func (s subscriptions) update(ctx context.Context, current subscription, w backend.Want) (backend.Observation, error) {
	if len(current.Items.Data) != 1 {
		return backend.Observation{}, severalItems(w.Target, current)
	}
	line := current.Items.Data[0]
	form := subscriptionForm(w)
	form.Set("items[0][id]", line.ID)
	if plan := w.Fields.Get(billing.FieldPlan); current.plan(line.Price) != plan {
		p, err := s.price(ctx, plan)
		if err != nil {
			return backend.Observation{}, err
		}
		setPrice(form, w, p)
	}
	r := s.one("update subscription", http.MethodPost, current.ID)
	r.params, r.key = form, updateKey(w.Key, form)
	var stored subscription
	a, err := s.call(ctx, r, &stored)
	if err == nil && a.replayed {
		r.key = "" // the stored answer is of the past, the content absolute
		a, err = s.call(ctx, r, &stored)
	}
	if err != nil {
		return backend.Observation{}, err
	}
	return stored.observation(a), nil
}

func severalItems(t backend.Target, s subscription) *fault.Fault {
	var ids []string
	for _, i := range s.Items.Data {
		ids = append(ids, i.ID)
	}
	return fault.NewTerminal("billing.several_items", t.Path,
		fmt.Sprintf("subscription %s has %d lines instead of one: %s", s.ID, len(ids), strings.Join(ids, ", ")),
		"remove at Stripe the lines that were added by hand, then apply again; nothing was changed")
}

func subscriptionForm(w backend.Want) url.Values {
	form := marked(w.Marker())
	form.Set("items[0][quantity]", w.Fields.Get(billing.FieldSeats))
	return form
}

// setPrice sets the line's price and notes which plan it stands for.
func setPrice(form url.Values, w backend.Want, p price) {
	form.Set("items[0][price]", p.ID)
	setMetadata(form, metadataPlan, w.Fields.Get(billing.FieldPlan))
	setMetadata(form, metadataPrice, p.ID)
}
