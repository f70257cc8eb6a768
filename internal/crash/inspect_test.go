package crash_test

import (
	"context"
	"fmt"
	"os"
	"testing"

	tenantprovider "github.com/tenantplane/terraform-provider-tenant/internal/provider"
	"github.com/tenantplane/terraform-provider-tenant/internal/tenant"
)

// inspect counts what there is after a run.
func (l *life) inspect(t *testing.T, op operation, r *result, e execution, converged bool) {
	t.Helper()
	state, err := l.dir.state()
	if err != nil {
		t.Fatal(err)
	}
	for range state.tainted() {
		r.note(&r.tainted, "a resource is tainted after %s", e)
	}
	there, err := l.holdings(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	known := l.knowledge(t)
	before := len(r.notes)
	r.countDuplicates(there)
	r.countLost(there, known)
	switch {
	case converged && op == destroy:
		r.countOrphans(there, known, state)
	case converged:
		r.countIncomplete(there, known, state)
		if op == create {
			l.wantNoChanges(t, r)
		}
	}
	if len(r.notes) > before {
		r.notes = append(r.notes, fmt.Sprintf("there is %v; after %s", there, e))
	}
}

// wantNoChanges wants a plan that has nothing to do. One look a life: a run of
// terraform is what a sample's time is made of.
func (l *life) wantNoChanges(t *testing.T, r *result) {
	t.Helper()
	if e := l.terraformDoes(t, "plan", "-detailed-exitcode"); e.code != 0 {
		r.note(&r.stuck, "after %s the plan is not empty: %s", r.operation, e)
	}
}

// knowledge reads the ledger as another process does.
func (l *life) knowledge(t *testing.T) knowledge {
	t.Helper()
	if _, err := os.Stat(l.place); l.ledger == inSQLite && os.IsNotExist(err) {
		return knowledge{} // the provider died before it opened one
	}
	k, err := readLedger(t.Context(), l.place, tenant.ID(l.tenant))
	if err != nil {
		t.Fatal(err)
	}
	return k
}

func readLedger(ctx context.Context, place string, id tenant.ID) (k knowledge, err error) {
	store, err := tenantprovider.OpenLedger(ctx, place)
	if err != nil {
		return k, err
	}
	defer store.Close()
	if k.objects, err = store.Objects(ctx, id); err != nil {
		return k, err
	}
	k.intents, err = store.OpenIntents(ctx, id)
	return k, err
}
