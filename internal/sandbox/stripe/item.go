package stripe

import (
	"net/http"
	"slices"
	"time"

	"github.com/tenantplane/terraform-provider-tenant/internal/sandbox/state"
)

// item is one line of a subscription as stored.
type item struct {
	ID       string            `json:"id"`
	Price    string            `json:"price"`
	Quantity int64             `json:"quantity"`
	Created  int64             `json:"created"`
	Metadata map[string]string `json:"metadata"`
}

// show renders an item with its price and its billing period.
func (i item) show(tx *state.Tx, s subscription) (any, error) {
	p, _, err := load[price](tx, kindPrice, i.Price)
	if err != nil {
		return nil, err
	}
	start := time.Unix(s.Created, 0).UTC()
	return map[string]any{
		"id": i.ID, "object": "subscription_item", "created": i.Created, "metadata": i.Metadata, "price": p, "quantity": i.Quantity,
		"subscription": s.ID, "current_period_start": start.Unix(), "current_period_end": start.AddDate(0, 1, 0).Unix(),
		"discounts": []any{}, "tax_rates": []any{},
	}, nil
}

// changeItems applies the parameter items: an element with id changes that
// item, one without adds another, one with deleted removes it.
func (op *operation) changeItems(s *subscription) error {
	for _, p := range op.params.list("items") {
		if f := p.only("id", "price", "quantity", "metadata", "deleted", "clear_usage"); f != nil {
			return f
		}
		if err := op.changeItem(s, p); err != nil {
			return err
		}
	}
	if len(s.Items) == 0 {
		return refused("", "items", "A subscription must have at least one active plan.")
	}
	return nil
}

func (op *operation) changeItem(s *subscription, p *params) error {
	deleted, f := p.boolean("deleted", false)
	if f != nil {
		return f
	}
	id := p.text("id")
	if id == "" {
		return op.addItem(s, p)
	}
	at := slices.IndexFunc(s.Items, func(i item) bool { return i.ID == id })
	if at < 0 {
		return noSuch("subscription_item", id, p.path+"[id]")
	}
	if deleted {
		s.Items = slices.Delete(s.Items, at, at+1)
		return nil
	}
	return op.setItem(&s.Items[at], p)
}

func (op *operation) addItem(s *subscription, p *params) error {
	if !p.has("price") {
		return missingParam(priceParam(p))
	}
	wanted := p.text("price")
	if !op.call.OutOfBand && s.sells(wanted) {
		return refused("", priceParam(p), "Cannot add multiple subscription items with the same plan: "+wanted)
	}
	id, err := op.call.NewID("si_", 14)
	if err != nil {
		return err
	}
	added := item{ID: id, Quantity: 1, Created: op.call.Now.Unix()}
	if err := op.setItem(&added, p); err != nil {
		return err
	}
	s.Items = append(s.Items, added)
	return nil
}

// setItem takes over the parameters of one item. A price that an item has
// already may be inactive, a new one may not.
func (op *operation) setItem(i *item, p *params) error {
	metadata, f := mergeMetadata(p, i.Metadata)
	if f != nil {
		return f
	}
	quantity, f := p.integer("quantity", i.Quantity, 0)
	if f != nil {
		return f
	}
	if wanted := p.text("price"); p.has("price") && wanted != i.Price {
		found, exists, err := load[price](op.tx, kindPrice, wanted)
		switch {
		case err != nil || !exists:
			return otherwise(err, noSuch("price", wanted, priceParam(p)))
		case !found.Active:
			return refused("", priceParam(p), "The price specified is inactive. This field only accepts active prices.")
		}
		i.Price = wanted
	}
	i.Metadata, i.Quantity = metadata, quantity
	return nil
}

// priceParam is the full name of the parameter price below p.
func priceParam(p *params) string {
	if p.path == "" {
		return "price"
	}
	return p.path + "[price]"
}

var itemParams = []string{"price", "quantity", "metadata", "proration_behavior", "payment_behavior"}

// subscriptionOf finds the subscription that holds the item of the path.
func (op *operation) subscriptionOf() (subscription, int, error) {
	var s subscription
	objects, err := op.tx.Find(Name, kindSubscription, "item", op.id)
	if err != nil || len(objects) == 0 || op.call.Method == http.MethodGet && objects[0].HiddenAt(op.call.Now) {
		return s, 0, otherwise(err, notFound("subscription_item", op.id))
	}
	if err := decode(objects[0], &s); err != nil {
		return s, 0, err
	}
	return s, slices.IndexFunc(s.Items, func(i item) bool { return i.ID == op.id }), nil
}

func readItem(op *operation) (any, error) {
	if err := op.accept(); err != nil {
		return nil, err
	}
	s, at, err := op.subscriptionOf()
	if err != nil {
		return nil, err
	}
	return s.Items[at].show(op.tx, s)
}

func updateItem(op *operation) (any, error) {
	if err := op.accept(itemParams...); err != nil {
		return nil, err
	}
	s, at, err := op.subscriptionOf()
	switch {
	case err != nil:
		return nil, err
	case s.Status == canceled:
		return nil, onlyMetadata()
	}
	if err := op.setItem(&s.Items[at], op.params); err != nil {
		return nil, err
	}
	if err := s.save(op.tx); err != nil {
		return nil, err
	}
	return s.Items[at].show(op.tx, s)
}

func createItem(op *operation) (any, error) {
	if err := op.accept(append([]string{"subscription"}, itemParams...)...); err != nil {
		return nil, err
	}
	if !op.params.has("subscription") {
		return nil, missingParam("subscription")
	}
	id := op.params.text("subscription")
	s, found, err := load[subscription](op.tx, kindSubscription, id)
	if err != nil || !found || s.Status == canceled {
		return nil, otherwise(err, noSuch("subscription", id, "subscription"))
	}
	if err := op.addItem(&s, op.params); err != nil {
		return nil, err
	}
	if err := s.save(op.tx); err != nil {
		return nil, err
	}
	return s.Items[len(s.Items)-1].show(op.tx, s)
}

func removeItem(op *operation) (any, error) {
	if err := op.accept("clear_usage", "proration_behavior", "payment_behavior"); err != nil {
		return nil, err
	}
	s, at, err := op.subscriptionOf()
	switch {
	case err != nil:
		return nil, err
	case len(s.Items) == 1:
		return nil, refused("", "", "A subscription must have at least one active plan. To delete a subscription's last item, cancel the subscription.")
	}
	s.Items = slices.Delete(s.Items, at, at+1)
	return deletedObject{ID: op.id, Object: "subscription_item", Deleted: true}, s.save(op.tx)
}

func listItems(op *operation) (any, error) {
	if err := op.accept(append([]string{"subscription"}, paging...)...); err != nil {
		return nil, err
	}
	id := op.params.text("subscription")
	if id == "" {
		return nil, missingParam("subscription")
	}
	s, found, err := visible[subscription](op, kindSubscription, id)
	if err != nil || !found {
		return nil, otherwise(err, noSuch("subscription", id, "subscription"))
	}
	answer := list{Object: "list", Data: []any{}, URL: op.call.Path}
	for _, i := range s.Items {
		shown, err := i.show(op.tx, s)
		if err != nil {
			return nil, err
		}
		answer.Data = append(answer.Data, shown)
	}
	return answer, nil
}
