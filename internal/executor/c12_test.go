package executor_test

import (
	"context"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/tenantplane/terraform-provider-tenant/internal/executor"
	"github.com/tenantplane/terraform-provider-tenant/internal/fault"
	"github.com/tenantplane/terraform-provider-tenant/internal/ledger"
	"github.com/tenantplane/terraform-provider-tenant/internal/sandbox"
)

// NOTAUTH and REFUSED are RFC 2136's words for what an HTTP API says with 401
// and 403; SERVFAIL is its 500. There is no RFC 2136 backend yet.
func TestC12_NoRefusalOfAReadTakesAnythingAway(t *testing.T) {
	for name, tc := range map[string]struct {
		fault       sandbox.Fault
		kind        fault.Kind
		backendWide bool
		status      ledger.Status
	}{
		"401 (NOTAUTH)":   {sandbox.Fault{Effect: sandbox.Unauthorized}, fault.Terminal, true, ledger.Failed},
		"403 (REFUSED)":   {sandbox.Fault{Effect: sandbox.Forbidden}, fault.Terminal, true, ledger.Failed},
		"500 (SERVFAIL)":  {sandbox.Fault{Effect: sandbox.ServerError}, fault.Retryable, false, ledger.Reconciling},
		"503":             {sandbox.Fault{Effect: sandbox.Unavailable}, fault.Retryable, true, ledger.Reconciling},
		"timeout":         {sandbox.Fault{Effect: sandbox.TimeoutBefore}, fault.Retryable, false, ledger.Reconciling},
		"a proxy's 404":   {sandbox.Fault{Effect: sandbox.HTML, Status: 404}, fault.Retryable, true, ledger.Reconciling},
		"half an answer":  {sandbox.Fault{Effect: sandbox.Truncated}, fault.Retryable, false, ledger.Reconciling},
		"connection lost": {sandbox.Fault{Effect: sandbox.DropBefore}, fault.Retryable, false, ledger.Reconciling},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := newStage(t)
			s.apply(spec("acme"), ledger.Ready)
			before := s.object("domain", "record")
			tc.fault.System, tc.fault.Method, tc.fault.Count = "powerdns", "GET", -1
			s.fault(tc.fault)

			view, err := s.Look(t.Context(), spec("acme"))
			if err != nil {
				t.Fatal(err)
			}
			for id, seen := range view.Seen {
				if id.Component != "domain" {
					if seen.Fault != nil || !seen.Present {
						t.Errorf("%s suffers, too: %v", id, seen.Fault)
					}
					continue
				}
				if f := seen.Fault; f == nil || f.Kind != tc.kind || f.BackendWide != tc.backendWide {
					t.Errorf("the look says %+v, want %s, of the whole backend %t", f, tc.kind, tc.backendWide)
				}
			}
			if err := s.DateDrift(t.Context(), view); err != nil {
				t.Fatal(err)
			}
			outcome, err := s.Pass(t.Context(), "acme", claim)
			if err != nil || outcome.Status != tc.status {
				t.Errorf("a pass ends as %s (%v), %v; want %s", outcome.Status, outcome.Faults, err, tc.status)
			}
			after := s.object("domain", "record")
			if after.ExternalID != before.ExternalID || after.Epoch != 1 || !after.DriftSince.IsZero() {
				t.Errorf("the ledger's record became %+v", after)
			}
			if diff := cmp.Diff(oneOfEach, s.exists("acme")); diff != "" {
				t.Error(diff)
			}
			s.wantNoTombstone()

			if err := s.admin.ForgetFaults(t.Context()); err != nil {
				t.Fatal(err)
			}
			s.destroy("acme")
			s.wantGone("acme")
		})
	}
}

// wantNoTombstone wants a destroy that cannot see the record to leave it, and
// the tenant, for a later one.
func (s *stage) wantNoTombstone() {
	s.t.Helper()
	if _, err := s.Ledger.BeginDeletion(s.t.Context(), "acme", claim, nil); err != nil {
		s.t.Fatal(err)
	}
	outcome, err := s.Pass(context.WithoutCancel(s.t.Context()), "acme", claim)
	if err != nil || outcome.Status != ledger.Deleting || s.exists("acme")["rrset"] != 1 {
		s.t.Errorf("a destroy without sight ends as %s, %v, and leaves %v", outcome.Status, err, s.exists("acme"))
	}
}

func TestC12_ARecordThatIsNotThereYetIsToBeCreated(t *testing.T) {
	s := newStage(t)
	outcome, err := s.Converge(t.Context(), executor.Request{Spec: spec("acme"), Claim: claim})
	if err != nil || outcome.Status != ledger.Ready || s.exists("acme")["rrset"] != 1 {
		t.Errorf("%s %v, %v, and %v", outcome.Status, outcome.Faults, err, s.exists("acme"))
	}
}
