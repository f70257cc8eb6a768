package executor_test

import (
	"encoding/json"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/tenantplane/terraform-provider-tenant/internal/backend"
	"github.com/tenantplane/terraform-provider-tenant/internal/fault"
	"github.com/tenantplane/terraform-provider-tenant/internal/ledger"
	"github.com/tenantplane/terraform-provider-tenant/internal/sandbox"
)

func TestAThrottledCallWaitsAsAskedAndKeepsItsKey(t *testing.T) {
	s := newStage(t)
	var keys []string
	var times []time.Time
	s.place("domain", between{before: func(key string) error {
		keys, times = append(keys, key), append(times, s.clock.Now())
		if len(keys) > 2 {
			return nil
		}
		f := fault.NewRetryable("domain.throttled", "429", nil)
		f.RetryAfter = 7 * time.Second
		return f
	}})
	s.apply(spec("acme"), ledger.Ready)
	if len(keys) != 3 || len(slices.Compact(slices.Clone(keys))) != 1 {
		t.Fatalf("keys %v, want one key three times", keys)
	}
	for i := range 2 {
		if waited := times[i+1].Sub(times[i]); waited < 7*time.Second {
			t.Errorf("waited %s before try %d, want the 7s that were asked for", waited, i+2)
		}
	}
	if diff := cmp.Diff(oneOfEach, s.exists("acme")); diff != "" {
		t.Error(diff)
	}
}

func TestATerminalFaultEndsTheRunAndLeavesTheRestDone(t *testing.T) {
	s := newStage(t)
	want := spec("acme")
	want.Components["domain"] = json.RawMessage(`{"hostname":"acme.nowhere.test","target":"edge.example.net"}`)
	outcome := s.apply(want, ledger.Failed)
	if s.clock.Now() != begin {
		t.Errorf("the run waited %s for a fault that no wait can mend", s.clock.Now().Sub(begin))
	}
	if len(outcome.Faults) != 1 || !strings.HasPrefix(outcome.Faults[0].Fault.Path, "domain") {
		t.Errorf("faults %v, want the zone's alone", outcome.Faults)
	}
	there := s.exists("acme")
	if diff := cmp.Diff(map[string]int{"organization": 1, "customer": 1, "subscription": 1, "database": 1, "bucket": 1}, there); diff != "" {
		t.Error(diff)
	}
	row, err := s.Ledger.Tenant(t.Context(), "acme")
	if err != nil || row.Status != ledger.Failed || row.LastErrorCode == "" || row.FailureCount != 1 {
		t.Errorf("the ledger says %s %q %d, %v", row.Status, row.LastErrorCode, row.FailureCount, err)
	}
	s.apply(spec("acme"), ledger.Ready)
}

func TestAStrangersRecordBlocksTheTenantUntouched(t *testing.T) {
	s := newStage(t)
	err := s.admin.PutRecords(t.Context(), "example.com.", "acme.example.com.", "CNAME", sandbox.RecordSet{TTL: 60, Contents: []string{"elsewhere.example.net."}})
	if err != nil {
		t.Fatal(err)
	}
	outcome := s.apply(spec("acme"), ledger.Blocked)
	if len(outcome.Faults) != 1 || outcome.Faults[0].Fault.Kind != fault.Conflict {
		t.Errorf("faults %v, want a conflict", outcome.Faults)
	}
	inventory, err := s.admin.Objects(t.Context(), sandbox.Filter{Kind: "rrset"})
	if err != nil || len(inventory.Objects) != 1 || !strings.Contains(string(inventory.Objects[0].Body), "elsewhere") {
		t.Errorf("the stranger's record is now %v, %v", inventory.Objects, err)
	}
}

func TestASystemThatStoresSomethingElseIsNotAskedForEver(t *testing.T) {
	s := newStage(t)
	calls := 0
	s.place("billing", between{
		before: func(string) error { calls++; return nil },
		stored: func(o *backend.Observation) {
			if o.Fields["email"] != nil {
				o.Fields["email"] = []string{"other@example.org"}
			}
		},
	})
	outcome := s.apply(spec("acme"), ledger.Failed)
	if len(outcome.Faults) != 1 || outcome.Faults[0].Fault.Code != "billing.stored_other" {
		t.Errorf("faults %v", outcome.Faults)
	}
	if calls > 2 {
		t.Errorf("billing was asked %d times", calls)
	}
}

func TestEveryLogLineOfAnActionHasTheTenFields(t *testing.T) {
	s := newStage(t)
	s.apply(spec("acme"), ledger.Ready)
	lines := 0
	for line := range strings.Lines(s.log.String()) {
		var fields map[string]any
		if err := json.Unmarshal([]byte(line), &fields); err != nil {
			t.Fatal(err)
		}
		for _, name := range []string{
			"tenant_id", "desired_generation", "observed_generation", "action", "provider", "idempotency_key",
			"external_resource_id", "next_reconcile_at", "correlation_id", "outcome",
		} {
			if _, there := fields[name]; !there {
				t.Errorf("%s is missing from %s", name, line)
			}
		}
		lines++
	}
	if lines != 6 {
		t.Errorf("%d lines, want one for each of the six creations:\n%s", lines, s.log)
	}
}
