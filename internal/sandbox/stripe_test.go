package sandbox_test

import (
	"fmt"
	"strings"
	"testing"
)

// subscribed makes a customer with a subscription to pro and returns the ids.
func (w *world) subscribed() (customer, subscription, item string) {
	w.t.Helper()
	customer = at(w.post("/v1/customers", "", "name", "Acme", "email", "ap@acme.example",
		"metadata[tenant-id]", "acme", "metadata[tenant-installation]", "inst", "metadata[tenant-region]", "eu").
		expect(w.t, 200).json(w.t), "id").(string)
	made := w.post("/v1/subscriptions", "", "customer", customer, "items[0][price]", "price_sandbox_pro", "items[0][quantity]", "100",
		"collection_method", "send_invoice", "days_until_due", "30", "metadata[tenant-id]", "acme").expect(w.t, 200).json(w.t)
	return customer, at(made, "id").(string), at(made, "items", "data", 0, "id").(string)
}

// refusal checks a Stripe error: status, code and parameter.
func (r reply) refusal(t *testing.T, status int, code, param, message string) {
	t.Helper()
	tree := r.expect(t, status).json(t)
	got := fmt.Sprint(at(tree, "error", "code"), " ", at(tree, "error", "param"))
	want := fmt.Sprint(orNil(code), " ", orNil(param))
	if got != want || !strings.Contains(fmt.Sprint(at(tree, "error", "message")), message) {
		t.Errorf("got error %v, want code and param %s and a message with %q", tree["error"], want, message)
	}
}

func orNil(s string) any {
	if s == "" {
		return nil
	}
	return s
}

func TestStripeWantsItsKey(t *testing.T) {
	w := newWorld(t)
	w.do("GET", w.StripeURL()+"/v1/customers", nil, "").refusal(t, 401, "", "", "You did not provide an API key")
	basic := map[string][]string{"Authorization": {"Basic c2FuZGJveC1zdHJpcGUtbm90LWEtc2VjcmV0Og=="}}
	w.do("GET", w.StripeURL()+"/v1/customers", basic, "").expect(t, 200)
	w.stripe("GET", "/v1/unicorns").refusal(t, 404, "", "", "Unrecognized request URL (GET: /v1/unicorns)")
	if id := w.stripe("GET", "/v1/customers").header.Get("Request-Id"); !strings.HasPrefix(id, "req_") {
		t.Errorf("Request-Id is %q", id)
	}
}

func TestACustomerIsFoundByItsExactEmail(t *testing.T) {
	w := newWorld(t)
	w.post("/v1/customers", "", "email", "ap@acme.example").expect(t, 200)
	for email, want := range map[string]int{"ap@acme.example": 1, "AP@acme.example": 0, "ap@acme": 0} {
		found := w.stripe("GET", "/v1/customers?"+form("email", email)).expect(t, 200).json(t)
		if got := len(at(found, "data").([]any)); got != want {
			t.Errorf("email %s finds %d customers, want %d", email, got, want)
		}
	}
	w.post("/v1/customers", "", "email", "not an address").refusal(t, 400, "email_invalid", "email", "Invalid email address")
}

func TestAListIsReadPageByPage(t *testing.T) {
	w := newWorld(t)
	for i := range 5 {
		w.post("/v1/customers", "", "name", fmt.Sprint("customer ", i)).expect(t, 200)
	}
	var names []string
	query := "limit=2"
	for more := true; more; {
		page := w.stripe("GET", "/v1/customers?"+query).expect(t, 200).json(t)
		for _, c := range at(page, "data").([]any) {
			names = append(names, at(c, "name").(string))
			query = "limit=2&starting_after=" + at(c, "id").(string)
		}
		more = at(page, "has_more").(bool)
	}
	if got, want := strings.Join(names, ","), "customer 4,customer 3,customer 2,customer 1,customer 0"; got != want {
		t.Errorf("the pages hold %s, want %s", got, want)
	}
	w.stripe("GET", "/v1/customers?starting_after=cus_none").refusal(t, 400, "resource_missing", "starting_after", "No such customer: 'cus_none'")
	w.stripe("GET", "/v1/customers?limit=101").refusal(t, 400, "parameter_invalid_integer", "limit", "less than or equal to 100")
}

func TestC27_ADeletedCustomerStillAnswers200(t *testing.T) {
	w := newWorld(t)
	customer, subscription, _ := w.subscribed()
	w.stripe("DELETE", "/v1/customers/"+customer).expect(t, 200)

	read := w.stripe("GET", "/v1/customers/"+customer).expect(t, 200)
	if want := `{"id":"` + customer + `","object":"customer","deleted":true}`; read.body != want {
		t.Errorf("the deleted customer reads %s, want %s", read.body, want)
	}
	if status := at(w.stripe("GET", "/v1/subscriptions/"+subscription).expect(t, 200).json(t), "status"); status != "canceled" {
		t.Errorf("the subscription of the deleted customer is %v, want canceled", status)
	}
	w.stripe("DELETE", "/v1/customers/"+customer).refusal(t, 404, "resource_missing", "id", "No such customer")
	w.post("/v1/customers/"+customer, "", "name", "x").refusal(t, 404, "resource_missing", "id", "No such customer")
	w.post("/v1/subscriptions", "", "customer", customer, "items[0][price]", "price_sandbox_pro").
		refusal(t, 400, "resource_missing", "customer", "No such customer")
	if n := len(at(w.stripe("GET", "/v1/customers").json(t), "data").([]any)); n != 0 {
		t.Errorf("the list shows %d deleted customers", n)
	}
}

func TestC30_PricesAreFoundByLookupKeyAndArchivedOnesRefused(t *testing.T) {
	w := newWorld(t)
	customer, subscription, item := w.subscribed()
	find := func(query string) int {
		return len(at(w.stripe("GET", "/v1/prices?"+query).expect(t, 200).json(t), "data").([]any))
	}
	for query, want := range map[string]int{
		"lookup_keys[]=pro": 1, "lookup_keys[]=pro&lookup_keys[]=starter": 2, "lookup_keys[0]=legacy": 1,
		"lookup_keys[]=legacy&active=true": 0, "lookup_keys[]=legacy&active=false": 1, "lookup_keys[]=none": 0, "active=true": 3,
	} {
		if got := find(query); got != want {
			t.Errorf("%s finds %d prices, want %d", query, got, want)
		}
	}
	invoice := []string{"collection_method", "send_invoice", "days_until_due", "30", "customer", customer, "items[0][price]"}
	w.post("/v1/subscriptions", "", append(invoice, "price_sandbox_legacy")...).
		refusal(t, 400, "", "items[0][price]", "The price specified is inactive. This field only accepts active prices.")
	w.post("/v1/subscriptions", "", append(invoice, "price_none")...).
		refusal(t, 400, "resource_missing", "items[0][price]", "No such price: 'price_none'")

	// A price archived later stays with those who have it.
	w.post("/v1/prices/price_sandbox_pro", "", "active", "false").expect(t, 200)
	w.post("/v1/subscriptions/"+subscription, "", "items[0][id]", item, "items[0][quantity]", "120").expect(t, 200)
}

func TestC31_AnItemIsChangedByItsIDAndAddedWithout(t *testing.T) {
	w := newWorld(t)
	_, subscription, item := w.subscribed()
	path := "/v1/subscriptions/" + subscription

	changed := w.post(path, "", "items[0][id]", item, "items[0][quantity]", "120").expect(t, 200).json(t)
	if at(changed, "items", "data", 0, "quantity") != 120.0 || at(changed, "items", "data", 1) != nil {
		t.Errorf("after the change the items are %v", at(changed, "items", "data"))
	}
	added := w.post(path, "", "items[0][price]", "price_sandbox_starter").expect(t, 200).json(t)
	if at(added, "items", "data", 1, "price", "lookup_key") != "starter" {
		t.Errorf("an item without id is not added: %v", at(added, "items", "data"))
	}
	w.post(path, "", "items[0][price]", "price_sandbox_pro").
		refusal(t, 400, "", "items[0][price]", "Cannot add multiple subscription items with the same plan")
	w.post("/v1/subscription_items/"+item, "", "quantity", "-1").refusal(t, 400, "parameter_invalid_integer", "quantity", "greater than or equal to 0")
	w.stripe("DELETE", "/v1/subscription_items/"+item).expect(t, 200)
	left := w.stripe("GET", "/v1/subscription_items?subscription="+subscription).expect(t, 200).json(t)
	if n := len(at(left, "data").([]any)); n != 1 {
		t.Errorf("%d items are left, want 1", n)
	}
}

func TestACancelledSubscriptionStaysReadableAndClosed(t *testing.T) {
	w := newWorld(t)
	customer, subscription, item := w.subscribed()
	path := "/v1/subscriptions/" + subscription
	ended := w.stripe("DELETE", path).expect(t, 200).json(t)
	if at(ended, "status") != "canceled" || at(ended, "ended_at") == nil {
		t.Errorf("the cancelled subscription is %v", ended)
	}
	w.stripe("DELETE", path).refusal(t, 404, "resource_missing", "id", "No such subscription")
	w.post(path, "", "items[0][id]", item, "items[0][quantity]", "1").refusal(t, 400, "", "", "A canceled subscription can only update")
	w.post(path, "", "metadata[note]", "kept").expect(t, 200)
	for query, want := range map[string]int{"": 0, "&status=all": 1, "&status=canceled": 1, "&status=active": 0} {
		list := w.stripe("GET", "/v1/subscriptions?customer="+customer+query).expect(t, 200).json(t)
		if got := len(at(list, "data").([]any)); got != want {
			t.Errorf("the list%s shows %d subscriptions, want %d", query, got, want)
		}
	}
}

func TestAnAutomaticChargeNeedsAPaymentMethod(t *testing.T) {
	w := newWorld(t)
	customer := at(w.post("/v1/customers", "", "email", "ap@acme.example").json(t), "id").(string)
	order := []string{"customer", customer, "items[0][price]", "price_sandbox_pro"}
	w.post("/v1/subscriptions", "", order...).
		refusal(t, 400, "resource_missing", "", "This customer has no attached payment source or default payment method")
	for _, test := range []struct {
		extra []string
		want  string
	}{
		{[]string{"payment_behavior", "default_incomplete"}, "incomplete"},
		{[]string{"trial_period_days", "14"}, "trialing"},
		{[]string{"collection_method", "send_invoice", "days_until_due", "30"}, "active"},
	} {
		made := w.post("/v1/subscriptions", "", append(order, test.extra...)...).expect(t, 200).json(t)
		if at(made, "status") != test.want {
			t.Errorf("%v gives status %v, want %s", test.extra, at(made, "status"), test.want)
		}
	}
	w.post("/v1/subscriptions", "", append(order, "collection_method", "send_invoice")...).refusal(t, 400, "", "days_until_due", "days_until_due")
}

func TestC33_MetadataHasLimits(t *testing.T) {
	w := newWorld(t)
	many := func(n int) []string {
		var pairs []string
		for i := range n {
			pairs = append(pairs, fmt.Sprintf("metadata[k%d]", i), "v")
		}
		return pairs
	}
	w.post("/v1/customers", "", many(51)...).refusal(t, 400, "", "metadata", "up to 50 keys, but you've set 51")
	w.post("/v1/customers", "", "metadata["+strings.Repeat("k", 41)+"]", "v").refusal(t, 400, "", "metadata", "under 40 characters")
	w.post("/v1/customers", "", "metadata[k]", strings.Repeat("v", 501)).refusal(t, 400, "", "metadata", "under 500 characters")

	full := at(w.post("/v1/customers", "", append(many(49), "metadata["+strings.Repeat("k", 40)+"]", strings.Repeat("ü", 500))...).
		expect(t, 200).json(t), "id").(string)
	w.post("/v1/customers/"+full, "", "metadata[one-more]", "v").refusal(t, 400, "", "metadata", "you've set 51")
	changed := w.post("/v1/customers/"+full, "", "metadata[k0]", "", "metadata[k1]", "w").expect(t, 200).json(t)
	metadata := at(changed, "metadata").(map[string]any)
	if len(metadata) != 49 || metadata["k0"] != nil || metadata["k1"] != "w" {
		t.Errorf("merged metadata has %d keys, k0=%v, k1=%v", len(metadata), metadata["k0"], metadata["k1"])
	}
	cleared := w.post("/v1/customers/"+full, "", "metadata", "").expect(t, 200).json(t)
	if n := len(at(cleared, "metadata").(map[string]any)); n != 0 {
		t.Errorf("an empty metadata leaves %d keys", n)
	}
}

func TestUnknownParametersAndExpansionsAreRefused(t *testing.T) {
	w := newWorld(t)
	w.post("/v1/customers", "", "colour", "Acme").refusal(t, 400, "parameter_unknown", "colour", "Received unknown parameter: colour")
	customer, _, _ := w.subscribed()
	w.post("/v1/subscriptions", "", "customer", customer, "items[0][prize]", "x").
		refusal(t, 400, "parameter_unknown", "items[0][prize]", "Received unknown parameter: items[0][prize]")
	w.post("/v1/subscriptions", "").refusal(t, 400, "parameter_missing", "customer", "Missing required param: customer.")
	w.stripe("GET", "/v1/subscriptions?expand[]=data.items.data.price").expect(t, 200)
	w.stripe("GET", "/v1/subscriptions?expand[]=data.latest_invoice").refusal(t, 400, "", "expand", "cannot be expanded")
}
