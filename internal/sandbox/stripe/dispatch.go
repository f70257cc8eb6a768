package stripe

import (
	"net/http"
	"slices"
	"strings"

	"github.com/tenantplane/terraform-provider-tenant/internal/sandbox/gate"
	"github.com/tenantplane/terraform-provider-tenant/internal/sandbox/state"
)

// operation is one call to one endpoint.
type operation struct {
	tx     *state.Tx
	call   *gate.Call
	params *params
	// id is the object the path names; "" for a collection.
	id string
}

// endpoints are what can be done with one collection; nil for what cannot.
type endpoints struct {
	list, create, read, update, remove func(*operation) (any, error)
}

func collection(name string) (endpoints, bool) {
	switch name {
	case "customers":
		return endpoints{listCustomers, createCustomer, readCustomer, updateCustomer, removeCustomer}, true
	case "subscriptions":
		return endpoints{listSubscriptions, createSubscription, readSubscription, updateSubscription, cancelSubscription}, true
	case "subscription_items":
		return endpoints{listItems, createItem, readItem, updateItem, removeItem}, true
	case "prices":
		return endpoints{listPrices, createPrice, readPrice, updatePrice, nil}, true
	case "products":
		return endpoints{listProducts, createProduct, readProduct, updateProduct, nil}, true
	default:
		return endpoints{}, false
	}
}

// dispatch runs the endpoint the call names. Refusals are *failure.
func dispatch(tx *state.Tx, call *gate.Call) (any, error) {
	parts := strings.Split(strings.Trim(call.Path, "/"), "/")
	if len(parts) < 2 || len(parts) > 3 || parts[0] != "v1" || strings.HasSuffix(call.Path, "/") {
		return nil, unknownURL(call.Method, call.Path)
	}
	serves, _ := collection(parts[1])
	op := &operation{tx: tx, call: call}
	do := map[string]func(*operation) (any, error){http.MethodGet: serves.list, http.MethodPost: serves.create}[call.Method]
	if len(parts) == 3 {
		op.id = parts[2]
		do = map[string]func(*operation) (any, error){
			http.MethodGet: serves.read, http.MethodPost: serves.update, http.MethodDelete: serves.remove,
		}[call.Method]
	}
	if do == nil {
		return nil, unknownURL(call.Method, call.Path)
	}
	encoded := call.Query.Encode()
	if call.Method != http.MethodGet && len(call.Body) > 0 {
		encoded = string(call.Body)
	}
	parsed, f := parseParams(encoded)
	if f != nil {
		return nil, f
	}
	op.params = parsed
	return do(op)
}

// accept refuses parameters the endpoint does not know, and expansions of what
// this sandbox cannot expand.
func (op *operation) accept(known ...string) error {
	if f := op.params.only(append(known, "expand")...); f != nil {
		return f
	}
	for _, path := range op.params.list("expand") {
		if !slices.Contains(expanded, strings.TrimPrefix(path.value, "data.")) {
			return badParam("", "expand", "This property cannot be expanded ("+path.value+").")
		}
	}
	return nil
}

// expanded is what answers hold in full in any case.
var expanded = []string{"items", "items.data", "items.data.price", "price"}
