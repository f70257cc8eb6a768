package executor_test

import (
	"context"
	"encoding/json"
	"os"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/tenantplane/terraform-provider-tenant/internal/backend"
	"github.com/tenantplane/terraform-provider-tenant/internal/engine"
	"github.com/tenantplane/terraform-provider-tenant/internal/executor"
	"github.com/tenantplane/terraform-provider-tenant/internal/fault"
	"github.com/tenantplane/terraform-provider-tenant/internal/ledger"
	"github.com/tenantplane/terraform-provider-tenant/internal/sandbox"
	"github.com/tenantplane/terraform-provider-tenant/internal/tenant"
)

func TestAPassOverATombstoneMakesNothing(t *testing.T) {
	s := newStage(t)
	s.apply(spec("acme"), ledger.Ready)
	s.destroy("acme")
	outcome, err := s.Pass(t.Context(), "acme", claim)
	if err != nil || outcome.Status != ledger.Deleted {
		t.Errorf("the pass ended %s, %v", outcome.Status, err)
	}
	if diff := cmp.Diff(nothing, s.exists("acme")); diff != "" {
		t.Error(diff)
	}
}

// counting counts the creations asked of a backend and refuses some.
type counting struct {
	backend.Backend
	ensured *atomic.Int64
	keys    *[]string
	refuse  func(try int64) error
}

func (c counting) Ensure(ctx context.Context, want backend.Want) (backend.Observation, error) {
	try := c.ensured.Add(1)
	*c.keys = append(*c.keys, want.Key)
	if err := c.refuse(try); err != nil {
		return backend.Observation{}, err
	}
	return c.Backend.Ensure(ctx, want)
}

// count puts a counting backend before a component's.
func (s *stage) count(component string, refuse func(try int64) error) (*atomic.Int64, *[]string) {
	n, keys := &atomic.Int64{}, &[]string{}
	s.through[component] = func(b backend.Backend) backend.Backend {
		return counting{Backend: b, ensured: n, keys: keys, refuse: refuse}
	}
	return n, keys
}

func TestARecreationKeepsItsKeyHoweverOftenItIsTried(t *testing.T) {
	s := newStage(t)
	s.apply(spec("acme"), ledger.Ready)
	if err := s.admin.DeleteRecords(t.Context(), "example.com.", "acme.example.com.", "CNAME"); err != nil {
		t.Fatal(err)
	}
	_, keys := s.count("domain", func(try int64) error {
		if try < 4 {
			return fault.NewRetryable("domain.busy", "not now", nil)
		}
		return nil
	})
	s.apply(spec("acme"), ledger.Ready)
	want := slices.Repeat([]string{"prod/acme/domain.record/e2"}, 4)
	if diff := cmp.Diff(want, *keys); diff != "" {
		t.Error(diff)
	}
	if got := s.epochs("acme")["domain.record"]; got != 2 {
		t.Errorf("the record lives in epoch %d, want 2", got)
	}
}

func TestWhatIsFinalIsNotTriedAgainWhileSomethingElseIs(t *testing.T) {
	s := newStage(t)
	hopeless, _ := s.count("storage", func(int64) error {
		return fault.NewTerminal("storage.no", "storage", "never", "give up")
	})
	s.count("domain", func(int64) error { return nil })
	patient, _ := s.count("database", func(try int64) error {
		if try < 4 {
			return fault.NewRetryable("database.busy", "not now", nil)
		}
		return nil
	})
	s.apply(spec("acme"), ledger.Failed)
	if hopeless.Load() != 1 || patient.Load() != 4 {
		t.Errorf("the hopeless one was tried %d times, the patient one %d", hopeless.Load(), patient.Load())
	}
}

func TestAStaleViewDatesNoDriftOverANewerRow(t *testing.T) {
	s := newStage(t)
	s.apply(spec("acme"), ledger.Ready)
	if err := s.admin.DeleteRecords(t.Context(), "example.com.", "acme.example.com.", "CNAME"); err != nil {
		t.Fatal(err)
	}
	stale, err := s.Look(t.Context(), spec("acme"))
	if err != nil {
		t.Fatal(err)
	}
	s.clock.Advance(time.Minute)
	s.apply(spec("acme"), ledger.Ready)
	if err := s.DateDrift(t.Context(), stale); err != nil {
		t.Fatal(err)
	}
	rows, err := s.Ledger.Objects(t.Context(), "acme")
	if err != nil {
		t.Fatal(err)
	}
	for _, row := range rows {
		if row.Condition != ledger.ConditionReady || !row.DriftSince.IsZero() {
			t.Errorf("%s.%s is %s since %s", row.Component, row.Object, row.Condition, row.DriftSince)
		}
	}
	if got := s.epochs("acme")["domain.record"]; got != 2 {
		t.Errorf("the record's epoch went back to %d", got)
	}
}

func TestALivingTenantDoesNotMoveToAnotherRegion(t *testing.T) {
	s := newStage(t)
	s.apply(spec("acme"), ledger.Ready)
	moved := spec("acme")
	moved.Subject.Region = "eu-west"
	_, err := s.Converge(t.Context(), executor.Request{Spec: moved, Claim: claim})
	if err == nil || !strings.Contains(err.Error(), `lives in region "us-east"`) {
		t.Errorf("got %v", err)
	}
	if diff := cmp.Diff(oneOfEach, s.exists("acme")); diff != "" {
		t.Error(diff)
	}
}

// A creation that never answered may still arrive: a destroy waits until that
// is unlikely before it believes in the absence.
func TestADestroyWaitsOutACreationThatNeverAnswered(t *testing.T) {
	s := newStage(t)
	s.fault(sandbox.Fault{System: "powerdns", Method: "PATCH", Count: 1, Effect: sandbox.DropBefore})
	if _, err := s.declare("acme"); err != nil {
		t.Fatal(err)
	}
	if _, err := s.Pass(t.Context(), "acme", claim); err != nil {
		t.Fatal(err)
	}
	view, err := s.Look(t.Context(), spec("acme"))
	if err != nil {
		t.Fatal(err)
	}
	plan := s.DestroyPlan(view)
	record := engine.ObjectID{Component: "domain", Object: "record"}
	if len(plan.Faults) != 1 || plan.Faults[0].Object != record || plan.Faults[0].Fault.Kind != fault.Retryable {
		t.Errorf("right after the loss the plan has faults %v", plan.Faults)
	}
	begun := s.clock.Now()
	s.destroy("acme")
	if waited := s.clock.Now().Sub(begun); waited < 10*time.Second {
		t.Errorf("the destroy waited only %s", waited)
	}
	if diff := cmp.Diff(nothing, s.exists("acme")); diff != "" {
		t.Error(diff)
	}
}

// declare declares a tenant without working on it.
func (s *stage) declare(id string) (ledger.Tenant, error) {
	return s.Ledger.Declare(s.t.Context(), ledger.Declaration{Spec: spec(id), Claim: claim, CorrelationID: "c", EventID: "declared-" + id})
}

// unanswered ends or archives, and then its answer is lost.
type unanswered struct {
	backend.Backend
	died *atomic.Bool
}

func (d unanswered) Archive(ctx context.Context, r backend.Removal) (backend.Receipt, error) {
	receipt, err := d.Backend.(backend.Archiver).Archive(ctx, r)
	if err == nil && d.died.CompareAndSwap(false, true) {
		return backend.Receipt{}, fault.NewAmbiguous("x.lost", "the answer was lost", nil)
	}
	return receipt, err
}

// A deletion whose archive was never answered is taken back: the tenant lives
// anew, and the ledger knows where the old data is.
func TestADeletionTakenBackKnowsWhereTheDataWentThatItHadArchived(t *testing.T) {
	for component, object := range map[string]string{"storage": "bucket", "database": "schema"} {
		t.Run(component, func(t *testing.T) {
			s := newStage(t)
			s.apply(spec("acme"), ledger.Ready)
			died := &atomic.Bool{}
			s.through[component] = func(b backend.Backend) backend.Backend { return unanswered{b, died} }
			if _, err := s.Ledger.BeginDeletion(t.Context(), "acme", claim, nil); err != nil {
				t.Fatal(err)
			}
			if _, err := s.Pass(t.Context(), "acme", claim); err != nil {
				t.Fatal(err)
			}
			if !died.Load() {
				t.Fatal("nothing was archived")
			}
			s.clock.Advance(time.Minute)
			again := spec("acme") // and now other content is wanted, which is none of the archive's business
			again.Components["storage"] = json.RawMessage(`{"versioning":true}`)
			again.Components["database"] = json.RawMessage(`{"seed":[{"name":"a.sql","sql":"CREATE TABLE a (n int)"}]}`)
			s.apply(again, ledger.Ready)
			epochs := s.epochs("acme")
			if epochs[component+"."+object] != 2 || epochs[component+"."+object+"@1"] != 1 {
				t.Errorf("epochs %v, want a second life beside the first one's archive", epochs)
			}
		})
	}
}

func TestARemovalThatWasInterruptedIsAskedForAgain(t *testing.T) {
	s := newStage(t)
	want := spec("acme")
	want.Deletion.Data = "delete"
	s.apply(want, ledger.Ready)
	asked := &atomic.Int64{}
	s.through["storage"] = func(b backend.Backend) backend.Backend { return halfRemoved{b, asked} }
	s.destroy("acme")
	if asked.Load() != 2 {
		t.Errorf("the backend was asked %d times, want a second time for what was left", asked.Load())
	}
}

// halfRemoved takes the object away at the first call and fails to finish.
type halfRemoved struct {
	backend.Backend
	asked *atomic.Int64
}

func (h halfRemoved) Remove(ctx context.Context, r backend.Removal) (backend.Receipt, error) {
	receipt, err := h.Backend.Remove(ctx, r)
	if err == nil && h.asked.Add(1) == 1 {
		return backend.Receipt{}, fault.NewRetryable("storage.left", "something of it is left", nil)
	}
	return receipt, err
}

// A container that is taken over as it is gets our marker all the same: without
// it nobody could tell it from a stranger's when the tenant goes.
func TestAContainerThatIsTakenOverGetsOurMarker(t *testing.T) {
	s := newStage(t)
	bucket := tenant.BucketName.Name(installation, "acme")
	if err := os.Mkdir(s.path("storage/"+bucket), 0o750); err != nil {
		t.Fatal(err)
	}
	want := spec("acme")
	want.Components["storage"] = json.RawMessage(`{"adopt":"matching"}`)
	want.Deletion.Data = tenant.DeleteData
	s.apply(want, ledger.Ready)
	view, err := s.Look(t.Context(), want)
	if err != nil {
		t.Fatal(err)
	}
	if got := view.Seen[engine.ObjectID{Component: "storage", Object: "bucket"}]; got.Owner != engine.Ours {
		t.Errorf("the bucket is %s", got.Owner)
	}
	s.destroy("acme")
	if diff := cmp.Diff(nothing, s.exists("acme")); diff != "" {
		t.Error(diff)
	}
}

// blind is a system without keys and without a way to look.
type blind struct{ backend.Backend }

func (blind) Capabilities() backend.Capabilities { return backend.Capabilities{} }

func TestACreationThatNobodyCanDecideAboutIsNeverRepeated(t *testing.T) {
	s := newStage(t)
	tries, _ := s.count("storage", func(int64) error { return fault.NewAmbiguous("storage.lost", "no answer", nil) })
	counted := s.through["storage"]
	s.through["storage"] = func(b backend.Backend) backend.Backend { return blind{counted(b)} }
	outcome := s.apply(spec("acme"), ledger.Blocked)
	if tries.Load() != 1 {
		t.Errorf("the creation was sent %d times", tries.Load())
	}
	if text := outcome.Faults[0].Fault.Error(); !strings.Contains(text, "prod/acme/storage.bucket/e1") || !strings.Contains(text, "look there") {
		t.Errorf("%q does not say which creation it was and what to do", text)
	}
}

func TestAnApplyDoesNotWaitItsWholeTimeoutForABackendThatIsOutOfReach(t *testing.T) {
	s := newStage(t)
	s.count("domain", func(int64) error {
		return &fault.Fault{Kind: fault.Retryable, Code: "domain.down", Found: "connection refused", BackendWide: true}
	})
	begun := s.clock.Now()
	s.apply(spec("acme"), ledger.Reconciling)
	if waited := s.clock.Now().Sub(begun); waited < 2*time.Minute || waited > 4*time.Minute {
		t.Errorf("it waited %s, want a little over two minutes", waited)
	}
}
