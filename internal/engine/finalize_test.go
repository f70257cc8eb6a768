package engine_test

import (
	"slices"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/tenantplane/terraform-provider-tenant/internal/engine"
	"github.com/tenantplane/terraform-provider-tenant/internal/fault"
)

func TestFinalizationTurnsAccessOffStopsBillingAndEndsWithTheAuditRecord(t *testing.T) {
	d := installation()
	plan := engine.Finalize(d, alive(d), now)
	want := []string{
		"disable database.schema", "disable identity.organization",
		"delete billing.subscription",
		"archive database.schema",
		"delete domain.record", "delete storage.bucket", "delete identity.organization",
		"delete billing.customer",
	}
	if diff := cmp.Diff(want, ids(plan)); diff != "" {
		t.Error(diff)
	}
	if archive := plan.Actions[3]; archive.RetainUntil != now.AddDate(0, 0, 30) {
		t.Errorf("data is kept until %s", archive.RetainUntil)
	}
}

func TestDataIsTouchedOnlyAfterAccessIsOff(t *testing.T) {
	d := installation()
	plan := engine.Finalize(d, alive(d), now)
	for _, a := range plan.Actions {
		if a.Object.Finalization.Data == "" || a.Verb == engine.Disable {
			continue
		}
		for _, off := range []string{"disable database.schema", "disable identity.organization"} {
			found := false
			for _, need := range a.Needs {
				found = found || need == off
			}
			if !found {
				t.Errorf("%s does not wait for %s", a.ID(), off)
			}
		}
	}
}

// The backend is asked once more: roles, or a removal that was interrupted, may
// be left of an object that is gone itself.
func TestWhatIsLeftOfARecordedObjectIsAskedForThoughItIsGone(t *testing.T) {
	d := installation()
	seen := alive(d)
	for id, s := range seen {
		s.Present = false
		seen[id] = s
	}
	want := []string{
		"delete billing.subscription", "delete database.schema", "delete domain.record", "delete storage.bucket",
		"delete identity.organization", "delete billing.customer",
	}
	if diff := cmp.Diff(want, ids(engine.Finalize(d, seen, now))); diff != "" {
		t.Error(diff)
	}
}

func TestAnUnmarkedObjectOfAnotherIDIsNotTheRecordedOne(t *testing.T) {
	seen := engine.Sightings{oid("storage", "bucket"): {
		Present: true, Owner: engine.Unmarked, ExternalID: "another", Record: engine.Record{Known: true, ExternalID: "ours", Epoch: 1},
	}}
	if diff := cmp.Diff([]string{"forget storage.bucket"}, ids(engine.Finalize(installation(), seen, now))); diff != "" {
		t.Error(diff)
	}
}

func TestAnArchiveThatWasInterruptedComesBeforeTheNextLife(t *testing.T) {
	d := installation()
	seen := alive(d)
	seen[oid("database", "schema")] = engine.Sighting{
		Record: engine.Record{Known: true, ExternalID: "x", Epoch: 1, IntentOpen: true, Archiving: true},
	}
	if diff := cmp.Diff([]string{"archive database.schema"}, ids(engine.InterruptedArchives(d, seen, now))); diff != "" {
		t.Error(diff)
	}
	if plan := engine.InterruptedArchives(d, alive(d), now); !plan.Empty() {
		t.Errorf("a healthy tenant has %v", ids(plan))
	}
}

func TestWhatWasNeverMadeNeedsNoFinalization(t *testing.T) {
	if plan := engine.Finalize(installation(), engine.Sightings{}, now); !plan.Empty() {
		t.Errorf("plan %v", ids(plan))
	}
}

func TestAStrangersObjectIsNeverFinalized(t *testing.T) {
	d := installation()
	seen := alive(d)
	bucket := seen[oid("storage", "bucket")]
	bucket.Owner, bucket.Record = engine.Foreign, engine.Record{}
	seen[oid("storage", "bucket")] = bucket
	unmarked := seen[oid("domain", "record")]
	unmarked.Owner, unmarked.Record = engine.Unmarked, engine.Record{}
	seen[oid("domain", "record")] = unmarked
	plan := engine.Finalize(d, seen, now)
	for _, a := range plan.Actions {
		if a.Object.ID == oid("storage", "bucket") || a.Object.ID == oid("domain", "record") {
			t.Errorf("%s on somebody else's object", a.ID())
		}
	}
}

func TestADeadBackendHoldsWhatItsObjectNeedsAndNothingElse(t *testing.T) {
	d := installation()
	seen := alive(d)
	record := seen[oid("domain", "record")]
	record.Fault = fault.NewRetryable("domain.down", "connection refused", nil)
	seen[oid("domain", "record")] = record
	plan := engine.Finalize(d, seen, now)
	for _, id := range []string{"disable database.schema", "disable identity.organization", "delete billing.subscription"} {
		if !slices.Contains(ids(plan), id) {
			t.Errorf("%s is missing: access and the bill end whatever else is stuck", id)
		}
	}
	if indexOf(plan, oid("billing", "customer"), engine.Delete) >= 0 {
		t.Error("the audit record goes while something is left")
	}
}

func TestACreationThatWasRefusedStandsInNobodysWay(t *testing.T) {
	d := installation()
	for name, s := range map[string]engine.Sighting{
		"nothing there":         {Record: engine.Record{Known: true, Epoch: 1}},
		"ours was taken over":   {Present: true, Owner: engine.Foreign, ExternalID: "x", Record: engine.Record{Known: true, Epoch: 1, ExternalID: "x"}},
		"a stranger's is there": {Present: true, Owner: engine.Foreign, Record: engine.Record{Known: true, Epoch: 1}},
	} {
		plan := engine.Finalize(d, engine.Sightings{oid("domain", "record"): s}, now)
		if diff := cmp.Diff([]string{"forget domain.record"}, ids(plan)); diff != "" {
			t.Errorf("%s: %s", name, diff)
		}
	}
}

func TestAnUnansweredCreationIsWaitedOutBeforeItCountsAsAbsent(t *testing.T) {
	d := installation()
	sent := engine.Record{Known: true, Epoch: 1, IntentOpen: true, CreatingSince: now.Add(-time.Second)}
	plan := engine.Finalize(d, engine.Sightings{oid("domain", "record"): {Record: sent}}, now)
	if len(plan.Actions) > 0 || len(plan.Faults) != 1 || plan.Faults[0].Fault.Kind != fault.Retryable {
		t.Errorf("right after: %v, faults %v", ids(plan), plan.Faults)
	}
	plan = engine.Finalize(d, engine.Sightings{oid("domain", "record"): {Record: sent}}, now.Add(time.Minute))
	if diff := cmp.Diff([]string{"delete domain.record"}, ids(plan)); diff != "" {
		t.Errorf("a minute later: %s", diff)
	}
}

func TestWhatHasADatedEndIsNoObstacleEvenOutOfSight(t *testing.T) {
	d := installation()
	seen := engine.Sightings{oid("storage", "bucket"): {
		Fault: fault.NewRetryable("x", "gone for good", nil), Record: engine.Record{Known: true, ExternalID: "x", PendingUntil: now},
	}}
	if plan := engine.Finalize(d, seen, now); !plan.Empty() {
		t.Errorf("plan %v, faults %v", ids(plan), plan.Faults)
	}
}

func TestDataThatCarriesAnothersMarkerNeedsAHuman(t *testing.T) {
	seen := engine.Sightings{oid("storage", "bucket"): {
		Present: true, Owner: engine.Foreign, ExternalID: "x", Record: engine.Record{Known: true, Epoch: 1, ExternalID: "x"},
	}}
	plan := engine.Finalize(installation(), seen, now)
	if len(plan.Actions) > 0 || len(plan.Faults) != 1 || plan.Faults[0].Fault.Kind != fault.Conflict {
		t.Errorf("plan %v, faults %v", ids(plan), plan.Faults)
	}
}

func TestAnInterruptedArchiveIsAskedForAgainThoughTheObjectIsGone(t *testing.T) {
	d := installation()
	seen := engine.Sightings{oid("database", "schema"): {
		Record: engine.Record{Known: true, ExternalID: "x", Epoch: 1, IntentOpen: true, Archiving: true},
	}}
	if diff := cmp.Diff([]string{"archive database.schema"}, ids(engine.Finalize(d, seen, now))); diff != "" {
		t.Error(diff)
	}
}
