package stripe

import (
	"encoding/json"
	"fmt"

	"github.com/tenantplane/terraform-provider-tenant/internal/sandbox/state"
)

// The kinds of objects. A subscription holds its items.
const (
	kindCustomer     = "customer"
	kindSubscription = "subscription"
	kindPrice        = "price"
	kindProduct      = "product"
)

// load reads one object; false when there is none.
func load[T any](tx *state.Tx, kind, id string) (T, bool, error) {
	var body T
	o, found, err := tx.Get(Name, kind, id)
	if err != nil || !found {
		return body, false, err
	}
	err = decode(o, &body)
	return body, err == nil, err
}

// visible is load for reads: it does not see what is hidden yet.
func visible[T any](op *operation, kind, id string) (T, bool, error) {
	var body T
	o, found, err := op.tx.Get(Name, kind, id)
	if err != nil || !found || o.HiddenAt(op.call.Now) {
		return body, false, err
	}
	err = decode(o, &body)
	return body, err == nil, err
}

func decode(o state.Object, into any) error {
	if err := json.Unmarshal(o.Body, into); err != nil {
		return fmt.Errorf("decode %s %s: %w", o.Kind, o.ID, err)
	}
	return nil
}

// save writes one object.
func save(tx *state.Tx, o state.Object, body any) error {
	raw, err := json.Marshal(body)
	if err != nil {
		return fmt.Errorf("encode %s %s: %w", o.Kind, o.ID, err)
	}
	o.System, o.Body = Name, raw
	return tx.Put(o)
}
