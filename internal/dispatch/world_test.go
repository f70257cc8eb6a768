package dispatch_test

import (
	"context"
	"crypto/rand"
	"encoding/json"
	"fmt"
	"log/slog"
	"os"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/tenantplane/terraform-provider-tenant/internal/acctest"
	"github.com/tenantplane/terraform-provider-tenant/internal/clock"
	"github.com/tenantplane/terraform-provider-tenant/internal/dispatch"
	"github.com/tenantplane/terraform-provider-tenant/internal/event"
	"github.com/tenantplane/terraform-provider-tenant/internal/fault"
	"github.com/tenantplane/terraform-provider-tenant/internal/ledger"
	"github.com/tenantplane/terraform-provider-tenant/internal/ledger/postgres"
	"github.com/tenantplane/terraform-provider-tenant/internal/ledger/sqlite"
	"github.com/tenantplane/terraform-provider-tenant/internal/sink"
	"github.com/tenantplane/terraform-provider-tenant/internal/tenant"
)

func TestMain(m *testing.M) {
	if place := os.Getenv(childVariable); place != "" {
		publishAndHang(place)
		return
	}
	os.Exit(acctest.Main(m))
}

// ledgerFilter finds all events.
var ledgerFilter = ledger.EventFilter{}

const hook = "hook"

var start = time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)

// receiver is a consumer in memory: it does its work once for each id, as every
// consumer should.
type receiver struct {
	mu sync.Mutex
	// arrived are the ids in the order of their arrival, repetitions included.
	arrived []string
	// seats is the effect: what the handler allocated, once an event.
	seats map[string]int
	// refuses and out are what the receiver does wrong.
	refuses func(m sink.Message) bool
	out     bool
}

func newReceiver() *receiver {
	return &receiver{seats: map[string]int{}, refuses: func(sink.Message) bool { return false }}
}

// Deliver implements sink.Sink.
func (r *receiver) Deliver(_ context.Context, m sink.Message) error {
	r.mu.Lock()
	defer r.mu.Unlock()
	switch {
	case r.out:
		return fault.NewRetryable("events.down", "connection refused", nil)
	case r.refuses(m):
		return fault.NewTerminal("events.refused", "", "422", "mend it")
	}
	r.arrived = append(r.arrived, m.ID)
	r.seats[m.ID] = 1
	return nil
}

// Close implements sink.Sink.
func (*receiver) Close() error { return nil }

func (r *receiver) ids() []string {
	r.mu.Lock()
	defer r.mu.Unlock()
	return append([]string{}, r.arrived...)
}

// world is a ledger with a clock of its own and a registered sink.
type world struct {
	t     *testing.T
	clock *clock.Virtual
	store ledger.Store
	lease map[tenant.ID]ledger.Lease
	ids   int
}

func newWorld(t *testing.T) *world {
	t.Helper()
	clk := clock.NewVirtual(start)
	store, err := sqlite.Open(t.Context(), t.TempDir()+"/ledger.db", clk, rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	return worldOn(t, store, clk)
}

func worldOn(t *testing.T, store ledger.Store, clk *clock.Virtual) *world {
	t.Helper()
	t.Cleanup(func() { _ = store.Close() })
	w := &world{t: t, clock: clk, store: store, lease: map[tenant.ID]ledger.Lease{}}
	w.must(store.RegisterSink(t.Context(), hook, false))
	return w
}

func (w *world) must(err error) {
	w.t.Helper()
	if err != nil {
		w.t.Fatal(err)
	}
}

// happen lets n things happen to a tenant and returns their ids, in order.
func (w *world) happen(id tenant.ID, n int) []string {
	w.t.Helper()
	if _, known := w.lease[id]; !known {
		_, err := w.store.Declare(w.t.Context(), ledger.Declaration{
			Spec: tenant.Spec{Subject: tenant.Subject{Installation: "test", ID: id, Region: "r"}}, Claim: "c", EventID: string(id) + "-0",
		})
		w.must(err)
		w.lease[id], err = w.store.Acquire(w.t.Context(), id, "w", 1000*time.Hour)
		w.must(err)
	}
	var events []event.Event
	var ids []string
	for range n {
		w.ids++
		ids = append(ids, fmt.Sprintf("%s-%06d", id, w.ids))
		events = append(events, event.Event{
			ID: ids[len(ids)-1], Type: event.ComponentReady, Tenant: id, Time: start, Data: json.RawMessage(`{"component":"billing"}`),
		})
	}
	w.must(w.store.Advance(w.t.Context(), w.lease[id], ledger.Progress{Generation: 1, Status: ledger.Reconciling, Events: events}))
	return ids
}

func (w *world) dispatcher(holder string, to sink.Sink) *dispatch.Dispatcher {
	return &dispatch.Dispatcher{
		Ledger: w.store, Installation: "test", Sinks: map[string]sink.Sink{hook: to}, Holder: holder,
		Retention: dispatch.DefaultRetention, Clock: w.clock, Logger: slog.New(slog.DiscardHandler),
	}
}

// drain dispatches until nothing more is due.
func (w *world) drain(d *dispatch.Dispatcher) {
	w.t.Helper()
	for more := true; more; {
		var err error
		more, err = d.Once(w.t.Context())
		w.must(err)
	}
}

func (w *world) sink() ledger.Sink {
	w.t.Helper()
	sinks, err := w.store.Sinks(w.t.Context())
	w.must(err)
	return sinks[0]
}

// of picks the ids of one tenant.
func of(id tenant.ID, ids []string) []string {
	var out []string
	for _, one := range ids {
		if strings.HasPrefix(one, string(id)+"-") {
			out = append(out, one)
		}
	}
	return out
}

func openPostgres(ctx context.Context, url string) (ledger.Store, error) {
	return postgres.Open(ctx, url, rand.Reader)
}
