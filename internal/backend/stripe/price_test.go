package stripe_test

import (
	"testing"

	"github.com/tenantplane/terraform-provider-tenant/internal/backend"
	"github.com/tenantplane/terraform-provider-tenant/internal/fault"
)

func TestAPlanThatCannotBeSubscribedToIsRefusedAtPlanAndAtApply(t *testing.T) {
	for name, tc := range map[string]struct {
		prices []reply
		code   string
	}{
		"unknown":   {[]reply{nobody}, "billing.plan_unknown"},
		"archived":  {[]reply{nobody, ok(listJSON("false", priceJSON("price_1", "pro", "recurring")))}, "billing.plan_archived"},
		"paid once": {[]reply{ok(listJSON("false", priceJSON("price_1", "pro", "one_time")))}, "billing.plan_not_recurring"},
	} {
		t.Run(name, func(t *testing.T) {
			for _, act := range []func(backend.Backend) error{
				func(b backend.Backend) error {
					_, err := b.Ensure(t.Context(), wantSubscription("pro", 1))
					return err
				},
				func(b backend.Backend) error {
					faults := b.(backend.Checker).Check(t.Context(), []backend.Want{wantCustomer(), wantSubscription("pro", 1)})
					if len(faults) != 1 {
						t.Fatalf("check found %v", faults)
					}
					return faults[0]
				},
			} {
				account, b := newAccount(t, map[string][]reply{"GET /v1/subscriptions": {nobody}, "GET /v1/prices": tc.prices})
				expect(t, act(b), fault.Terminal, tc.code, "billing.plan")
				if account.writes() != 0 {
					t.Error("something was changed")
				}
			}
		})
	}
}

func TestAPlanArchivedWhileInUseIsNoMistake(t *testing.T) {
	_, b := newAccount(t, map[string][]reply{
		"GET /v1/prices":        {nobody, ok(listJSON("false", priceJSON("price_1", "pro", "recurring")))},
		"GET /v1/subscriptions": {ok(listJSON("false", subscriptionJSON("active", "pro", "1", pro)))},
	})
	if faults := b.(backend.Checker).Check(t.Context(), []backend.Want{wantSubscription("pro", 20)}); len(faults) != 0 {
		t.Errorf("check found %v", faults)
	}
}

func TestACheckFindsWrongCredentials(t *testing.T) {
	_, b := newAccount(t, map[string][]reply{
		"GET /v1/prices":        {refuse(401, `{"type":"invalid_request_error","message":"Invalid API Key provided: sk_test_****nary"}`)},
		"GET /v1/subscriptions": {refuse(401, `{"type":"invalid_request_error","message":"Invalid API Key provided: sk_test_****nary"}`)},
	})
	faults := b.(backend.Checker).Check(t.Context(), []backend.Want{wantSubscription("pro", 20)})
	if len(faults) != 1 || faults[0].Kind != fault.Terminal || !faults[0].BackendWide {
		t.Errorf("check found %v", faults)
	}
}
