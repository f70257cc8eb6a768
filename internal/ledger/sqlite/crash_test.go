package sqlite_test

import (
	"context"
	"crypto/rand"
	sqldriver "database/sql/driver"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"syscall"
	"testing"
	"time"

	driver "modernc.org/sqlite"

	"github.com/tenantplane/terraform-provider-tenant/internal/clock"
	"github.com/tenantplane/terraform-provider-tenant/internal/event"
	"github.com/tenantplane/terraform-provider-tenant/internal/ledger"
	"github.com/tenantplane/terraform-provider-tenant/internal/ledger/sqlite"
)

// die makes the process kill itself in the middle of a transaction: the nth
// time that a row of the ledger is written, counted from arming.
type die struct {
	armed bool
	left  int
}

func (d *die) written() {
	if !d.armed {
		return
	}
	d.left--
	if d.left == 0 {
		_ = syscall.Kill(os.Getpid(), syscall.SIGKILL) // cannot fail for oneself
		select {}
	}
}

// watch gives every connection triggers that tell of each row written. They
// are temporary, so that nobody else's connection has them.
func (d *die) watch() error {
	err := driver.RegisterScalarFunction("row_was_written", 0, func(*driver.FunctionContext, []sqldriver.Value) (sqldriver.Value, error) {
		d.written()
		return int64(0), nil
	})
	driver.RegisterConnectionHook(func(conn driver.ExecQuerierContext, _ string) error {
		for _, table := range []string{"tenants", "leases", "objects", "intents", "evidence", "outbox"} {
			for _, event := range []string{"INSERT", "UPDATE", "DELETE"} {
				trigger := fmt.Sprintf("CREATE TEMP TRIGGER told_%s_%s AFTER %s ON %s BEGIN SELECT row_was_written(); END", table, event, event, table)
				if _, err := conn.ExecContext(context.Background(), trigger, nil); err != nil {
					return err
				}
			}
		}
		return nil
	})
	return err
}

func crashChild(path, arg string) (report, error) {
	ctx := context.Background()
	nth, err := strconv.Atoi(arg)
	if err != nil {
		return report{}, err
	}
	end := &die{left: nth}
	if err := end.watch(); err != nil {
		return report{}, err
	}
	store, err := sqlite.Open(ctx, path, clock.System{}, rand.Reader)
	if err != nil {
		return report{}, err
	}
	lease, err := store.Acquire(ctx, counted, "worker", time.Minute)
	if err != nil {
		return report{}, err
	}
	if _, err := store.OpenIntent(ctx, lease, ledger.Intent{Component: "billing", Object: "customer", Key: "k"}); err != nil {
		return report{}, err
	}
	end.armed = true
	err = store.Settle(ctx, lease, settlement())
	end.armed = false
	return report{}, err
}

func settlement() ledger.Settlement {
	return ledger.Settlement{
		Generation: 1,
		Object:     ledger.Object{Component: "billing", Object: "customer", ExternalID: "cus_1", Epoch: 1},
		Events:     []event.Event{{ID: "ready", Type: event.ComponentReady, Tenant: counted}},
		Evidence:   []ledger.Evidence{{Actor: "worker", Step: "create billing.customer"}},
	}
}

func TestACrashBetweenStatementsLeavesNothingHalfWritten(t *testing.T) {
	path := filepath.Join(t.TempDir(), "tenant-ledger.db")
	store := open(t, path)
	if _, err := store.Declare(t.Context(), declaration(counted, "first")); err != nil {
		t.Fatal(err)
	}
	crashes := 0
	for nth := 1; ; nth++ {
		c := spawn(t, "crash", path, strconv.Itoa(nth))
		c.release()
		last, killed := c.wait()
		if last.Error != "" {
			t.Fatalf("the child failed: %s", last.Error)
		}
		written := stored(t, store)
		if !killed {
			if written != (traces{object: 1, events: 2, evidence: 1}) {
				t.Errorf("after a whole settlement there are %+v", written)
			}
			break
		}
		crashes++
		if written != (traces{intents: 1, events: 1}) {
			t.Errorf("after crash %d there are %+v", nth, written)
		}
		// The dead worker's lease does not hold up the next one: same holder.
	}
	if crashes < 4 {
		t.Errorf("only %d crash points inside a settlement were reached", crashes)
	}
}

// traces counts what a settlement touches.
type traces struct{ object, intents, events, evidence int }

func stored(t *testing.T, store ledger.Store) traces {
	t.Helper()
	objects, err := store.Objects(t.Context(), counted)
	if err != nil {
		t.Fatal(err)
	}
	intents, err := store.OpenIntents(t.Context(), counted)
	if err != nil {
		t.Fatal(err)
	}
	events, err := store.Events(t.Context(), ledger.EventFilter{})
	if err != nil {
		t.Fatal(err)
	}
	evidence, err := store.Evidence(t.Context(), counted)
	if err != nil {
		t.Fatal(err)
	}
	return traces{len(objects), len(intents), len(events), len(evidence)}
}
