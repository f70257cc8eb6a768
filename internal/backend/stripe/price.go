package stripe

import (
	"context"
	"fmt"
	"net/url"
	"strconv"

	"github.com/tenantplane/terraform-provider-tenant/internal/backend"
	"github.com/tenantplane/terraform-provider-tenant/internal/component/billing"
	"github.com/tenantplane/terraform-provider-tenant/internal/fault"
)

// price returns the active recurring price whose lookup key is plan. Nothing
// is reactivated: archiving was somebody's decision.
func (c *client) price(ctx context.Context, plan string) (price, error) {
	active, err := c.prices(ctx, plan, true)
	if err != nil {
		return price{}, err
	}
	if len(active) == 0 {
		return price{}, c.noPrice(ctx, plan)
	}
	if p := active[0]; p.Type == "recurring" {
		return p, nil
	}
	return price{}, planFault("billing.plan_not_recurring", fmt.Sprintf("the price with lookup key %q is not recurring", plan))
}

// prices lists the prices with a lookup key; at most one of each kind exists.
func (c *client) prices(ctx context.Context, plan string, active bool) ([]price, error) {
	return all[price](ctx, c, request{
		verb: "look up plan", path: "/v1/prices",
		params: url.Values{"lookup_keys[]": {plan}, "active": {strconv.FormatBool(active)}},
	})
}

func (c *client) noPrice(ctx context.Context, plan string) error {
	archived, err := c.prices(ctx, plan, false)
	if err != nil {
		return err
	}
	if len(archived) > 0 {
		return planFault("billing.plan_archived", fmt.Sprintf("the price with lookup key %q is archived", plan))
	}
	return planFault("billing.plan_unknown", fmt.Sprintf("no price has the lookup key %q in this account and mode (live or test)", plan))
}

func planFault(code, found string) *fault.Fault {
	return fault.NewTerminal(code, billing.PathPlan, found,
		"choose another plan, or give its lookup key to an active recurring price at Stripe")
}

// Check implements backend.Checker: the plan must lead to a price that can be
// subscribed to, unless the subscription has it already.
func (b *Backend) Check(ctx context.Context, wants []backend.Want) []*fault.Fault {
	var faults []*fault.Fault
	for _, w := range wants {
		if w.Object != billing.Subscription {
			continue
		}
		if err := b.checkPlan(ctx, w); err != nil {
			faults = append(faults, fault.From(err))
		}
	}
	return faults
}

func (b *Backend) checkPlan(ctx context.Context, w backend.Want) error {
	plan := w.Fields.Get(billing.FieldPlan)
	_, unusable := b.client.price(ctx, plan)
	if !fault.Is(unusable, fault.Terminal) {
		return unusable
	}
	seen, err := subscriptions{b.client}.observe(ctx, w.Target)
	if err == nil && seen.Fields.Get(billing.FieldPlan) == plan {
		return nil
	}
	return unusable
}
