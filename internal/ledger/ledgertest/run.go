package ledgertest

import (
	"testing"
	"time"

	"github.com/tenantplane/terraform-provider-tenant/internal/clock"
	"github.com/tenantplane/terraform-provider-tenant/internal/ledger"
)

// Database makes an empty database for one test and returns the function that
// opens a Store on it. Each call opens one more, as another process would; the
// suite closes them. It fails t when it cannot.
type Database func(t *testing.T, clk clock.Clock) (open func() ledger.Store)

// Run runs the suite; each sentence of the contract is a subtest.
func Run(t *testing.T, database Database) {
	for _, group := range []struct {
		name  string
		tests []sentence
	}{
		{"Installation", installationTests},
		{"Declare", declareTests},
		{"Tenants", listTests},
		{"Due", dueTests},
		{"Lease", leaseTests},
		{"Fence", fenceTests},
		{"Intent", intentTests},
		{"Settle", settleTests},
		{"Advance", advanceTests},
		{"Deletion", deletionTests},
		{"Tombstone", tombstoneTests},
		{"Operator", operatorTests},
		{"Tally", tallyTests},
		{"Evidence", evidenceTests},
		{"Events", eventTests},
		{"Deliveries", deliveryTests},
		{"Together", concurrencyTests},
	} {
		t.Run(group.name, func(t *testing.T) {
			for _, test := range group.tests {
				t.Run(test.name, func(t *testing.T) { test.run(newWorld(t, database)) })
			}
		})
	}
}

// sentence is one sentence of the contract and the test of it.
type sentence struct {
	name string
	run  func(w *world)
}

// start is where the suite's clock begins.
var start = time.Date(2026, time.March, 1, 12, 0, 0, 0, time.UTC)

func newWorld(t *testing.T, database Database) *world {
	t.Helper()
	clk := clock.NewVirtual(start)
	w := &world{T: t, ctx: t.Context(), clk: clk}
	open := database(t, clk)
	w.open = func() ledger.Store {
		t.Helper()
		store := open()
		t.Cleanup(func() {
			if err := store.Close(); err != nil {
				t.Errorf("close the ledger: %v", err)
			}
		})
		return store
	}
	w.store = w.open()
	return w
}
