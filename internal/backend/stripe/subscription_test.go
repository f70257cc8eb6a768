package stripe_test

import (
	"net/url"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/tenantplane/terraform-provider-tenant/internal/backend"
	"github.com/tenantplane/terraform-provider-tenant/internal/fault"
)

const (
	// pro is what a subscription remembers that was given price_1 as plan pro.
	pro = marker + `,"tenant-plan":"pro","tenant-price":"price_1"`
)

func TestASubscriptionIsCreatedWithAbsoluteSeats(t *testing.T) {
	account, b := newAccount(t, map[string][]reply{
		"GET /v1/subscriptions":  {nobody},
		"GET /v1/prices":         {ok(listJSON("false", priceJSON("price_1", "pro", "recurring")))},
		"POST /v1/subscriptions": {ok(subscriptionJSON("active", "pro", "100", pro))},
	})
	got, err := b.Ensure(t.Context(), wantSubscription("pro", 100))
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(wantSubscription("pro", 100).Fields, got.Fields); diff != "" {
		t.Error(diff)
	}
	form := url.Values{
		"customer": {"cus_1"}, "items[0][price]": {"price_1"}, "items[0][quantity]": {"100"},
		"collection_method": {"send_invoice"}, "days_until_due": {"30"},
		"metadata[tenant-installation]": {"acme"}, "metadata[tenant-id]": {"northstar-us"}, "metadata[tenant-region]": {"us-east"},
		"metadata[tenant-plan]": {"pro"}, "metadata[tenant-price]": {"price_1"},
	}
	post := account.requests("POST /v1/subscriptions")[0]
	if diff := cmp.Diff(form, post.params); diff != "" {
		t.Error(diff)
	}
	if key := post.header.Get("Idempotency-Key"); key != wantSubscription("pro", 100).Key {
		t.Errorf("key is %q", key)
	}
	lookup := account.requests("GET /v1/prices")[0].params
	if lookup.Get("lookup_keys[]") != "pro" || lookup.Get("active") != "true" {
		t.Errorf("price was looked up with %v", lookup)
	}
	list := account.requests("GET /v1/subscriptions")[0].params
	if list.Get("customer") != "cus_1" || list.Get("status") != "all" {
		t.Errorf("subscriptions were looked up with %v", list)
	}
}

func TestASubscriptionIsChangedOnItsOwnLine(t *testing.T) {
	for name, tc := range map[string]struct {
		plan  string
		price []string
	}{
		"seats only, the price may be archived": {"pro", nil},
		"plan":                                  {"max", []string{"price_2"}},
	} {
		account, b := newAccount(t, map[string][]reply{
			"GET /v1/subscriptions/sub_1":  {ok(subscriptionJSON("active", "pro", "100", pro))},
			"GET /v1/prices":               {ok(listJSON("false", priceJSON("price_2", "max", "recurring")))},
			"POST /v1/subscriptions/sub_1": {ok(subscriptionJSON("active", "pro", "120", pro))},
		})
		got, err := b.Ensure(t.Context(), recorded(wantSubscription(tc.plan, 120), "sub_1"))
		if err != nil || got.Fields.Get("seats") != "120" {
			t.Fatalf("%s: got %+v, %v", name, got, err)
		}
		form := account.requests("POST /v1/subscriptions/sub_1")[0].params
		if form.Get("items[0][id]") != "si_1" || form.Get("items[0][quantity]") != "120" || len(form["items[0][price]"]) != len(tc.price) {
			t.Errorf("%s: sent %v", name, form)
		}
		if len(tc.price) > 0 && (form.Get("items[0][price]") != "price_2" || form.Get("metadata[tenant-plan]") != "max") {
			t.Errorf("%s: sent %v", name, form)
		}
	}
}

func TestTheSameUpdateHasTheSameKeyAndAnotherOneAnother(t *testing.T) {
	account, b := newAccount(t, map[string][]reply{
		"GET /v1/subscriptions/sub_1":  {ok(subscriptionJSON("active", "pro", "100", pro))},
		"POST /v1/subscriptions/sub_1": {ok(subscriptionJSON("active", "pro", "120", pro))},
	})
	for _, seats := range []int64{120, 120, 130} {
		if _, err := b.Ensure(t.Context(), recorded(wantSubscription("pro", seats), "sub_1")); err != nil {
			t.Fatal(err)
		}
	}
	var keys []string
	for _, post := range account.requests("POST /v1/subscriptions/sub_1") {
		keys = append(keys, post.header.Get("Idempotency-Key"))
	}
	if keys[0] != keys[1] || keys[1] == keys[2] || keys[0] == "" {
		t.Errorf("keys were %q", keys)
	}
}

func TestASecondLineIsDriftAndIsNotTakenAway(t *testing.T) {
	two := `{"id":"sub_1","object":"subscription","status":"active","metadata":{` + pro + `},"items":{"object":"list","data":[` +
		itemJSON("si_1", "pro", "100") + "," + itemJSON("si_2", "pro", "5") + `]}}`
	account, b := newAccount(t, map[string][]reply{"GET /v1/subscriptions/sub_1": {ok(two)}})
	want := recorded(wantSubscription("pro", 100), "sub_1")
	seen, err := b.Observe(t.Context(), want.Target)
	if err != nil {
		t.Fatal(err)
	}
	if changes := seen.Fields.Diff(want.Fields); len(changes) != 1 || changes[0].Field != "items" {
		t.Errorf("drift is %v, want the number of items", changes)
	}
	_, err = b.Ensure(t.Context(), want)
	expect(t, err, fault.Terminal, "billing.several_items", "billing")
	if account.writes() != 0 {
		t.Error("something was changed")
	}
}

func TestWhatAPlanIsCalledOutlivesItsPrice(t *testing.T) {
	for name, tc := range map[string]struct{ lookupKey, metadata, plan string }{
		"as it was set":         {"pro", pro, "pro"},
		"lookup key moved away": {"", pro, "pro"},
		"price changed by hand": {"gold", marker + `,"tenant-plan":"pro","tenant-price":"price_0"`, "gold"},
		"to one without a key":  {"", marker + `,"tenant-plan":"pro","tenant-price":"price_0"`, "price_1"},
		"made by somebody else": {"pro", "", "pro"},
	} {
		_, b := newAccount(t, map[string][]reply{"GET /v1/subscriptions/sub_1": {ok(subscriptionJSON("active", tc.lookupKey, "1", tc.metadata))}})
		seen, err := b.Observe(t.Context(), recorded(wantSubscription("pro", 1), "sub_1").Target)
		if err != nil || seen.Fields.Get("plan") != tc.plan {
			t.Errorf("%s: plan is %q, %v; want %q", name, seen.Fields.Get("plan"), err, tc.plan)
		}
	}
}

func TestOnlySubscriptionsThatCanBillCount(t *testing.T) {
	for status, live := range map[string]bool{
		"incomplete": true, "trialing": true, "active": true, "past_due": true, "unpaid": true, "paused": true,
		"canceled": false, "incomplete_expired": false,
	} {
		_, b := newAccount(t, map[string][]reply{
			"GET /v1/subscriptions":       {ok(listJSON("false", subscriptionJSON(status, "pro", "1", pro)))},
			"GET /v1/subscriptions/sub_1": {ok(subscriptionJSON(status, "pro", "1", pro))},
		})
		for _, id := range []string{"", "sub_1"} {
			target := wantSubscription("pro", 1).Target
			target.ExternalID = id
			if _, err := b.Observe(t.Context(), target); fault.Is(err, fault.NotFound) == live || err != nil && live {
				t.Errorf("%s subscription with id %q: got %v", status, id, err)
			}
		}
	}
}

func TestASubscriptionIsCanceledAtOnce(t *testing.T) {
	account, b := newAccount(t, map[string][]reply{
		"GET /v1/subscriptions/sub_1":    {ok(subscriptionJSON("active", "pro", "1", pro)), ok(subscriptionJSON("canceled", "pro", "1", pro))},
		"DELETE /v1/subscriptions/sub_1": {ok(subscriptionJSON("canceled", "pro", "1", pro))},
	})
	removal := backend.Removal{Target: recorded(wantSubscription("pro", 1), "sub_1").Target}
	receipt, err := b.Remove(t.Context(), removal)
	want := backend.Receipt{Outcome: "deleted", Details: map[string]string{"id": "sub_1", "status": "canceled", "request_id": "req_1"}}
	if diff := cmp.Diff(want, receipt); err != nil || diff != "" {
		t.Errorf("first: %v %s", err, diff)
	}
	receipt, err = b.Remove(t.Context(), removal)
	if err != nil || receipt.Outcome != "already absent" || account.writes() != 1 {
		t.Errorf("again: got %+v, %v after %d writes", receipt, err, account.writes())
	}
}
