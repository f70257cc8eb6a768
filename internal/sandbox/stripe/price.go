package stripe

import (
	"fmt"
	"slices"

	"github.com/tenantplane/terraform-provider-tenant/internal/sandbox/state"
)

// price is a price as stored and shown.
type price struct {
	ID            string            `json:"id"`
	Object        string            `json:"object"`
	Active        bool              `json:"active"`
	BillingScheme string            `json:"billing_scheme"`
	Created       int64             `json:"created"`
	Currency      string            `json:"currency"`
	Livemode      bool              `json:"livemode"`
	LookupKey     *string           `json:"lookup_key"`
	Metadata      map[string]string `json:"metadata"`
	Nickname      *string           `json:"nickname"`
	Product       string            `json:"product"`
	Recurring     recurring         `json:"recurring"`
	TaxBehavior   string            `json:"tax_behavior"`
	Type          string            `json:"type"`
	UnitAmount    int64             `json:"unit_amount"`
	Fixture       bool              `json:"-"`
}

type recurring struct {
	Interval      string `json:"interval"`
	IntervalCount int64  `json:"interval_count"`
	UsageType     string `json:"usage_type"`
}

func (p price) save(tx *state.Tx) error {
	o := state.Object{Kind: kindPrice, ID: p.ID, Marker: markerOf(p.Metadata), Live: p.Active, Fixture: p.Fixture}
	if p.LookupKey != nil {
		o.Name, o.Index = *p.LookupKey, map[string][]string{"lookup_key": {*p.LookupKey}}
	}
	return save(tx, o, p)
}

func listPrices(op *operation) (any, error) {
	if err := op.accept(append([]string{"active", "lookup_keys", "product", "type", "currency", "recurring", "created"}, paging...)...); err != nil {
		return nil, err
	}
	active, f := op.params.boolean("active", true)
	if f != nil {
		return nil, f
	}
	var keys []string
	for _, key := range op.params.list("lookup_keys") {
		keys = append(keys, key.value)
	}
	if len(keys) > 10 {
		return nil, badParam("", "lookup_keys", "You can specify up to 10 lookup keys.")
	}
	objects, err := op.tx.List(Name, kindPrice)
	if err != nil {
		return nil, err
	}
	return page(op, objects, kindPrice, func(o state.Object) (any, error) {
		var p price
		if err := decode(o, &p); err != nil {
			return nil, err
		}
		byKey := keys == nil || p.LookupKey != nil && slices.Contains(keys, *p.LookupKey)
		byActive := !op.params.has("active") || p.Active == active
		byProduct := !op.params.has("product") || p.Product == op.params.text("product")
		if !byKey || !byActive || !byProduct {
			return nil, nil
		}
		return p, nil
	})
}

func readPrice(op *operation) (any, error) {
	if err := op.accept(); err != nil {
		return nil, err
	}
	p, found, err := visible[price](op, kindPrice, op.id)
	if err == nil && !found {
		return nil, notFound("price", op.id)
	}
	return p, err
}

func createPrice(op *operation) (any, error) {
	if err := op.accept("currency", "unit_amount", "product", "recurring", "lookup_key", "nickname", "metadata", "active", "tax_behavior"); err != nil {
		return nil, err
	}
	for _, name := range []string{"currency", "product", "unit_amount"} {
		if !op.params.has(name) {
			return nil, missingParam(name)
		}
	}
	p := price{
		Object: "price", BillingScheme: "per_unit", Created: op.call.Now.Unix(), Type: "recurring", TaxBehavior: "unspecified",
		Currency: op.params.text("currency"), Product: op.params.text("product"),
		Recurring: recurring{Interval: "month", IntervalCount: 1, UsageType: "licensed"},
	}
	amount, f := op.params.integer("unit_amount", 0, 0)
	if f != nil {
		return nil, f
	}
	p.UnitAmount = amount
	if given := op.params.children["recurring"]; given != nil && given.has("interval") {
		p.Recurring.Interval = given.text("interval")
	}
	if _, found, err := op.tx.Get(Name, kindProduct, p.Product); err != nil || !found {
		return nil, otherwise(err, noSuch("product", p.Product, "product"))
	}
	id, err := op.call.NewID("price_1", 23)
	if err != nil {
		return nil, err
	}
	p.ID, p.Active = id, true
	return op.applyPrice(p)
}

func updatePrice(op *operation) (any, error) {
	if err := op.accept("active", "lookup_key", "nickname", "metadata", "tax_behavior", "transfer_lookup_key"); err != nil {
		return nil, err
	}
	p, found, err := load[price](op.tx, kindPrice, op.id)
	if err != nil || !found {
		return nil, otherwise(err, notFound("price", op.id))
	}
	return op.applyPrice(p)
}

func (op *operation) applyPrice(p price) (any, error) {
	metadata, f := mergeMetadata(op.params, p.Metadata)
	if f != nil {
		return nil, f
	}
	active, f := op.params.boolean("active", p.Active)
	if f != nil {
		return nil, f
	}
	p.Metadata, p.Active = metadata, active
	p.Nickname, p.LookupKey = op.params.optional("nickname", p.Nickname), op.params.optional("lookup_key", p.LookupKey)
	if p.LookupKey != nil {
		if err := op.freeLookupKey(p); err != nil {
			return nil, err
		}
	}
	return p, p.save(op.tx)
}

func (op *operation) freeLookupKey(p price) error {
	holders, err := op.tx.Find(Name, kindPrice, "lookup_key", *p.LookupKey)
	if err != nil {
		return err
	}
	for _, holder := range holders {
		if holder.ID != p.ID {
			return refused("resource_already_exists", "lookup_key", fmt.Sprintf("A price (`%s`) already uses that lookup key.", holder.ID))
		}
	}
	return nil
}

// otherwise returns err unless it is nil, and then f.
func otherwise(err error, f *failure) error {
	if err != nil {
		return err
	}
	return f
}
