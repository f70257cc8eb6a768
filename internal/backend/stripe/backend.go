package stripe

import (
	"context"
	"fmt"
	"time"

	"github.com/tenantplane/terraform-provider-tenant/internal/backend"
	"github.com/tenantplane/terraform-provider-tenant/internal/component/billing"
	"github.com/tenantplane/terraform-provider-tenant/internal/fault"
)

// keyWindow is how long Stripe is sure to remember an idempotency key
// (docs.stripe.com/api/idempotent_requests).
const keyWindow = 24 * time.Hour

// Backend is one Stripe account. It implements backend.Backend and
// backend.Checker.
type Backend struct{ client *client }

var _ backend.Checker = (*Backend)(nil)

// keeper is one kind of object at Stripe.
type keeper interface {
	observe(ctx context.Context, t backend.Target) (backend.Observation, error)
	ensure(ctx context.Context, w backend.Want) (backend.Observation, error)
	remove(ctx context.Context, r backend.Removal) (backend.Receipt, error)
}

// Capabilities implements backend.Backend.
func (*Backend) Capabilities() backend.Capabilities {
	return backend.Capabilities{KeyWindow: keyWindow, ExactLookup: true}
}

// Observe implements backend.Backend.
func (b *Backend) Observe(ctx context.Context, t backend.Target) (backend.Observation, error) {
	k, err := b.keeper(t)
	if err != nil {
		return backend.Observation{}, err
	}
	seen, err := k.observe(ctx, t)
	return seen, within("observe", t, err)
}

// Ensure implements backend.Backend.
func (b *Backend) Ensure(ctx context.Context, w backend.Want) (backend.Observation, error) {
	k, err := b.keeper(w.Target)
	if err != nil {
		return backend.Observation{}, err
	}
	seen, err := k.ensure(ctx, w)
	return seen, within("ensure", w.Target, err)
}

// Remove implements backend.Backend.
func (b *Backend) Remove(ctx context.Context, r backend.Removal) (backend.Receipt, error) {
	k, err := b.keeper(r.Target)
	if err != nil {
		return backend.Receipt{}, err
	}
	receipt, err := k.remove(ctx, r)
	return receipt, within("remove", r.Target, err)
}

func (b *Backend) keeper(t backend.Target) (keeper, error) {
	switch t.Object {
	case billing.Customer:
		return customers{b.client}, nil
	case billing.Subscription:
		return subscriptions{b.client}, nil
	default:
		return nil, fault.NewTerminal("billing.object_unknown", t.Path,
			fmt.Sprintf("Stripe keeps no %q for a tenant", t.Object), "report this as a bug of the provider")
	}
}

func within(verb string, t backend.Target, err error) error {
	if err == nil {
		return nil
	}
	return fmt.Errorf("stripe: %s %s of tenant %s: %w", verb, t.Object, t.Subject.ID, err)
}
