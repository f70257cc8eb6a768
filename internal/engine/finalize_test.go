package engine_test

import (
	"slices"
	"testing"

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

func TestWhatIsAlreadyAbsentIsForgottenWithEvidence(t *testing.T) {
	d := installation()
	seen := alive(d)
	for id, s := range seen {
		s.Present = false
		seen[id] = s
	}
	for _, a := range engine.Finalize(d, seen, now).Actions {
		if a.Verb != engine.Forget || a.Reason != "already absent" {
			t.Errorf("%s: %s", a.ID(), a.Reason)
		}
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
