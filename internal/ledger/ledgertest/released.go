package ledgertest

import (
	"context"
	"encoding/json"
	"slices"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/tenantplane/terraform-provider-tenant/internal/clock"
	"github.com/tenantplane/terraform-provider-tenant/internal/event"
	"github.com/tenantplane/terraform-provider-tenant/internal/ledger"
	"github.com/tenantplane/terraform-provider-tenant/internal/tenant"
)

// A released version's dump holds what Fill writes, and Remembers reads it back
// with today's program. Both keep to what the first version knew; a later
// version that knows more adds a pair of its own.

// Fill writes into an empty ledger something of everything: a tenant in the
// middle of its work, and one that ended and left an archive.
func Fill(t *testing.T, database Database) {
	t.Helper()
	w := newWorld(t, database)
	w.must(w.store.AdoptInstallation(w.ctx, "released"))
	w.declare(acme, 1)
	lease := w.acquire(acme)
	w.must(w.store.Settle(w.ctx, lease, settledCustomer()))
	_, err := w.store.OpenIntent(w.ctx, lease, openIntent())
	w.must(err)
	w.declare("gone", 2)
	_, err = w.store.BeginDeletion(w.ctx, "gone", owner, nil)
	w.must(err)
	ending := w.acquire("gone")
	w.must(w.store.Settle(w.ctx, ending, archivedSchema()))
	w.must(w.store.Tombstone(w.ctx, ending, nil, []ledger.Evidence{{Actor: owner, Step: "verify", Outcome: "nothing left"}}))
}

// Remembers checks that an opened ledger holds what Fill wrote, and that it
// can be worked with.
func Remembers(t *testing.T, store ledger.Store) {
	t.Helper()
	w := &world{T: t, ctx: context.WithoutCancel(t.Context()), clk: clock.NewVirtual(start), store: store}
	id, err := store.Installation(w.ctx)
	w.must(err)
	w.equal("installation", id, tenant.Installation("released"))
	row := w.tenant(acme)
	w.equal("tenant", []any{row.Status, row.DesiredGeneration, row.Claim, row.Region, row.CreatedAt},
		[]any{ledger.Pending, tenant.Generation(1), owner, "us-east", start})
	if diff := cmp.Diff(spec(acme, 1), row.Spec); diff != "" {
		t.Errorf("spec (-want +got):\n%s", diff)
	}
	customer := settledCustomer().Object
	customer.ObservedAt = start
	w.equal("objects", w.objects(acme), []ledger.Object{customer})
	intent := openIntent()
	intent.FirstUsedAt, intent.LastUsedAt, intent.Tries = start, start, 1
	w.equal("intents", w.intents(acme), []ledger.Intent{intent})
	w.equal("event types", w.pendingTypes(), []string{event.ComponentReady, event.RegistrationInitiated, event.RegistrationInitiated})

	w.equal("ended tenant", w.tenant("gone").Status, ledger.Deleted)
	archive := *archivedSchema().Remnant
	archive.ObservedAt = start
	w.equal("archive", w.objects("gone"), []ledger.Object{archive})
	w.equal("evidence", len(w.evidence("gone")), 2)
	w.must(ledger.VerifyChain("gone", w.evidence("gone")))

	lease, err := store.Acquire(w.ctx, acme, worker, ttl)
	w.must(err)
	if lease.Fence != 2 {
		t.Errorf("the next lease has fence %d, want 2", lease.Fence)
	}
	w.must(store.Advance(w.ctx, lease, ledger.Progress{Generation: 1, Status: ledger.Ready, Observed: true}))
	w.equal("status", w.tenant(acme).Status, ledger.Ready)
}

func (w *world) pendingTypes() []string {
	types := []string{}
	for _, e := range w.pending() {
		types = append(types, e.Type)
	}
	slices.Sort(types)
	return types
}

func settledCustomer() ledger.Settlement {
	return ledger.Settlement{
		Generation: 1, Object: object("billing", "customer", 1),
		Events: []event.Event{{
			ID: "ready-1", Type: event.ComponentReady, Tenant: acme, Correlation: "onboarding-1", Data: json.RawMessage(`{"component":"billing"}`),
		}},
	}
}

func openIntent() ledger.Intent {
	return ledger.Intent{
		Component: "domain", Object: "record", Verb: "create", Key: "released/acme/domain.record/e1",
		RequestHash: "0011aabb", Epoch: 1, Attempt: 1,
	}
}

func archivedSchema() ledger.Settlement {
	archive := object("database", "schema@1", 1)
	archive.Condition, archive.PendingUntil = ledger.ConditionArchived, start.Add(90*24*time.Hour)
	return ledger.Settlement{
		Generation: 1, Object: object("database", "schema", 1), Forget: true, Remnant: &archive,
		Evidence: []ledger.Evidence{{Actor: owner, Step: "archive database.schema", Outcome: "archived", Details: map[string]string{"rows": "42"}}},
	}
}
