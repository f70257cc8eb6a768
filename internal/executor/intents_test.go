package executor_test

import (
	"context"
	"encoding/json"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/tenantplane/terraform-provider-tenant/internal/backend"
	"github.com/tenantplane/terraform-provider-tenant/internal/executor"
	"github.com/tenantplane/terraform-provider-tenant/internal/fault"
	"github.com/tenantplane/terraform-provider-tenant/internal/ledger"
	"github.com/tenantplane/terraform-provider-tenant/internal/sandbox"
	"github.com/tenantplane/terraform-provider-tenant/internal/tenant"
)

// billed is the spec with another e-mail for the bills.
func billed(email string) tenant.Spec {
	want := spec("acme")
	want.Components["billing"] = json.RawMessage(`{"plan":"pro","email":"` + email + `","seats":5}`)
	return want
}

// loseTheCustomer runs one pass whose creation of the customer meets an effect,
// and leaves it undecided: nobody could look either. It returns the keys of the
// calls that follow.
func (s *stage) loseTheCustomer(effect sandbox.Effect, times int) (later func() []string) {
	s.t.Helper()
	if _, err := s.declare("acme"); err != nil {
		s.t.Fatal(err)
	}
	s.fault(sandbox.Fault{System: "stripe", Method: "POST", Path: "^/v1/customers$", Effect: effect, Count: times})
	s.place("billing", between{after: func() {
		s.fault(sandbox.Fault{System: "stripe", Method: "GET", Path: "^/v1/customers", Effect: sandbox.Unavailable, Count: -1})
	}})
	if _, err := s.Pass(s.t.Context(), "acme", claim); err != nil {
		s.t.Fatal(err)
	}
	delete(s.through, "billing")
	if err := s.admin.ForgetFaults(s.t.Context()); err != nil {
		s.t.Fatal(err)
	}
	if open := s.intents("acme"); len(open) != 1 || open[0].Key != "prod/acme/billing.customer/e1" {
		s.t.Fatalf("open intents %+v, want the customer's", open)
	}
	before := len(s.keys("/v1/customers"))
	return func() []string { return s.keys("/v1/customers")[before:] }
}

func (s *stage) intents(id tenant.ID) []ledger.Intent {
	s.t.Helper()
	open, err := s.Ledger.OpenIntents(context.Background(), id)
	if err != nil {
		s.t.Fatal(err)
	}
	return open
}

func TestEveryChangingCallIsPrecededByItsIntent(t *testing.T) {
	s := newStage(t)
	var mu sync.Mutex
	verbs := map[string]bool{}
	s.placeAll(between{before: func(key string) error {
		mu.Lock()
		defer mu.Unlock()
		for _, i := range s.intents("acme") {
			if i.Key == key && i.RequestHash != "" && !i.FirstUsedAt.IsZero() && i.Tries == 1 {
				verbs[i.Verb] = true
				return nil
			}
		}
		t.Errorf("a call was made under %s, and the ledger has no such intent", key)
		return nil
	}})
	s.apply(spec("acme"), ledger.Ready)
	s.apply(billed("other@example.org"), ledger.Ready)
	s.destroy("acme")
	for _, verb := range []string{"create", "update", "disable", "archive", "delete"} {
		if !verbs[verb] {
			t.Errorf("no intent to %s was seen: %v", verb, verbs)
		}
	}
	if open := s.intents("acme"); len(open) > 0 {
		t.Errorf("left open: %+v", open)
	}
}

func TestC24_ASpecEditedAfterALostAnswerChangesWhatTheFirstCallMade(t *testing.T) {
	s := newStage(t)
	later := s.loseTheCustomer(sandbox.DropAfter, -1)
	s.apply(billed("new@example.org"), ledger.Ready)
	if diff := cmp.Diff([]string{}, later()); diff != "" {
		t.Error(diff)
	}
	if got := s.object("billing", "customer").Fields.Get("email"); got != "new@example.org" {
		t.Errorf("the customer's e-mail is %s", got)
	}
	if diff := cmp.Diff(oneOfEach, s.exists("acme")); diff != "" {
		t.Error(diff)
	}
}

// The first call failed at Stripe, which keeps that failure, and the request it
// belonged to, under the key.
func TestC24_AKeyKnownWithOtherContentIsGivenUpForTheNextAttempts(t *testing.T) {
	s := newStage(t)
	later := s.loseTheCustomer(sandbox.StoredError, 1)
	s.apply(billed("new@example.org"), ledger.Ready)
	first, second := "prod/acme/billing.customer/e1", "prod/acme/billing.customer/e1/a2"
	if diff := cmp.Diff([]string{first, second}, later()); diff != "" {
		t.Error(diff)
	}
	if got := s.object("billing", "customer"); got.Attempt != 2 || got.Epoch != 1 {
		t.Errorf("the customer is of attempt %d in epoch %d", got.Attempt, got.Epoch)
	}
	if diff := cmp.Diff(oneOfEach, s.exists("acme")); diff != "" {
		t.Error(diff)
	}
}

func TestACreationAnsweredWithAnObjectThatIsGoneBeginsAnotherLife(t *testing.T) {
	s := newStage(t)
	later := s.loseTheCustomer(sandbox.DropAfter, -1)
	inventory, err := s.admin.Objects(t.Context(), sandbox.Filter{Kind: "customer"})
	if err != nil || len(inventory.Objects) != 1 {
		t.Fatalf("%d customers, %v", len(inventory.Objects), err)
	}
	if err := s.admin.DeleteStripe(t.Context(), "customers", inventory.Objects[0].ID); err != nil {
		t.Fatal(err)
	}
	s.apply(spec("acme"), ledger.Ready)
	first, second := "prod/acme/billing.customer/e1", "prod/acme/billing.customer/e2"
	if diff := cmp.Diff([]string{first, second}, later()); diff != "" {
		t.Error(diff)
	}
	if got := s.object("billing", "customer"); got.Epoch != 2 || got.Attempt != 1 {
		t.Errorf("the customer is of attempt %d in epoch %d", got.Attempt, got.Epoch)
	}
	if diff := cmp.Diff(oneOfEach, s.exists("acme")); diff != "" {
		t.Error(diff)
	}
}

// A day later the key proves nothing any more.
func TestPastTheKeyWindowALostCreationIsDecidedByLooking(t *testing.T) {
	for effect, calls := range map[sandbox.Effect]int{sandbox.DropAfter: 0, sandbox.DropBefore: 1} {
		t.Run(string(effect), func(t *testing.T) {
			s := newStage(t)
			later := s.loseTheCustomer(effect, -1)
			s.clock.Advance(25 * time.Hour)
			s.apply(spec("acme"), ledger.Ready)
			if keys := later(); len(keys) != calls {
				t.Errorf("calls under %v, want %d", keys, calls)
			}
			if diff := cmp.Diff(oneOfEach, s.exists("acme")); diff != "" {
				t.Error(diff)
			}
			s.wantFirstLife("acme")
		})
	}
}

// sightless is a system that shows nothing without an id, and remembers keys
// for a window.
type sightless struct {
	backend.Backend
	window time.Duration
}

func (b sightless) Capabilities() backend.Capabilities {
	return backend.Capabilities{KeyWindow: b.window}
}

func (b sightless) Observe(ctx context.Context, target backend.Target) (backend.Observation, error) {
	if target.ExternalID == "" {
		return backend.Observation{}, fault.NewNotFound("storage.unknown", "no id to look for")
	}
	return b.Backend.Observe(ctx, target)
}

// blindStorage makes storage a system without a way to look, whose first
// creation takes effect and is not answered. It returns the keys it was called
// with.
func (s *stage) blindStorage(window time.Duration) *[]string {
	keys := &[]string{}
	s.through["storage"] = func(b backend.Backend) backend.Backend {
		return between{Backend: sightless{b, window}, before: func(key string) error {
			*keys = append(*keys, key)
			if len(*keys) == 1 {
				return fault.NewAmbiguous("storage.lost", "no answer", nil)
			}
			return nil
		}}
	}
	return keys
}

func TestWhereNobodyCanLookAKeyIsRepeatedInItsWindowOnly(t *testing.T) {
	for name, c := range map[string]struct {
		later  time.Duration
		status ledger.Status
		calls  int
	}{
		"within": {23 * time.Hour, ledger.Ready, 2},
		"past":   {25 * time.Hour, ledger.Blocked, 1},
	} {
		t.Run(name, func(t *testing.T) {
			s := newStage(t)
			keys := s.blindStorage(24 * time.Hour)
			if _, err := s.declare("acme"); err != nil {
				t.Fatal(err)
			}
			if _, err := s.Pass(t.Context(), "acme", claim); err != nil {
				t.Fatal(err)
			}
			s.clock.Advance(c.later)
			s.apply(spec("acme"), c.status)
			if len(*keys) != c.calls || len(slices.Compact(slices.Clone(*keys))) != 1 {
				t.Errorf("called under %v, want one key %d times", *keys, c.calls)
			}
		})
	}
}

func TestACreationThatNobodyCanDecideAboutStaysBlockedUntilAPersonFollowsTheInstructions(t *testing.T) {
	s := newStage(t)
	keys := s.blindStorage(0)
	for range 5 {
		outcome := s.apply(spec("acme"), ledger.Blocked)
		if text := outcome.Faults[0].Fault.Error(); !strings.Contains(text, "take storage out of the configuration, apply, put storage back") {
			t.Fatalf("%q does not say what to do", text)
		}
		s.clock.Advance(25 * time.Hour)
		if _, err := s.Pass(t.Context(), "acme", "sweep"); err != nil {
			t.Fatal(err)
		}
	}
	changed := spec("acme")
	changed.Components["storage"] = json.RawMessage(`{"versioning":true}`)
	s.apply(changed, ledger.Blocked)
	if len(*keys) != 1 {
		t.Errorf("it was sent again by itself: %v", *keys)
	}
	if got := s.object("storage", "bucket"); got.Condition != ledger.ConditionBlocked {
		t.Errorf("the bucket is %s", got.Condition)
	}

	without := spec("acme")
	delete(without.Components, "storage")
	s.apply(without, ledger.Ready)
	s.apply(spec("acme"), ledger.Ready)
	if want := []string{"prod/acme/storage.bucket/e1", "prod/acme/storage.bucket/e2"}; !slices.Equal(creations(*keys), want) {
		t.Errorf("created under %v, want %v", *keys, want)
	}
	if diff := cmp.Diff(oneOfEach, s.exists("acme")); diff != "" {
		t.Error(diff)
	}
}

// creations picks the keys of creations.
func creations(keys []string) []string {
	return slices.DeleteFunc(slices.Clone(keys), func(key string) bool { return strings.Count(key, "/") != 3 })
}

func TestAPassStopsWhenItsSpecChanges(t *testing.T) {
	s := newStage(t)
	newer := spec("acme")
	newer.Components["domain"] = json.RawMessage(`{"hostname":"acme.example.com","target":"newer.example.net"}`)
	var once sync.Once
	s.place("identity", between{after: func() {
		once.Do(func() {
			if _, err := s.Ledger.Declare(t.Context(), ledger.Declaration{Spec: newer, Claim: claim, CorrelationID: "c", EventID: "e"}); err != nil {
				t.Error(err)
			}
		})
	}})
	records := 0
	s.place("domain", between{stored: func(o *backend.Observation) {
		records++
		if text, _ := json.Marshal(o.Fields); !strings.Contains(string(text), "newer.example.net") {
			t.Errorf("the pass went on with the old spec: %s", text)
		}
	}})
	s.apply(spec("acme"), ledger.Ready)
	if records != 1 {
		t.Errorf("the record was written %d times", records)
	}
	s.wantFirstLife("acme")
}

// observing is a ledger that looks at a tenant's generations after each write
// of its row.
type observing struct {
	ledger.Store
	t       *testing.T
	highest tenant.Generation
}

func (o *observing) Advance(ctx context.Context, lease ledger.Lease, p ledger.Progress) error {
	err := o.Store.Advance(ctx, lease, p)
	o.look(ctx, lease.Tenant)
	return err
}

func (o *observing) Declare(ctx context.Context, d ledger.Declaration) (ledger.Tenant, error) {
	row, err := o.Store.Declare(ctx, d)
	o.look(ctx, d.Spec.Subject.ID)
	return row, err
}

func (o *observing) look(ctx context.Context, id tenant.ID) {
	row, err := o.Store.Tenant(context.WithoutCancel(ctx), id)
	if err != nil || row.ObservedGeneration < o.highest || row.ObservedGeneration > row.DesiredGeneration {
		o.t.Errorf("generation %d of %d is observed after %d: %v", row.ObservedGeneration, row.DesiredGeneration, o.highest, err)
	}
	o.highest = max(o.highest, row.ObservedGeneration)
}

func TestTheObservedGenerationNeverGoesDown(t *testing.T) {
	s := newStage(t)
	o := &observing{Store: s.Ledger, t: t}
	s.options.Ledger = o
	s.Executor = executor.New(s.options)
	s.apply(spec("acme"), ledger.Ready)
	impossible := spec("acme")
	impossible.Components["domain"] = json.RawMessage(`{"hostname":"acme.nowhere.test","target":"edge.example.net"}`)
	s.apply(impossible, ledger.Failed)
	s.apply(spec("acme"), ledger.Ready) // back to the first one is forward
	if got := s.tenant(); got.DesiredGeneration != 3 || got.ObservedGeneration != 3 {
		t.Errorf("generation %d of %d is observed, want 3 of 3", got.ObservedGeneration, got.DesiredGeneration)
	}
	s.destroy("acme")
	s.apply(billed("next@example.org"), ledger.Ready)
	if o.highest < 4 {
		t.Errorf("the second life ended at generation %d", o.highest)
	}
}
