package executor_test

import (
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/tenantplane/terraform-provider-tenant/internal/ledger"
	"github.com/tenantplane/terraform-provider-tenant/internal/sandbox"
)

func TestACreationWhoseAnswerIsLostIsNotRepeated(t *testing.T) {
	for _, call := range []struct{ system, method, path string }{
		{"stripe", "POST", "^/v1/customers$"},
		{"stripe", "POST", "^/v1/subscriptions$"},
		{"keycloak", "POST", "/organizations$"},
		{"powerdns", "PATCH", ""},
	} {
		for _, effect := range []sandbox.Effect{sandbox.DropAfter, sandbox.DropBefore, sandbox.TimeoutAfter, sandbox.Truncated} {
			t.Run(call.system+call.path+"/"+string(effect), func(t *testing.T) {
				t.Parallel()
				s := newStage(t)
				s.fault(sandbox.Fault{System: call.system, Method: call.method, Path: call.path, Effect: effect})
				s.apply(spec("acme"), ledger.Ready)
				s.wantHit()
				if diff := cmp.Diff(oneOfEach, s.exists("acme")); diff != "" {
					t.Error(diff)
				}
				intents, err := s.Ledger.OpenIntents(t.Context(), "acme")
				if err != nil || len(intents) > 0 {
					t.Errorf("intents left open: %v %v", intents, err)
				}
			})
		}
	}
}

func TestAFailureStoredUnderTheKeyRaisesTheAttempt(t *testing.T) {
	s := newStage(t)
	s.fault(sandbox.Fault{System: "stripe", Method: "POST", Path: "^/v1/customers$", Effect: sandbox.StoredError})
	s.apply(spec("acme"), ledger.Ready)
	s.wantHit()
	keys := s.keys("/v1/customers")
	if last := keys[len(keys)-1]; last != "prod/acme/billing.customer/e1/a2" {
		t.Errorf("keys %v, want the last one to be the second attempt's", keys)
	}
	if diff := cmp.Diff(oneOfEach, s.exists("acme")); diff != "" {
		t.Error(diff)
	}
}

func TestAKeyThatIsInUseIsKept(t *testing.T) {
	s := newStage(t)
	s.fault(sandbox.Fault{System: "stripe", Method: "POST", Path: "^/v1/customers$", Effect: sandbox.KeyInUse, Count: 2})
	s.apply(spec("acme"), ledger.Ready)
	s.wantHit()
	keys := s.keys("/v1/customers")
	if len(keys) < 3 || len(slices.Compact(keys)) != 1 {
		t.Errorf("keys %v, want the same one each time", keys)
	}
	if diff := cmp.Diff(oneOfEach, s.exists("acme")); diff != "" {
		t.Error(diff)
	}
}
