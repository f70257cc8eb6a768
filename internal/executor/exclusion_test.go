package executor_test

import (
	"context"
	"sync/atomic"
	"testing"
	"time"

	"github.com/tenantplane/terraform-provider-tenant/internal/backend"
	"github.com/tenantplane/terraform-provider-tenant/internal/clock"
	"github.com/tenantplane/terraform-provider-tenant/internal/executor"
	"github.com/tenantplane/terraform-provider-tenant/internal/fault"
	"github.com/tenantplane/terraform-provider-tenant/internal/ledger"
)

// held is a backend whose first creation waits until it is let go, or its
// context ends.
type held struct {
	backend.Backend
	entered, letGo chan struct{}
	first          *atomic.Bool
	cancelled      *atomic.Bool
}

func newHeld() held {
	return held{entered: make(chan struct{}), letGo: make(chan struct{}), first: &atomic.Bool{}, cancelled: &atomic.Bool{}}
}

func (h held) Ensure(ctx context.Context, w backend.Want) (backend.Observation, error) {
	if h.first.CompareAndSwap(false, true) {
		close(h.entered)
		select {
		case <-h.letGo:
		case <-ctx.Done():
			h.cancelled.Store(true)
			return backend.Observation{}, fault.NewAmbiguous("storage.cancelled", "given up", ctx.Err())
		case <-time.After(30 * time.Second):
		}
	}
	return h.Backend.Ensure(ctx, w)
}

func TestTwoPassesOfOneProcessExcludeEachOther(t *testing.T) {
	s := newStage(t)
	h := newHeld()
	s.through["storage"] = func(real backend.Backend) backend.Backend { h.Backend = real; return h }
	if _, err := s.declare("acme"); err != nil {
		t.Fatal(err)
	}
	done := make(chan error, 1)
	go func() { _, err := s.Visit(t.Context(), "acme", "sweep 1"); done <- err }()
	<-h.entered
	if _, err := s.Visit(t.Context(), "acme", "sweep 2"); !executor.Busy(err) {
		t.Errorf("a second visit by the same worker: got %v, want it to be busy", err)
	}
	close(h.letGo)
	if err := <-done; err != nil {
		t.Error(err)
	}
	s.wantStatus(ledger.Ready)
}

func TestACallEndsWithTheLeaseItWasMadeUnder(t *testing.T) {
	s := newStage(t)
	h := newHeld()
	asleep := s.worker("asleep", func(o *executor.Options) {
		o.Lease = 200 * time.Millisecond
		find := o.Backends
		o.Backends = func(component, region string) (backend.Backend, *fault.Fault) {
			b, f := find(component, region)
			if component == "storage" {
				h.Backend = b
				return h, f
			}
			return b, f
		}
	})
	if _, err := s.declare("acme"); err != nil {
		t.Fatal(err)
	}
	done := make(chan error, 1)
	go func() { _, err := asleep.Pass(t.Context(), "acme", claim); done <- err }()
	<-h.entered
	s.clock.Advance(time.Hour) // it slept past its lease, and somebody else goes on
	if _, err := s.worker("other", nil).Pass(t.Context(), "acme", claim); err != nil {
		t.Fatal(err)
	}
	if err := <-done; !executor.Busy(err) {
		t.Errorf("it ended with %v, want it to know that it lost the lease", err)
	}
	if !h.cancelled.Load() {
		t.Error("its call went on")
	}
	s.wantStatus(ledger.Ready)
}

func TestDatesAreJudgedByTheLedgersClock(t *testing.T) {
	s := newStage(t)
	s.apply(spec("acme"), ledger.Ready)
	s.destroy("acme")
	s.clock.Advance(time.Hour)
	ahead := s.worker("ahead", func(o *executor.Options) { o.Clock = shifted{s.clock, 365 * 24 * time.Hour} })
	if _, err := ahead.Visit(t.Context(), "acme", "sweep"); err != nil {
		t.Fatal(err)
	}
	if n := len(s.remnants()); n != 2 {
		t.Errorf("a machine whose clock is a year ahead left %d archives of 2", n)
	}
}

// shifted is another machine's clock.
type shifted struct {
	clock.Clock
	by time.Duration
}

// Now implements clock.Clock.
func (c shifted) Now() time.Time { return c.Clock.Now().Add(c.by) }
