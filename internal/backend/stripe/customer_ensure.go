package stripe

import (
	"context"
	"net/http"
	"net/url"

	"github.com/tenantplane/terraform-provider-tenant/internal/backend"
	"github.com/tenantplane/terraform-provider-tenant/internal/component/billing"
	"github.com/tenantplane/terraform-provider-tenant/internal/fault"
)

func (c customers) ensure(ctx context.Context, w backend.Want) (backend.Observation, error) {
	if w.Observed != nil {
		return c.update(ctx, w.Observed.ExternalID, w)
	}
	found, a, err := c.find(ctx, w.Target, w.Fields.Get(billing.FieldEmail))
	if fault.Is(err, fault.NotFound) {
		return c.create(ctx, w)
	}
	if err != nil {
		return backend.Observation{}, err
	}
	return c.align(ctx, w, found, a)
}

// align brings a customer that was found instead of created to what is wanted.
func (c customers) align(ctx context.Context, w backend.Want, found customer, a answer) (backend.Observation, error) {
	if f := mayTouch(w.Target, found); f != nil {
		return backend.Observation{}, f
	}
	seen := found.observation(a)
	if len(seen.Fields.Diff(w.Fields)) == 0 {
		return seen, nil
	}
	return c.update(ctx, found.ID, w)
}

// create makes the customer. A stored answer shows the customer as it was, so
// it is read again. A key that was used with other parameters means that an
// earlier version of the spec may have been created: under which e-mail is not
// known, so that all customers are looked at.
func (c customers) create(ctx context.Context, w backend.Want) (backend.Observation, error) {
	var made customer
	r := request{verb: "create customer", method: http.MethodPost, path: customersPath, object: "customer", key: w.Key, params: customerForm(w)}
	a, err := c.call(ctx, r, &made)
	if hasCode(err, CodeKeyMismatch) {
		return c.adopt(ctx, w, err)
	}
	if err != nil {
		return backend.Observation{}, err
	}
	if !a.replayed {
		return made.observation(a), nil
	}
	made, a, err = c.get(ctx, made.ID)
	if err != nil {
		return backend.Observation{}, orStored(err, w.Target)
	}
	return c.align(ctx, w, made, a)
}

func (c customers) adopt(ctx context.Context, w backend.Want, mismatch error) (backend.Observation, error) {
	found, a, err := c.find(ctx, w.Target, "")
	if fault.Is(err, fault.NotFound) {
		return backend.Observation{}, mismatch
	}
	if err != nil {
		return backend.Observation{}, err
	}
	return c.align(ctx, w, found, a)
}

func (c customers) update(ctx context.Context, id string, w backend.Want) (backend.Observation, error) {
	r := c.one("update customer", http.MethodPost, id)
	r.params = customerForm(w)
	r.key = updateKey(w.Key, r.params)
	var stored customer
	a, err := c.call(ctx, r, &stored)
	if err == nil && a.replayed {
		r.key = "" // the stored answer is of the past, the content absolute
		a, err = c.call(ctx, r, &stored)
	}
	if err != nil {
		return backend.Observation{}, err
	}
	return stored.observation(a), nil
}

// customerForm is the whole content of a customer and nothing that changes
// with time: the key is bound to it.
func customerForm(w backend.Want) url.Values {
	form := marked(w.Marker())
	form.Set("name", w.Fields.Get(billing.FieldName))
	form.Set("email", w.Fields.Get(billing.FieldEmail))
	return form
}
