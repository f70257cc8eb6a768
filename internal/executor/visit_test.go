package executor_test

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/tenantplane/terraform-provider-tenant/internal/executor"
	"github.com/tenantplane/terraform-provider-tenant/internal/fault"
	"github.com/tenantplane/terraform-provider-tenant/internal/ledger"
	"github.com/tenantplane/terraform-provider-tenant/internal/sandbox"
	"github.com/tenantplane/terraform-provider-tenant/internal/tenant"
)

// sweeper is a worker that visits, with the usual critical components.
func (s *stage) sweeper(name string) *executor.Executor {
	return s.worker(name, func(o *executor.Options) {
		o.Cadence.Components = []string{"identity", "domain"}
	})
}

// visit visits a tenant once, and wants its status afterwards.
func (s *stage) visit(x *executor.Executor, id tenant.ID, want ledger.Status) executor.Outcome {
	s.t.Helper()
	outcome, err := x.Visit(s.t.Context(), id, x.Worker)
	if err != nil {
		s.t.Fatal(err)
	}
	row, err := s.Ledger.Tenant(s.t.Context(), id)
	if err != nil || row.Status != want || outcome.Status != want {
		s.t.Fatalf("after the visit %s is %s in the ledger and %s by outcome, want %s: %v %v", id, row.Status, outcome.Status, want, outcome.Faults, err)
	}
	return outcome
}

// due is when acme is due, from now.
func (s *stage) due() time.Duration {
	s.t.Helper()
	return s.tenant().NextReconcileAt.Sub(s.clock.Now())
}

func (s *stage) deleteRecord(id string) {
	s.t.Helper()
	if err := s.admin.DeleteRecords(s.t.Context(), "example.com.", id+".example.com.", "CNAME"); err != nil {
		s.t.Fatal(err)
	}
}

// repairing is a spec whose drift sweeps repair.
func repairing(id string) tenant.Spec {
	want := spec(id)
	want.Drift.Policy = tenant.RepairDrift
	return want
}

func TestAVisitGoesOnWithAnOnboardingThatNobodyFinished(t *testing.T) {
	s := newStage(t)
	if _, err := s.declare("acme"); err != nil {
		t.Fatal(err)
	}
	s.visit(s.sweeper("sweep"), "acme", ledger.Ready)
	if diff := cmp.Diff(oneOfEach, s.exists("acme")); diff != "" {
		t.Error(diff)
	}
}

func TestAVisitGoesOnWithADeletion(t *testing.T) {
	s := newStage(t)
	s.apply(spec("acme"), ledger.Ready)
	if _, err := s.Ledger.BeginDeletion(t.Context(), "acme", claim, nil); err != nil {
		t.Fatal(err)
	}
	s.visit(s.sweeper("sweep"), "acme", ledger.Deleted)
}

func TestCriticalComponentsAreLookedAtMoreOftenThanTheRest(t *testing.T) {
	s := newStage(t)
	s.apply(spec("acme"), ledger.Ready)
	sweep := s.sweeper("sweep")
	var mu sync.Mutex
	var looks []string
	s.placeAll(between{look: func(object string) error {
		mu.Lock()
		defer mu.Unlock()
		looks = append(looks, object)
		return nil
	}})
	all, some := 0, 0
	for range 24 { // visits
		s.clock.Advance(s.due())
		looks = nil
		s.visit(sweep, "acme", ledger.Ready)
		if due := s.due(); due < 270*time.Second || due > 330*time.Second {
			t.Fatalf("due in %s, want about 5 minutes", due)
		}
		slices.Sort(looks)
		switch fmt.Sprint(looks) {
		case "[domain.record identity.organization]":
			some++
		case "[billing.customer billing.subscription database.schema domain.record identity.organization storage.bucket]":
			all++
		default:
			t.Fatalf("looked at %v", looks)
		}
	}
	if all != 2 || some != 22 {
		t.Errorf("in two hours everything was looked at %d times and the critical components %d times, want 2 and 22", all, some)
	}
}

func TestDriftIsReportedByDefaultAndRepairedWhereThePolicySaysSo(t *testing.T) {
	for name, test := range map[string]struct {
		policy tenant.Drift
		paused bool
		status ledger.Status
		epoch  int64
	}{
		"by default":                    {tenant.Drift{}, false, ledger.Degraded, 1},
		"report":                        {tenant.Drift{Policy: tenant.ReportDrift}, false, ledger.Degraded, 1},
		"repair":                        {tenant.Drift{Policy: tenant.RepairDrift}, false, ledger.Ready, 2},
		"repair, but not this one":      {tenant.Drift{Policy: tenant.RepairDrift, Components: map[string]tenant.DriftPolicy{"domain": tenant.ReportDrift}}, false, ledger.Degraded, 1},
		"report, but repair this one":   {tenant.Drift{Components: map[string]tenant.DriftPolicy{"domain": tenant.RepairDrift}}, false, ledger.Ready, 2},
		"repair, but somebody works it": {tenant.Drift{Policy: tenant.RepairDrift}, true, ledger.Degraded, 1},
		"ignored":                       {tenant.Drift{Policy: tenant.RepairDrift, Ignore: []string{"domain.record"}}, false, ledger.Ready, 1},
	} {
		t.Run(name, func(t *testing.T) {
			s := newStage(t)
			want := spec("acme")
			want.Drift = test.policy
			s.apply(want, ledger.Ready)
			if test.paused {
				if _, err := s.Ledger.Pause(t.Context(), "acme", s.clock.Now().Add(time.Hour), "INC-1"); err != nil {
					t.Fatal(err)
				}
			}
			s.deleteRecord("acme")
			s.visit(s.sweeper("sweep"), "acme", test.status)
			row := s.object("domain", "record")
			if row.Epoch != test.epoch || row.DriftSince.IsZero() != (test.status == ledger.Ready) {
				t.Errorf("the record is in epoch %d, %s since %s", row.Epoch, row.Condition, row.DriftSince)
			}
			if n := s.exists("acme")["rrset"]; n != int(test.epoch)-1 {
				t.Errorf("%d records", n)
			}
		})
	}
}

func TestAPauseEndsByItself(t *testing.T) {
	s := newStage(t)
	s.apply(repairing("acme"), ledger.Ready)
	if _, err := s.Ledger.Pause(t.Context(), "acme", s.clock.Now().Add(time.Hour), "INC-1"); err != nil {
		t.Fatal(err)
	}
	s.deleteRecord("acme")
	sweep := s.sweeper("sweep")
	s.visit(sweep, "acme", ledger.Degraded)
	s.clock.Advance(time.Hour)
	s.visit(sweep, "acme", ledger.Ready)
}

func TestSweepsNeverMakeAnEmptyDatabaseInPlaceOfALostOne(t *testing.T) {
	s := newStage(t)
	s.apply(repairing("acme"), ledger.Ready)
	s.lose("databases/tnt_acme*")
	s.clock.Advance(time.Hour)
	s.visit(s.sweeper("sweep"), "acme", ledger.Degraded)
	if n := s.exists("acme")["database"]; n != 0 {
		t.Errorf("%d databases", n)
	}
	if row := s.object("database", "schema"); row.Condition != ledger.ConditionMissing {
		t.Errorf("the database is %s", row.Condition)
	}
	s.apply(repairing("acme"), ledger.Ready) // a person has seen the plan
}

func TestSweepsMakeOnlyAFewMissingObjectsOfOneBackendAnew(t *testing.T) {
	const fleet, few = 8, 5
	s := newStage(t)
	for i := range fleet {
		s.apply(repairing(fmt.Sprintf("t%d", i)), ledger.Ready)
		s.deleteRecord(fmt.Sprintf("t%d", i))
	}
	made := 0
	for i := range fleet {
		id := tenant.ID(fmt.Sprintf("t%d", i))
		if _, err := s.sweeper("sweep").Visit(t.Context(), id, "sweep"); err != nil {
			t.Fatal(err)
		}
		row, err := s.Ledger.Tenant(t.Context(), id)
		if err != nil {
			t.Fatal(err)
		}
		made += s.exists(string(id))["rrset"]
		if refused := row.LastErrorCode == "domain.mass_absence"; refused != (i >= few) || refused != (row.Status == ledger.Degraded) {
			t.Errorf("%s is %s: %s", id, row.Status, row.LastError)
		}
	}
	if made != few {
		t.Errorf("%d records were made anew, want %d", made, few)
	}
	s.apply(repairing("t7"), ledger.Ready) // an apply is not held back
}

func TestAReadErrorIsNoDrift(t *testing.T) {
	s := newStage(t)
	s.apply(repairing("acme"), ledger.Ready)
	s.placeAll(between{look: func(string) error { return errors.New("503") }})
	s.visit(s.sweeper("sweep"), "acme", ledger.Ready)
	if row := s.tenant(); row.FailureCount != 1 || row.LastError == "" {
		t.Errorf("%d failures, %q", row.FailureCount, row.LastError)
	}
	if row := s.object("domain", "record"); row.Condition != ledger.ConditionReady {
		t.Errorf("the record is %s", row.Condition)
	}
}

func TestARepairThatFailsKeepsTheAgeOfTheDrift(t *testing.T) {
	s := newStage(t)
	s.apply(repairing("acme"), ledger.Ready)
	s.deleteRecord("acme")
	first := s.clock.Now()
	s.place("domain", between{before: func(string) error { return fault.NewRetryable("domain.busy", "busy", nil) }})
	sweep := s.sweeper("sweep")
	for range 3 {
		s.visit(sweep, "acme", ledger.Degraded)
		if row := s.object("domain", "record"); !row.DriftSince.Equal(first) {
			t.Errorf("missing since %s, want %s", row.DriftSince, first)
		}
		s.clock.Advance(s.due())
	}
	delete(s.through, "domain")
	s.visit(sweep, "acme", ledger.Ready)
}

// lose takes files away that match a pattern.
func (s *stage) lose(pattern string) {
	s.t.Helper()
	found, err := filepath.Glob(s.path(pattern))
	if err != nil || len(found) == 0 {
		s.t.Fatal("nothing to lose: ", pattern, err)
	}
	for _, path := range found {
		if err := os.Remove(path); err != nil {
			s.t.Fatal(err)
		}
	}
}

// strangersRecord leaves a stranger's record where the tenant's is to be.
func (s *stage) strangersRecord(id string) {
	s.t.Helper()
	err := s.admin.PutRecords(s.t.Context(), "example.com.", id+".example.com.", "CNAME", sandbox.RecordSet{TTL: 60, Contents: []string{"strangers.example.net."}})
	if err != nil {
		s.t.Fatal(err)
	}
}

func TestTheGuardOfOneIncidentIsForgottenBeforeTheNext(t *testing.T) {
	s := newStage(t)
	for i := range 6 {
		s.apply(repairing(fmt.Sprintf("t%d", i)), ledger.Ready)
	}
	made := func() (n int) {
		t.Helper()
		for i := range 6 {
			id := fmt.Sprintf("t%d", i)
			s.deleteRecord(id)
			if _, err := s.sweeper("sweep").Visit(t.Context(), tenant.ID(id), "sweep"); err != nil {
				t.Fatal(err)
			}
			n += s.exists(id)["rrset"]
		}
		return n
	}
	first := made()
	s.clock.Advance(48 * time.Hour)
	if second := made(); first != 5 || second != 5 {
		t.Errorf("%d were made anew, and two days later %d, want 5 each time", first, second)
	}
}
