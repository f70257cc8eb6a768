package ledgertest

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/tenantplane/terraform-provider-tenant/internal/clock"
	"github.com/tenantplane/terraform-provider-tenant/internal/event"
	"github.com/tenantplane/terraform-provider-tenant/internal/ledger"
	"github.com/tenantplane/terraform-provider-tenant/internal/tenant"
)

// world is one empty ledger and what a test does with it.
type world struct {
	*testing.T
	ctx   context.Context
	clk   *clock.Virtual
	store ledger.Store
	open  func() ledger.Store
	ids   int
}

// The names most tests use.
const (
	acme   = tenant.ID("acme")
	owner  = "state-a"
	worker = "worker-1"
	ttl    = time.Minute
)

func (w *world) must(err error) {
	w.Helper()
	if err != nil {
		w.Fatal(err)
	}
}

func (w *world) wantErr(err, target error) {
	w.Helper()
	if !errors.Is(err, target) {
		w.Fatalf("got error %v, want %v", err, target)
	}
}

func (w *world) equal(what string, got, want any) {
	w.Helper()
	if diff := cmp.Diff(want, got); diff != "" {
		w.Fatalf("%s (-want +got):\n%s", what, diff)
	}
}

// freshID draws an id no other event of this test has.
func (w *world) freshID() string {
	w.ids++
	return fmt.Sprintf("event-%d", w.ids)
}

func (w *world) event(id tenant.ID) event.Event {
	return event.Event{
		ID: w.freshID(), Type: event.ComponentReady, Tenant: id, Correlation: "onboarding-1",
		Time: w.clk.Now(), Data: json.RawMessage(`{"component":"billing"}`),
	}
}

// spec is a spec that differs from another one by its seats only.
func spec(id tenant.ID, seats int) tenant.Spec {
	return tenant.Spec{
		Subject:    tenant.Subject{Installation: "test", ID: id, DisplayName: "Tenant " + string(id), Region: "us-east"},
		Components: map[string]json.RawMessage{"quota": json.RawMessage(fmt.Sprintf(`{"seats":%d}`, seats))},
		Deletion:   tenant.Deletion{Data: tenant.ArchiveData, RetentionDays: 90},
	}
}

func (w *world) declaration(id tenant.ID, seats int) ledger.Declaration {
	return ledger.Declaration{Spec: spec(id, seats), Claim: owner, CorrelationID: "onboarding-1", EventID: w.freshID()}
}

func (w *world) declare(id tenant.ID, seats int) ledger.Tenant {
	w.Helper()
	t, err := w.store.Declare(w.ctx, w.declaration(id, seats))
	w.must(err)
	return t
}

func (w *world) tenant(id tenant.ID) ledger.Tenant {
	w.Helper()
	t, err := w.store.Tenant(w.ctx, id)
	w.must(err)
	return t
}

func (w *world) acquire(id tenant.ID) ledger.Lease {
	w.Helper()
	lease, err := w.store.Acquire(w.ctx, id, worker, ttl)
	w.must(err)
	return lease
}

// object is a settled object of generation 1.
func object(component, name string, epoch int64) ledger.Object {
	return ledger.Object{
		Component: component, Object: name, ExternalID: component + "-id", Name: "tnt-" + component,
		Epoch: epoch, Attempt: 1, Condition: ledger.ConditionReady, Generation: 1,
		Fields: tenant.Fields{"plan": {"pro"}, "domains": {"a.example", "b.example"}},
		Spec:   json.RawMessage(`{"plan":"pro"}`),
	}
}

func (w *world) settle(lease ledger.Lease, o ledger.Object) {
	w.Helper()
	w.must(w.store.Settle(w.ctx, lease, ledger.Settlement{Generation: w.tenant(lease.Tenant).DesiredGeneration, Object: o}))
}

func (w *world) forget(lease ledger.Lease, component, name string) {
	w.Helper()
	w.must(w.store.Settle(w.ctx, lease, ledger.Settlement{
		Generation: w.tenant(lease.Tenant).DesiredGeneration, Forget: true,
		Object: ledger.Object{Component: component, Object: name},
	}))
}

func (w *world) objects(id tenant.ID) []ledger.Object {
	w.Helper()
	objects, err := w.store.Objects(w.ctx, id)
	w.must(err)
	return objects
}

func (w *world) intents(id tenant.ID) []ledger.Intent {
	w.Helper()
	intents, err := w.store.OpenIntents(w.ctx, id)
	w.must(err)
	return intents
}

func (w *world) evidence(id tenant.ID) []ledger.Evidence {
	w.Helper()
	evidence, err := w.store.Evidence(w.ctx, id)
	w.must(err)
	return evidence
}

// pending returns all events, the oldest first.
func (w *world) pending() []event.Event {
	w.Helper()
	events, err := w.store.Events(w.ctx, ledger.EventFilter{})
	w.must(err)
	slices.Reverse(events)
	return events
}

func (w *world) pendingIDs() []string {
	w.Helper()
	ids := []string{}
	for _, e := range w.pending() {
		ids = append(ids, e.ID)
	}
	return ids
}

// bury leads a tenant without objects through its deletion.
func (w *world) bury(id tenant.ID) {
	w.Helper()
	_, err := w.store.BeginDeletion(w.ctx, id, owner, nil)
	w.must(err)
	w.must(w.store.Tombstone(w.ctx, w.acquire(id), nil, nil))
}

// unchanged checks that do leaves everything stored of a tenant as it was.
func (w *world) unchanged(id tenant.ID, do func()) {
	w.Helper()
	before := w.snapshot(id)
	do()
	w.equal("what is stored of "+string(id), w.snapshot(id), before)
}

func (w *world) snapshot(id tenant.ID) []any {
	w.Helper()
	return []any{w.tenant(id), w.objects(id), w.intents(id), w.evidence(id), w.pending()}
}
