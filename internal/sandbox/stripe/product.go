package stripe

import (
	"time"

	"github.com/tenantplane/terraform-provider-tenant/internal/sandbox/state"
)

// product is a product as stored and shown.
type product struct {
	ID          string            `json:"id"`
	Object      string            `json:"object"`
	Active      bool              `json:"active"`
	Created     int64             `json:"created"`
	Description *string           `json:"description"`
	Livemode    bool              `json:"livemode"`
	Metadata    map[string]string `json:"metadata"`
	Name        string            `json:"name"`
	Type        string            `json:"type"`
	Fixture     bool              `json:"-"`
}

func (p product) save(tx *state.Tx) error {
	return save(tx, state.Object{
		Kind: kindProduct, ID: p.ID, Name: p.Name, Marker: markerOf(p.Metadata), Live: p.Active, Fixture: p.Fixture,
	}, p)
}

// Seed makes a product with one price per seat and month, whose lookup key is
// plan, unless they exist. amount is in US cents.
func Seed(tx *state.Tx, plan string, amount int64, active bool, now time.Time) error {
	id := "price_sandbox_" + plan
	if _, found, err := tx.Get(Name, kindPrice, id); err != nil || found {
		return err
	}
	made := product{
		ID: "prod_sandbox_" + plan, Object: "product", Active: true, Created: now.Unix(), Name: plan, Type: "service",
		Metadata: map[string]string{}, Fixture: true,
	}
	if err := made.save(tx); err != nil {
		return err
	}
	return price{
		ID: id, Object: "price", Active: active, BillingScheme: "per_unit", Created: now.Unix(), Currency: "usd", LookupKey: &plan,
		Metadata: map[string]string{}, Product: made.ID, Type: "recurring", TaxBehavior: "unspecified", UnitAmount: amount,
		Recurring: recurring{Interval: "month", IntervalCount: 1, UsageType: "licensed"}, Fixture: true,
	}.save(tx)
}

func listProducts(op *operation) (any, error) {
	if err := op.accept(append([]string{"active", "created"}, paging...)...); err != nil {
		return nil, err
	}
	active, f := op.params.boolean("active", true)
	if f != nil {
		return nil, f
	}
	objects, err := op.tx.List(Name, kindProduct)
	if err != nil {
		return nil, err
	}
	return page(op, objects, kindProduct, func(o state.Object) (any, error) {
		var p product
		if err := decode(o, &p); err != nil || op.params.has("active") && p.Active != active {
			return nil, err
		}
		return p, nil
	})
}

func readProduct(op *operation) (any, error) {
	if err := op.accept(); err != nil {
		return nil, err
	}
	p, found, err := visible[product](op, kindProduct, op.id)
	if err == nil && !found {
		return nil, notFound("product", op.id)
	}
	return p, err
}

func createProduct(op *operation) (any, error) {
	if err := op.accept("name", "description", "metadata", "active"); err != nil {
		return nil, err
	}
	if op.params.text("name") == "" {
		return nil, missingParam("name")
	}
	id, err := op.call.NewID("prod_", 14)
	if err != nil {
		return nil, err
	}
	return op.applyProduct(product{ID: id, Object: "product", Active: true, Created: op.call.Now.Unix(), Type: "service"})
}

func updateProduct(op *operation) (any, error) {
	if err := op.accept("name", "description", "metadata", "active"); err != nil {
		return nil, err
	}
	p, found, err := load[product](op.tx, kindProduct, op.id)
	if err != nil || !found {
		return nil, otherwise(err, notFound("product", op.id))
	}
	return op.applyProduct(p)
}

func (op *operation) applyProduct(p product) (any, error) {
	metadata, f := mergeMetadata(op.params, p.Metadata)
	if f != nil {
		return nil, f
	}
	active, f := op.params.boolean("active", p.Active)
	if f != nil {
		return nil, f
	}
	p.Metadata, p.Active, p.Description = metadata, active, op.params.optional("description", p.Description)
	if name := op.params.text("name"); name != "" {
		p.Name = name
	}
	return p, p.save(op.tx)
}
