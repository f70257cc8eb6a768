package stripe_test

import (
	"net/url"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/tenantplane/terraform-provider-tenant/internal/backend"
	"github.com/tenantplane/terraform-provider-tenant/internal/fault"
	"github.com/tenantplane/terraform-provider-tenant/internal/tenant"
)

var nobody = ok(listJSON("false"))

func TestACustomerIsCreatedWithItsWholeContentUnderItsKey(t *testing.T) {
	account, b := newAccount(t, map[string][]reply{
		"GET /v1/customers":  {nobody},
		"POST /v1/customers": {ok(customerJSON("cus_1", "ap@northstar.example", marker))},
	})
	got, err := b.Ensure(t.Context(), wantCustomer())
	if err != nil {
		t.Fatal(err)
	}
	want := backend.Observation{
		ExternalID: "cus_1", Fields: wantCustomer().Fields, Marker: subject.Marker(), RequestID: "req_1",
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
	posts := account.requests("POST /v1/customers")
	form := url.Values{
		"name": {"Northstar (US)"}, "email": {"ap@northstar.example"},
		"metadata[tenant-installation]": {"acme"}, "metadata[tenant-id]": {"northstar-us"}, "metadata[tenant-region]": {"us-east"},
	}
	if len(posts) != 1 {
		t.Fatalf("sent %d creations", len(posts))
	}
	if diff := cmp.Diff(form, posts[0].params); diff != "" {
		t.Error(diff)
	}
	for name, value := range map[string]string{
		"Idempotency-Key": "acme/northstar-us/billing.customer/e1",
		"Authorization":   "Bearer " + apiKey,
		"Stripe-Version":  "2026-03-25.dahlia",
		"Content-Type":    "application/x-www-form-urlencoded",
	} {
		if got := posts[0].header.Get(name); got != value {
			t.Errorf("header %s is %q, want %q", name, got, value)
		}
	}
}

func TestACustomerIsFoundByItsMarkerOnAnyPage(t *testing.T) {
	account, b := newAccount(t, map[string][]reply{"GET /v1/customers": {
		ok(listJSON("true", customerJSON("cus_9", "x@y.example", ""), customerJSON("cus_8", "x@y.example", `"tenant-id":"northstar-us","tenant-installation":"other"`))),
		ok(listJSON("false", customerJSON("cus_1", "new@northstar.example", marker))),
	}})
	got, err := b.Observe(t.Context(), wantCustomer().Target)
	if err != nil || got.ExternalID != "cus_1" || got.Fields.Get("email") != "new@northstar.example" {
		t.Fatalf("got %+v, %v; want cus_1", got, err)
	}
	pages := account.requests("GET /v1/customers")
	if len(pages) != 2 || pages[1].params.Get("starting_after") != "cus_8" || pages[0].params.Get("limit") != "100" {
		t.Errorf("pages were %v", pages)
	}
}

func TestAListThatPromisesMoreAndGivesNothingIsNoAbsence(t *testing.T) {
	for _, pages := range [][]reply{
		{ok(listJSON("true"))},
		{ok(listJSON("true", customerJSON("cus_9", "x@y.example", "")))},
	} {
		_, b := newAccount(t, map[string][]reply{"GET /v1/customers": pages})
		if _, err := b.Observe(t.Context(), wantCustomer().Target); !fault.Is(err, fault.Retryable) {
			t.Errorf("got %v, want a Retryable fault", err)
		}
	}
}

func TestTwoCustomersOfOneTenantNeedAPerson(t *testing.T) {
	_, b := newAccount(t, map[string][]reply{"GET /v1/customers": {
		ok(listJSON("false", customerJSON("cus_1", "a@b.example", marker), customerJSON("cus_2", "a@b.example", marker))),
	}})
	_, err := b.Ensure(t.Context(), wantCustomer())
	expect(t, err, fault.Terminal, "billing.duplicate", "billing")
}

func TestC27_ADeletedCustomerIsAbsentAlthoughItAnswers200(t *testing.T) {
	account, b := newAccount(t, map[string][]reply{
		"GET /v1/customers/cus_1":  {ok(`{"id":"cus_1","object":"customer","deleted":true}`)},
		"POST /v1/customers/cus_1": {refuse(404, `{"type":"invalid_request_error","code":"resource_missing","param":"id","message":"No such customer: 'cus_1'"}`)},
	})
	gone := recorded(wantCustomer(), "cus_1")
	_, err := b.Observe(t.Context(), gone.Target)
	expect(t, err, fault.NotFound, "billing.ended", "")
	_, err = b.Ensure(t.Context(), gone)
	expect(t, err, fault.NotFound, "billing.absent", "")
	receipt, err := b.Remove(t.Context(), backend.Removal{Target: gone.Target})
	if err != nil || receipt.Outcome != "already absent" {
		t.Errorf("remove: got %+v, %v; want already absent", receipt, err)
	}
	if n := len(account.requests("DELETE /v1/customers/cus_1")); n != 0 {
		t.Errorf("sent %d deletions of what is gone", n)
	}
}

func TestAStoredAnswerIsReadAgain(t *testing.T) {
	stored := ok(customerJSON("cus_1", "ap@northstar.example", marker)).replayed()
	ended := ok(`{"id":"cus_1","object":"customer","deleted":true}`)
	hidden := refuse(404, `{"type":"invalid_request_error","code":"resource_missing","param":"id","message":"No such customer: 'cus_1'"}`)
	for name, tc := range map[string]struct {
		now        reply
		kind       fault.Kind
		code       string
		correction bool
	}{
		"still as it was":    {now: ok(customerJSON("cus_1", "ap@northstar.example", marker))},
		"changed by hand":    {now: ok(customerJSON("cus_1", "other@northstar.example", marker)), correction: true},
		"deleted meanwhile":  {now: ended, kind: fault.Retryable, code: "billing.stored_failure"},
		"not to be seen yet": {now: hidden, kind: fault.Retryable, code: "billing.not_visible_yet"},
	} {
		t.Run(name, func(t *testing.T) {
			account, b := newAccount(t, map[string][]reply{
				"GET /v1/customers":        {nobody},
				"POST /v1/customers":       {stored},
				"GET /v1/customers/cus_1":  {tc.now},
				"POST /v1/customers/cus_1": {ok(customerJSON("cus_1", "ap@northstar.example", marker))},
			})
			got, err := b.Ensure(t.Context(), wantCustomer())
			if tc.code != "" {
				expect(t, err, tc.kind, tc.code, "")
				return
			}
			if err != nil || got.Fields.Get("email") != "ap@northstar.example" {
				t.Fatalf("got %+v, %v", got, err)
			}
			if n := len(account.requests("POST /v1/customers/cus_1")); (n == 1) != tc.correction {
				t.Errorf("sent %d corrections", n)
			}
		})
	}
}

func TestAKeyUsedForAnEarlierSpecLeadsToTheCustomerItMade(t *testing.T) {
	mismatch := refuse(400, `{"type":"idempotency_error","message":"Keys for idempotent requests can only be used with the same parameters they were first used with."}`)
	account, b := newAccount(t, map[string][]reply{
		"GET /v1/customers":        {nobody, ok(listJSON("false", customerJSON("cus_1", "old@northstar.example", marker)))},
		"POST /v1/customers":       {mismatch},
		"POST /v1/customers/cus_1": {ok(customerJSON("cus_1", "ap@northstar.example", marker))},
	})
	got, err := b.Ensure(t.Context(), wantCustomer())
	if err != nil || got.ExternalID != "cus_1" {
		t.Fatalf("got %+v, %v; want cus_1", got, err)
	}
	lookups := account.requests("GET /v1/customers")
	if lookups[0].params.Get("email") != "ap@northstar.example" || lookups[1].params.Has("email") {
		t.Errorf("looked up %v; want first the e-mail, then all", lookups)
	}

	_, b = newAccount(t, map[string][]reply{"GET /v1/customers": {nobody}, "POST /v1/customers": {mismatch}})
	_, err = b.Ensure(t.Context(), wantCustomer())
	expect(t, err, fault.Terminal, "billing.key_mismatch", "")
}

func TestACustomerOfSomebodyElseIsNotDeleted(t *testing.T) {
	for name, metadata := range map[string]string{
		"another installation": `"tenant-installation":"other","tenant-id":"northstar-us"`,
		"another region":       `"tenant-installation":"acme","tenant-id":"northstar-us","tenant-region":"eu"`,
		"nobody":               "",
	} {
		account, b := newAccount(t, map[string][]reply{
			"GET /v1/customers/cus_1":    {ok(customerJSON("cus_1", "a@b.example", metadata))},
			"GET /v1/subscriptions":      {nobody},
			"DELETE /v1/customers/cus_1": {ok(`{"id":"cus_1","object":"customer","deleted":true}`)},
		})
		target := recorded(wantCustomer(), "cus_1").Target
		_, err := b.Remove(t.Context(), backend.Removal{Target: target})
		expect(t, err, fault.Conflict, "billing.conflict", "billing")
		if account.writes() != 0 {
			t.Errorf("customer of %s: something was changed", name)
		}
		_, err = b.Remove(t.Context(), backend.Removal{Target: target, TakeUnmarked: true})
		if (err == nil) != (metadata == "") {
			t.Errorf("customer of %s with TakeUnmarked: got %v", name, err)
		}
	}
}

func TestACustomerWithAStrangersSubscriptionStays(t *testing.T) {
	account, b := newAccount(t, map[string][]reply{
		"GET /v1/customers/cus_1":    {ok(customerJSON("cus_1", "a@b.example", marker))},
		"GET /v1/subscriptions":      {ok(listJSON("false", subscriptionJSON("past_due", "gold", "1", ""))), ok(listJSON("false", subscriptionJSON("canceled", "gold", "1", "")))},
		"DELETE /v1/customers/cus_1": {ok(`{"id":"cus_1","object":"customer","deleted":true}`)},
	})
	removal := backend.Removal{Target: recorded(wantCustomer(), "cus_1").Target, Data: tenant.DeleteData}
	_, err := b.Remove(t.Context(), removal)
	expect(t, err, fault.Terminal, "billing.customer_in_use", "billing")
	if account.writes() != 0 {
		t.Error("something was changed")
	}
	receipt, err := b.Remove(t.Context(), removal)
	want := backend.Receipt{Outcome: "deleted", Details: map[string]string{"id": "cus_1", "status": "deleted", "request_id": "req_1"}}
	if diff := cmp.Diff(want, receipt); err != nil || diff != "" {
		t.Errorf("once it is canceled: %v %s", err, diff)
	}
}
