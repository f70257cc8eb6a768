package dispatch_test

import (
	"bufio"
	"context"
	"fmt"
	"log/slog"
	"os"
	"os/exec"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/tenantplane/terraform-provider-tenant/internal/acctest"
	"github.com/tenantplane/terraform-provider-tenant/internal/clock"
	"github.com/tenantplane/terraform-provider-tenant/internal/dispatch"
	"github.com/tenantplane/terraform-provider-tenant/internal/sink"
	"github.com/tenantplane/terraform-provider-tenant/internal/tenant"
)

func TestTheEventsOfATenantArriveInOrderAndOnce(t *testing.T) {
	w, r := newWorld(t), newReceiver()
	for range 3 {
		for _, id := range []tenant.ID{"a", "b", "c"} {
			w.happen(id, 4)
		}
	}
	w.drain(w.dispatcher("d", r))
	for _, id := range []tenant.ID{"a", "b", "c"} {
		got := of(id, r.ids())
		if len(got) != 13 || !slices.IsSorted(got) {
			t.Errorf("%s: %v", id, got)
		}
	}
	before := len(r.ids())
	w.drain(w.dispatcher("d", r))
	if len(r.ids()) != before {
		t.Error("what was delivered came again")
	}
}

// childVariable names the ledger of a process that publishes and never settles.
const childVariable = "DISPATCH_TEST_HANG"

// hanging is a sink that tells of a message and never returns.
type hanging struct{}

func (hanging) Deliver(_ context.Context, m sink.Message) error {
	fmt.Println("published", m.ID)
	select {}
}
func (hanging) Close() error { return nil }

func publishAndHang(place string) {
	store, err := openPostgres(context.Background(), place)
	if err != nil {
		panic(err)
	}
	d := &dispatch.Dispatcher{
		Ledger: store, Installation: "test", Sinks: map[string]sink.Sink{hook: hanging{}}, Holder: fmt.Sprint("pid-", os.Getpid()),
		Hold: 5 * time.Second, Retention: time.Hour, Clock: clock.System{}, Logger: slog.New(slog.DiscardHandler),
	}
	_, _ = d.Once(context.Background())
}

// TestC77_AProcessKilledAfterItPublishedSendsTheSameIDAgain: what was published
// and not marked comes again once the claim has ended, under the same id, in
// order, and the consumer's effect happens once.
func TestC77_AProcessKilledAfterItPublishedSendsTheSameIDAgain(t *testing.T) {
	url := acctest.Postgres(t).NewDatabase(t)
	store, err := openPostgres(t.Context(), url)
	if err != nil {
		t.Fatal(err)
	}
	w, r := worldOn(t, store, clock.NewVirtual(time.Now())), newReceiver()
	w.happen("a", 2)
	child := exec.CommandContext(t.Context(), os.Args[0])
	child.Env = append(os.Environ(), childVariable+"="+url)
	child.Stderr = os.Stderr
	out, err := child.StdoutPipe()
	w.must(err)
	w.must(child.Start())
	lines := bufio.NewScanner(out)
	if !lines.Scan() || lines.Text() != "published a-0" {
		t.Fatalf("the child said %q", lines.Text())
	}
	r.seats["a-0"] = 1 // the consumer had it
	r.arrived = append(r.arrived, "a-0")
	_ = child.Process.Kill()
	_ = child.Wait()
	d := w.dispatcher("d", r)
	w.drain(d)
	if n := len(r.ids()); n != 1 {
		t.Errorf("%d events passed one that may not have arrived: %v", n-1, r.ids())
	}
	for deadline := time.Now().Add(3 * time.Minute); len(r.ids()) < 4; time.Sleep(time.Second) {
		if time.Now().After(deadline) {
			t.Fatalf("the claim of a killed process does not end: %v", r.ids())
		}
		w.drain(d)
	}
	if diff := cmp.Diff([]string{"a-0", "a-0", "a-000001", "a-000002"}, r.ids()); diff != "" {
		t.Error(diff)
	}
	seats := 0
	for _, n := range r.seats {
		seats += n
	}
	if seats != 3 {
		t.Errorf("%d seats were allocated for 3 events", seats)
	}
}

func TestC77_OfTwoThatTakeOverAStaleClaimOneGetsEach(t *testing.T) {
	w, r := newWorld(t), newReceiver()
	for i := range 40 {
		w.happen(tenant.ID(fmt.Sprintf("t%02d", i)), 1)
	}
	if _, err := w.store.Claim(t.Context(), hook, "killed", 100, time.Minute); err != nil {
		t.Fatal(err)
	}
	w.clock.Advance(time.Minute)
	var group sync.WaitGroup
	for i := range 4 {
		group.Go(func() { w.drain(w.dispatcher(fmt.Sprint("d", i), r)) })
	}
	group.Wait()
	ids := r.ids()
	slices.Sort(ids)
	if len(ids) != 80 || len(slices.Compact(ids)) != 80 {
		t.Errorf("%d deliveries for 80 events", len(r.ids()))
	}
}

// TestC78_EventsThatNobodyTakesHoldUpNobodyElse: 100 tenants whose events are
// refused stand before 10 whose are not.
func TestC78_EventsThatNobodyTakesHoldUpNobodyElse(t *testing.T) {
	w, r := newWorld(t), newReceiver()
	r.refuses = func(m sink.Message) bool { return m.Tenant[0] == 'p' }
	for i := range 100 {
		w.happen(tenant.ID(fmt.Sprintf("p%03d", i)), 1)
	}
	for i := range 10 {
		w.happen(tenant.ID(fmt.Sprintf("good%d", i)), 1)
	}
	d := w.dispatcher("d", r)
	for range 6 { // 4 batches of refusals, then the good ones
		if _, err := d.Once(t.Context()); err != nil {
			t.Fatal(err)
		}
	}
	if n := len(r.ids()); n != 20 {
		t.Errorf("%d of 20 good events arrived", n)
	}
}

func TestC78_ARefusedEventIsDeadInTheEndAndComesBackInOrder(t *testing.T) {
	w, r := newWorld(t), newReceiver()
	r.refuses = func(sink.Message) bool { return true }
	w.happen("a", 2)
	d := w.dispatcher("d", r)
	for range 40 {
		w.drain(d)
		w.clock.Advance(2 * time.Hour)
	}
	dead, err := w.store.DeadDeliveries(t.Context(), hook)
	if err != nil || len(dead) != 3 || dead[0].Attempts != 10 || dead[0].LastError == "" || w.sink().Dead != 3 {
		t.Fatalf("dead: %+v, %v", dead, err)
	}
	r.refuses = func(sink.Message) bool { return false }
	if n, err := w.store.Replay(t.Context(), hook, "", ""); err != nil || n != 3 {
		t.Fatal(n, err)
	}
	w.drain(d)
	if diff := cmp.Diff([]string{"a-0", "a-000001", "a-000002"}, r.ids()); diff != "" {
		t.Error(diff)
	}
}

func TestC78_AnOutageCountsAgainstNoEvent(t *testing.T) {
	w, r := newWorld(t), newReceiver()
	r.out = true
	for i := range 50 {
		w.happen(tenant.ID(fmt.Sprintf("t%02d", i)), 1)
	}
	d := w.dispatcher("d", r)
	for end := w.clock.Now().Add(30 * time.Minute); w.clock.Now().Before(end); w.clock.Advance(10 * time.Second) {
		w.drain(d)
	}
	s := w.sink()
	if s.Pending != 100 || s.Dead != 0 || s.Outages < 5 || s.LastError == "" {
		t.Errorf("after half an hour: %+v", s)
	}
	r.out = false
	w.clock.Advance(10 * time.Minute)
	w.drain(d)
	if n := len(r.ids()); n != 100 || w.sink().Outages != 0 {
		t.Errorf("%d of 100 events arrived after the outage; %+v", n, w.sink())
	}
}

func TestOldEventsGoAndOwedOnesStay(t *testing.T) {
	w, r := newWorld(t), newReceiver()
	r.refuses = func(m sink.Message) bool { return m.Tenant == "b" }
	w.happen("a", 3)
	w.happen("b", 3)
	d := w.dispatcher("d", r)
	w.drain(d)
	w.clock.Advance(dispatch.DefaultRetention + time.Hour)
	w.drain(d)
	left, err := w.store.Events(t.Context(), ledgerFilter)
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range left {
		if e.Tenant != "b" {
			t.Errorf("event %s of %s is still there", e.ID, e.Tenant)
		}
	}
	if len(left) != 4 {
		t.Errorf("%d events are left, want the 4 that are owed", len(left))
	}
}
