package stripe_test

import (
	"errors"
	"strings"
	"testing"

	"github.com/tenantplane/terraform-provider-tenant/internal/backend"
	"github.com/tenantplane/terraform-provider-tenant/internal/backend/stripe"
	"github.com/tenantplane/terraform-provider-tenant/internal/fault"
)

// expect checks a fault by what callers act on.
func expect(t *testing.T, err error, kind fault.Kind, code, path string) {
	t.Helper()
	f, ok := errors.AsType[*fault.Fault](err)
	if !ok || f.Kind != kind || f.Code != code || f.Path != path {
		t.Errorf("got %#v (%v); want %s %s at %q", f, err, kind, code, path)
	}
}

func TestRefusalsAreToldApart(t *testing.T) {
	const api, invalid = `"type":"api_error"`, `"type":"invalid_request_error"`
	for name, tc := range map[string]struct {
		reply reply
		kind  fault.Kind
		code  string
		path  string
		wide  bool
	}{
		"own call still running": {refuse(409, `{`+invalid+`,"code":"idempotency_key_in_use"}`), fault.Retryable, "billing.key_in_use", "", false},
		"object locked":          {refuse(429, `{`+invalid+`,"code":"lock_timeout"}`), fault.Retryable, "billing.lock_timeout", "", false},
		"too many requests":      {refuse(429, `{`+invalid+`,"code":"rate_limit"}`), fault.Retryable, "billing.rate_limited", "", true},
		"key with other body":    {refuse(400, `{"type":"idempotency_error"}`), fault.Terminal, stripe.CodeKeyMismatch, "", false},
		"stored 500":             {refuse(500, `{`+api+`}`).replayed(), fault.Ambiguous, stripe.CodeStoredFailure, "", false},
		"stored 400":             {refuse(400, `{`+invalid+`,"param":"email"}`).replayed(), fault.Retryable, stripe.CodeStoredFailure, "billing.email", false},
		"fresh 500":              {refuse(500, `{`+api+`}`), fault.Ambiguous, "backend.unavailable", "", false},
		"bad e-mail":             {refuse(400, `{`+invalid+`,"code":"email_invalid","param":"email"}`), fault.Terminal, "billing.refused", "billing.email", false},
		"archived price":         {refuse(400, `{`+invalid+`,"param":"items[0][price]"}`), fault.Terminal, "billing.refused", "billing.plan", false},
		"declined":               {refuse(402, `{"type":"card_error","code":"card_declined"}`), fault.Terminal, "billing.refused", "", false},
		"wrong key":              {refuse(401, `{`+invalid+`}`), fault.Terminal, "backend.credentials", "", true},
		"restricted key":         {refuse(403, `{`+invalid+`}`), fault.Terminal, "backend.credentials", "", true},
		"no such address":        {refuse(404, `{`+invalid+`,"message":"Unrecognized request URL"}`), fault.Retryable, "backend.not_found_unproven", "", false},
		"object of live mode": {refuse(404, `{`+invalid+`,"code":"resource_missing","param":"id","message":"No such customer: 'cus_1'; a similar object exists in live mode, but a test mode key was used to make this request."}`),
			fault.Terminal, "billing.wrong_mode", "", true},
		"another object":     {ok(`{"id":"sub_1","object":"subscription"}`), fault.Ambiguous, "backend.malformed", "", false},
		"an object of no id": {ok(`{"object":"customer"}`), fault.Ambiguous, "backend.malformed", "", false},
		"absent":             {refuse(404, `{`+invalid+`,"code":"resource_missing","param":"id"}`), fault.NotFound, "billing.absent", "", false},
	} {
		t.Run(name, func(t *testing.T) {
			tc.reply.header = tc.reply.header.Clone()
			_, b := newAccount(t, map[string][]reply{"POST /v1/customers/cus_1": {tc.reply}})
			_, err := b.Ensure(t.Context(), recorded(wantCustomer(), "cus_1"))
			expect(t, err, tc.kind, tc.code, tc.path)
			if f := fault.From(err); f.BackendWide != tc.wide {
				t.Errorf("backend-wide is %t (%v)", f.BackendWide, f)
			}
		})
	}
}

func TestThePathObjectIsTheOnlyOneWhoseAbsenceIsProven(t *testing.T) {
	gone := refuse(404, `{"type":"invalid_request_error","code":"resource_missing","param":"items[0][price]","message":"No such price"}`)
	account, b := newAccount(t, map[string][]reply{
		"GET /v1/subscriptions/sub_1":  {ok(subscriptionJSON("active", "pro", "1", pro))},
		"POST /v1/subscriptions/sub_1": {gone},
	})
	_, err := b.Ensure(t.Context(), recorded(wantSubscription("pro", 2), "sub_1"))
	expect(t, err, fault.Terminal, "billing.refused", "billing.plan")
	if account.writes() != 1 {
		t.Errorf("tried %d times", account.writes())
	}
}

func TestTheAPIKeyIsNeverShown(t *testing.T) {
	_, b := newAccount(t, map[string][]reply{
		"POST /v1/customers/cus_1": {refuse(400, `{"type":"invalid_request_error","message":"you sent Authorization: Bearer `+apiKey+` `+strings.Repeat("x", 1000)+`"}`)},
	})
	_, err := b.Ensure(t.Context(), recorded(wantCustomer(), "cus_1"))
	if err == nil || strings.Contains(err.Error(), "canary") || len(err.Error()) > 600 {
		t.Errorf("got %v", err)
	}
}

func TestSettingsAreCheckedWithoutShowingSecrets(t *testing.T) {
	for _, tc := range []struct{ key, url, path string }{
		{"", "", "stripe.api_key"},
		{"pk_live_canary", "", "stripe.api_key"},
		{"sk_canary\n", "", "stripe.api_key"},
		{"sk_x", "api.stripe.com", "stripe.url"},
		{"sk_x", "ftp://api.stripe.com", "stripe.url"},
		{"sk_x", "https://user:canary@api.stripe.com", "stripe.url"},
		{"sk_x", "https://api.stripe.com?x=1", "stripe.url"},
	} {
		_, f := stripe.Driver().Open(backend.Settings{Path: "stripe", Options: map[string]string{"api_key": tc.key, "url": tc.url}})
		if f == nil || f.Kind != fault.Terminal || f.Path != tc.path || strings.Contains(f.Error(), "canary") {
			t.Errorf("key %q url %q: got %v, want a fault at %s", tc.key, tc.url, f, tc.path)
		}
	}
	if _, f := stripe.Driver().Open(backend.Settings{Options: map[string]string{"api_key": "sk_x"}}); f != nil {
		t.Errorf("the least settings: %v", f)
	}
}
