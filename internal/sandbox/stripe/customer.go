package stripe

import (
	"net/mail"
	"strings"

	"github.com/tenantplane/terraform-provider-tenant/internal/sandbox/state"
)

// customer is a customer as stored and shown.
type customer struct {
	ID          string            `json:"id"`
	Object      string            `json:"object"`
	Balance     int64             `json:"balance"`
	Created     int64             `json:"created"`
	Currency    *string           `json:"currency"`
	Delinquent  bool              `json:"delinquent"`
	Description *string           `json:"description"`
	Email       *string           `json:"email"`
	Livemode    bool              `json:"livemode"`
	Metadata    map[string]string `json:"metadata"`
	Name        *string           `json:"name"`
	Phone       *string           `json:"phone"`
	Deleted     bool              `json:"deleted,omitempty"`
}

// deletedObject is all that is left to see of a deleted object.
type deletedObject struct {
	ID      string `json:"id"`
	Object  string `json:"object"`
	Deleted bool   `json:"deleted"`
}

var customerParams = []string{
	"name", "email", "description", "phone", "metadata",
	// known to Stripe, without effect here:
	"address", "shipping", "preferred_locales", "invoice_settings", "invoice_prefix", "tax_exempt", "tax", "tax_id_data", "balance",
}

func (c customer) save(tx *state.Tx) error {
	name := ""
	if c.Name != nil {
		name = *c.Name
	}
	var emails []string
	if c.Email != nil {
		emails = []string{*c.Email}
	}
	return save(tx, state.Object{
		Kind: kindCustomer, ID: c.ID, Name: name, Marker: markerOf(c.Metadata), Live: !c.Deleted,
		Index: map[string][]string{"email": emails},
	}, c)
}

// apply takes over the parameters that were sent.
func (c *customer) apply(p *params) error {
	metadata, f := mergeMetadata(p, c.Metadata)
	if f != nil {
		return f
	}
	if email := p.text("email"); email != "" && !validEmail(email) {
		return badParam("email_invalid", "email", "Invalid email address: "+email)
	}
	c.Metadata = metadata
	c.Name, c.Email = p.optional("name", c.Name), p.optional("email", c.Email)
	c.Description, c.Phone = p.optional("description", c.Description), p.optional("phone", c.Phone)
	return nil
}

func validEmail(email string) bool {
	parsed, err := mail.ParseAddress(email)
	return err == nil && parsed.Address == email && len(email) <= 512 && strings.Contains(email, "@")
}

func createCustomer(op *operation) (any, error) {
	if err := op.accept(customerParams...); err != nil {
		return nil, err
	}
	c := customer{Object: "customer", Created: op.call.Now.Unix()}
	if err := c.apply(op.params); err != nil {
		return nil, err
	}
	id, err := op.call.NewID("cus_", 14)
	if err != nil {
		return nil, err
	}
	c.ID = id
	return c, c.save(op.tx)
}

func readCustomer(op *operation) (any, error) {
	if err := op.accept(); err != nil {
		return nil, err
	}
	c, found, err := visible[customer](op, kindCustomer, op.id)
	switch {
	case err != nil:
		return nil, err
	case !found:
		return nil, notFound("customer", op.id)
	case c.Deleted:
		return deletedObject{ID: c.ID, Object: "customer", Deleted: true}, nil
	}
	return c, nil
}

// liveCustomer loads the customer of the path for a change.
func liveCustomer(op *operation) (customer, error) {
	c, found, err := load[customer](op.tx, kindCustomer, op.id)
	if err == nil && (!found || c.Deleted) {
		return customer{}, notFound("customer", op.id)
	}
	return c, err
}

func updateCustomer(op *operation) (any, error) {
	if err := op.accept(customerParams...); err != nil {
		return nil, err
	}
	c, err := liveCustomer(op)
	if err != nil {
		return nil, err
	}
	if err := c.apply(op.params); err != nil {
		return nil, err
	}
	return c, c.save(op.tx)
}

// removeCustomer also cancels the customer's subscriptions, at once.
func removeCustomer(op *operation) (any, error) {
	if err := op.accept(); err != nil {
		return nil, err
	}
	c, err := liveCustomer(op)
	if err != nil {
		return nil, err
	}
	objects, err := op.tx.Find(Name, kindSubscription, "customer", c.ID)
	if err != nil {
		return nil, err
	}
	for _, o := range objects {
		var s subscription
		if err := decode(o, &s); err != nil {
			return nil, err
		}
		if s.cancel(op.call.Now) {
			if err := s.save(op.tx); err != nil {
				return nil, err
			}
		}
	}
	c.Deleted = true
	return deletedObject{ID: c.ID, Object: "customer", Deleted: true}, c.save(op.tx)
}

func listCustomers(op *operation) (any, error) {
	if err := op.accept(append([]string{"email", "created", "test_clock"}, paging...)...); err != nil {
		return nil, err
	}
	objects, err := op.customers()
	if err != nil {
		return nil, err
	}
	return page(op, objects, kindCustomer, func(o state.Object) (any, error) {
		var c customer
		if err := decode(o, &c); err != nil || c.Deleted {
			return nil, err
		}
		return c, nil
	})
}

// customers returns all or, by exact and case-sensitive e-mail, some.
func (op *operation) customers() ([]state.Object, error) {
	if op.params.has("email") {
		return op.tx.Find(Name, kindCustomer, "email", op.params.text("email"))
	}
	return op.tx.List(Name, kindCustomer)
}
