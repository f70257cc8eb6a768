package stripe

import (
	"time"

	"github.com/tenantplane/terraform-provider-tenant/internal/sandbox/state"
)

// subscription is a subscription as stored.
type subscription struct {
	ID                string            `json:"id"`
	Customer          string            `json:"customer"`
	Status            string            `json:"status"`
	Items             []item            `json:"items"`
	Metadata          map[string]string `json:"metadata"`
	Description       *string           `json:"description"`
	CollectionMethod  string            `json:"collection_method"`
	DaysUntilDue      *int64            `json:"days_until_due"`
	CancelAtPeriodEnd bool              `json:"cancel_at_period_end"`
	Created           int64             `json:"created"`
	CanceledAt        *int64            `json:"canceled_at"`
	TrialEnd          *int64            `json:"trial_end"`
}

const canceled = "canceled"

// cancel ends the subscription now; false when it had ended already.
func (s *subscription) cancel(now time.Time) bool {
	if s.Status == canceled {
		return false
	}
	at := now.Unix()
	s.Status, s.CanceledAt, s.CancelAtPeriodEnd = canceled, &at, false
	return true
}

func (s subscription) save(tx *state.Tx) error {
	index := map[string][]string{"customer": {s.Customer}}
	for _, i := range s.Items {
		index["item"] = append(index["item"], i.ID)
	}
	return save(tx, state.Object{
		Kind: kindSubscription, ID: s.ID, Name: s.Customer, Marker: markerOf(s.Metadata), Live: s.Status != canceled, Index: index,
	}, s)
}

// show renders a subscription with its items and their prices.
func (s subscription) show(tx *state.Tx) (any, error) {
	items := list{Object: "list", Data: []any{}, URL: "/v1/subscription_items?subscription=" + s.ID}
	for _, i := range s.Items {
		shown, err := i.show(tx, s)
		if err != nil {
			return nil, err
		}
		items.Data = append(items.Data, shown)
	}
	var ended *int64
	if s.Status == canceled {
		ended = s.CanceledAt
	}
	return map[string]any{
		"id": s.ID, "object": "subscription", "customer": s.Customer, "status": s.Status, "items": items, "metadata": s.Metadata,
		"description": s.Description, "collection_method": s.CollectionMethod, "days_until_due": s.DaysUntilDue,
		"cancel_at": nil, "cancel_at_period_end": s.CancelAtPeriodEnd, "canceled_at": s.CanceledAt, "ended_at": ended,
		"created": s.Created, "start_date": s.Created, "billing_cycle_anchor": s.Created, "currency": "usd",
		"trial_end": s.TrialEnd, "livemode": false, "default_payment_method": nil, "latest_invoice": nil,
	}, nil
}

var subscriptionParams = []string{
	"items", "metadata", "description", "collection_method", "days_until_due", "cancel_at_period_end",
	// known to Stripe, of little or no effect here:
	"payment_behavior", "proration_behavior", "off_session", "payment_settings", "billing_mode", "automatic_tax", "trial_period_days",
}

// apply takes over the parameters that were sent, items excepted.
func (s *subscription) apply(p *params) error {
	metadata, f := mergeMetadata(p, s.Metadata)
	if f != nil {
		return f
	}
	method, f := p.choice("collection_method", s.CollectionMethod, "charge_automatically", "send_invoice")
	if f != nil {
		return f
	}
	if p.has("days_until_due") {
		days, f := p.integer("days_until_due", 0, 0)
		if f != nil {
			return f
		}
		s.DaysUntilDue = &days
	}
	atEnd, f := p.boolean("cancel_at_period_end", s.CancelAtPeriodEnd)
	if f != nil {
		return f
	}
	s.Metadata, s.CollectionMethod, s.CancelAtPeriodEnd = metadata, method, atEnd
	s.Description = p.optional("description", s.Description)
	if method == "send_invoice" && s.DaysUntilDue == nil {
		return badParam("", "days_until_due", "You must pass `days_until_due` when `collection_method` is `send_invoice`.")
	}
	return nil
}

func createSubscription(op *operation) (any, error) {
	if err := op.accept(append([]string{"customer"}, subscriptionParams...)...); err != nil {
		return nil, err
	}
	for _, name := range []string{"customer", "items"} {
		if !op.params.has(name) {
			return nil, missingParam(name)
		}
	}
	s := subscription{Customer: op.params.text("customer"), Created: op.call.Now.Unix(), CollectionMethod: "charge_automatically"}
	if err := s.apply(op.params); err != nil {
		return nil, err
	}
	owner, found, err := load[customer](op.tx, kindCustomer, s.Customer)
	if err != nil || !found || owner.Deleted {
		return nil, otherwise(err, noSuch("customer", s.Customer, "customer"))
	}
	if err := op.changeItems(&s); err != nil {
		return nil, err
	}
	if err := op.begin(&s, owner); err != nil {
		return nil, err
	}
	if s.ID, err = op.call.NewID("sub_1", 23); err != nil {
		return nil, err
	}
	if err := s.save(op.tx); err != nil {
		return nil, err
	}
	return s.show(op.tx)
}

// begin decides a new subscription's status. Nobody here has a payment method,
// so what would be charged automatically cannot become active.
func (op *operation) begin(s *subscription, owner customer) error {
	trial, f := op.params.integer("trial_period_days", 0, 0)
	if f != nil {
		return f
	}
	due, err := s.amount(op.tx)
	if err != nil {
		return err
	}
	switch {
	case trial > 0:
		end := op.call.Now.AddDate(0, 0, int(trial)).Unix()
		s.Status, s.TrialEnd = "trialing", &end
	case s.CollectionMethod == "send_invoice" && owner.Email == nil:
		return refused("", "", "Missing email. In order to create invoices that are sent to the customer, the customer must have a valid email.")
	case s.CollectionMethod == "send_invoice" || due == 0:
		s.Status = "active"
	case op.params.text("payment_behavior") == "default_incomplete":
		s.Status = "incomplete"
	default:
		return refused("resource_missing", "", "This customer has no attached payment source or default payment method. Please consider adding a default payment method. For more information, visit https://stripe.com/docs/billing/subscriptions/payment-methods-setting#payment-method-priority.")
	}
	return nil
}

// amount is what one period costs, in cents.
func (s subscription) amount(tx *state.Tx) (int64, error) {
	var sum int64
	for _, i := range s.Items {
		p, _, err := load[price](tx, kindPrice, i.Price)
		if err != nil {
			return 0, err
		}
		sum += p.UnitAmount * i.Quantity
	}
	return sum, nil
}

func readSubscription(op *operation) (any, error) {
	if err := op.accept(); err != nil {
		return nil, err
	}
	s, found, err := visible[subscription](op, kindSubscription, op.id)
	if err != nil || !found {
		return nil, otherwise(err, notFound("subscription", op.id))
	}
	return s.show(op.tx)
}

func updateSubscription(op *operation) (any, error) {
	if err := op.accept(subscriptionParams...); err != nil {
		return nil, err
	}
	s, found, err := load[subscription](op.tx, kindSubscription, op.id)
	switch {
	case err != nil || !found:
		return nil, otherwise(err, notFound("subscription", op.id))
	case s.Status == canceled && op.params.only("metadata", "expand", "cancellation_details") != nil:
		return nil, onlyMetadata()
	}
	if err := s.apply(op.params); err != nil {
		return nil, err
	}
	if err := op.changeItems(&s); err != nil {
		return nil, err
	}
	if err := s.save(op.tx); err != nil {
		return nil, err
	}
	return s.show(op.tx)
}

func onlyMetadata() *failure {
	return refused("", "", "A canceled subscription can only update its cancellation_details and metadata.")
}

func cancelSubscription(op *operation) (any, error) {
	if err := op.accept("invoice_now", "prorate", "cancellation_details"); err != nil {
		return nil, err
	}
	s, found, err := load[subscription](op.tx, kindSubscription, op.id)
	if err != nil || !found || !s.cancel(op.call.Now) {
		return nil, otherwise(err, notFound("subscription", op.id))
	}
	if err := s.save(op.tx); err != nil {
		return nil, err
	}
	return s.show(op.tx)
}

func listSubscriptions(op *operation) (any, error) {
	if err := op.accept(append([]string{"customer", "price", "status", "collection_method", "created"}, paging...)...); err != nil {
		return nil, err
	}
	status, f := op.params.choice("status", "", "active", "all", canceled, "ended", "incomplete", "incomplete_expired",
		"past_due", "paused", "trialing", "unpaid")
	if f != nil {
		return nil, f
	}
	objects, err := op.subscriptions()
	if err != nil {
		return nil, err
	}
	return page(op, objects, kindSubscription, func(o state.Object) (any, error) {
		var s subscription
		if err := decode(o, &s); err != nil || !s.listed(status) || !s.sells(op.params.text("price")) {
			return nil, err
		}
		return s.show(op.tx)
	})
}

// listed tells whether a list by status shows s; without one it shows all that
// are not cancelled.
func (s subscription) listed(status string) bool {
	switch status {
	case "":
		return s.Status != canceled
	case "all":
		return true
	case "ended":
		return s.Status == canceled
	default:
		return s.Status == status
	}
}

func (s subscription) sells(price string) bool {
	if price == "" {
		return true
	}
	for _, i := range s.Items {
		if i.Price == price {
			return true
		}
	}
	return false
}

func (op *operation) subscriptions() ([]state.Object, error) {
	if !op.params.has("customer") {
		return op.tx.List(Name, kindSubscription)
	}
	id := op.params.text("customer")
	if _, found, err := op.tx.Get(Name, kindCustomer, id); err != nil || !found {
		return nil, otherwise(err, noSuch("customer", id, "customer"))
	}
	return op.tx.Find(Name, kindSubscription, "customer", id)
}
