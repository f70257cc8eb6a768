// Package billingtf is the Terraform half of the billing component.
package billingtf

import (
	"context"
	"encoding/json"

	"github.com/hashicorp/terraform-plugin-framework-validators/int64validator"
	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema/int64default"
	"github.com/hashicorp/terraform-plugin-framework/schema/validator"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/tenantplane/terraform-provider-tenant/internal/component/billing"
	"github.com/tenantplane/terraform-provider-tenant/internal/surface"
)

type model struct {
	Plan           types.String `tfsdk:"plan"`
	Email          types.String `tfsdk:"email"`
	Seats          types.Int64  `tfsdk:"seats"`
	CustomerID     types.String `tfsdk:"customer_id"`
	SubscriptionID types.String `tfsdk:"subscription_id"`
}

// Component returns the billing component's Terraform half.
func Component() surface.Component {
	return surface.Define(surface.Definition[model]{
		Name:        "billing",
		Description: "The tenant's customer and subscription in the billing system.",
		Attributes:  attributes(),
		Spec:        spec,
		FromSpec:    fromSpec,
		Observe:     observe,
		Computed:    computed,
	})
}

func attributes() map[string]schema.Attribute {
	return map[string]schema.Attribute{
		"plan": schema.StringAttribute{
			Required: true, MarkdownDescription: "Lookup key of the price to subscribe to. It must exist and be active when the tenant is planned.",
		},
		"email": schema.StringAttribute{
			Required: true, MarkdownDescription: "Where invoices go.",
		},
		"seats": schema.Int64Attribute{
			Optional: true, Computed: true, Default: int64default.StaticInt64(1),
			Validators:          []validator.Int64{int64validator.AtLeast(1)},
			MarkdownDescription: "Quantity of the subscription, an absolute number. Defaults to 1.",
		},
		"customer_id": schema.StringAttribute{
			Computed: true, MarkdownDescription: "Id of the customer in the billing system.",
		},
		"subscription_id": schema.StringAttribute{
			Computed: true, MarkdownDescription: "Id of the subscription in the billing system.",
		},
	}
}

func spec(_ context.Context, m model) (any, diag.Diagnostics) {
	return billing.Spec{Plan: m.Plan.ValueString(), Email: m.Email.ValueString(), Seats: m.Seats.ValueInt64()}, nil
}

func fromSpec(text json.RawMessage) (model, error) {
	var s billing.Spec
	err := json.Unmarshal(text, &s)
	return model{
		Plan: surface.OptionalString(s.Plan), Email: surface.OptionalString(s.Email), Seats: types.Int64Value(max(s.Seats, 1)),
	}, err
}

// observe keeps a customer without subscription in state, with the plan gone:
// the plan then shows the subscription as an addition.
func observe(m model, seen surface.Seen) (model, bool) {
	customer, present := seen["customer"]
	if !present {
		return m, false
	}
	m.Email = surface.Keep(m.Email, customer.Fields.Get("email"), canonicalEmail)
	m.CustomerID = types.StringValue(customer.ExternalID)
	subscription, subscribed := seen["subscription"]
	if !subscribed {
		m.Plan, m.Seats, m.SubscriptionID = types.StringNull(), types.Int64Null(), types.StringNull()
		return m, true
	}
	m.Plan = types.StringValue(subscription.Fields.Get("plan"))
	m.SubscriptionID = types.StringValue(subscription.ExternalID)
	m.Seats = types.Int64Null()
	if seats, err := subscription.Fields.Int("seats"); err == nil {
		m.Seats = types.Int64Value(seats)
	}
	return m, true
}

func computed(m model, prior *model, _ surface.Wanted) model {
	before := model{}
	if prior != nil {
		before = *prior
	}
	m.CustomerID = surface.KnownAfterApply(before.CustomerID)
	m.SubscriptionID = surface.KnownAfterApply(before.SubscriptionID)
	return m
}

// canonicalEmail is the spelling that was sent; what cannot be an address
// compares as it is.
func canonicalEmail(written string) string {
	if email, err := billing.CanonicalEmail(written); err == nil {
		return email
	}
	return written
}
