package sweep_test

import (
	"context"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/tenantplane/terraform-provider-tenant/internal/sweep"
	"github.com/tenantplane/terraform-provider-tenant/internal/tenant"
)

func TestOneSweepVisitsEveryDueTenantOnce(t *testing.T) {
	f := newFleet(t, places["sqlite"](t))
	f.declare("t", 20)
	f.fails = func(id tenant.ID) bool { return id == "t3" }
	rounds := 2
	w := f.work(4)
	w.Dispatch = func(context.Context) (bool, error) { rounds--; return rounds > 0, nil }
	steps := 0
	report, err := sweep.Once(t.Context(), w, func(done, of int) { steps++; _ = done; _ = of })
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(sweep.Report{Visited: 20, Failing: 1}, report); diff != "" {
		t.Error(diff)
	}
	if n := len(f.visited()); n != 20 || len(f.visits) != 20 || steps != 20 {
		t.Errorf("%d tenants in %d visits and %d steps", n, len(f.visits), steps)
	}
	if rounds != 0 {
		t.Errorf("%d rounds of events are left", rounds)
	}
	report, err = sweep.Once(t.Context(), f.work(4), nil) // only the failing one is due again
	if diff := cmp.Diff(sweep.Report{Visited: 1, Failing: 1}, report); diff != "" || err != nil {
		t.Error(diff, err)
	}
}

func TestATenantThatSomebodyWorksOnIsLeftToThem(t *testing.T) {
	f := newFleet(t, places["sqlite"](t))
	f.declare("t", 2)
	if _, err := f.store.Acquire(t.Context(), "t0", "an apply", 1<<40); err != nil {
		t.Fatal(err)
	}
	report, err := sweep.Once(t.Context(), f.work(1), nil)
	if diff := cmp.Diff(sweep.Report{Visited: 1}, report); diff != "" || err != nil {
		t.Error(diff, err)
	}
}

// TestC73_FailingTenantsDoNotHoldUpTheOthers: 500 tenants that always fail are
// the most overdue, and 5 new ones come last.
func TestC73_FailingTenantsDoNotHoldUpTheOthers(t *testing.T) {
	f := newFleet(t, places["sqlite"](t))
	f.declare("bad", 500)
	f.fails = func(id tenant.ID) bool { return strings.HasPrefix(string(id), "bad") }
	if _, err := sweep.Once(t.Context(), f.work(8), nil); err != nil {
		t.Fatal(err)
	}
	f.declare("good", 5)
	f.visits = nil
	if _, err := sweep.Once(t.Context(), f.work(4), nil); err != nil {
		t.Fatal(err)
	}
	if len(f.visits) != 505 {
		t.Errorf("%d visits, want each of 505 once", len(f.visits))
	}
	last := 0
	for i := range 5 {
		last = max(last, slices.Index(f.visits, tenant.ID("good"+string(rune('0'+i)))))
	}
	if last > 12 { // three of four workers are theirs
		t.Errorf("the last of the new tenants was visited as number %d", last+1)
	}
}
