package executor_test

import (
	"context"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/tenantplane/terraform-provider-tenant/internal/backend"
	"github.com/tenantplane/terraform-provider-tenant/internal/executor"
	"github.com/tenantplane/terraform-provider-tenant/internal/ledger"
)

// inPlace archives as S3 does: the object keeps its place and its id, and says
// until when it is kept. Putting content into it takes it back into service.
type inPlace struct {
	backend.Backend
	until *time.Time
}

func (b inPlace) Observe(ctx context.Context, target backend.Target) (backend.Observation, error) {
	got, err := b.Backend.Observe(ctx, target)
	got.ArchivedUntil = *b.until
	return got, err
}

func (b inPlace) Ensure(ctx context.Context, want backend.Want) (backend.Observation, error) {
	got, err := b.Backend.Ensure(ctx, want)
	if err == nil {
		*b.until = time.Time{}
	}
	return got, err
}

func (b inPlace) Archive(_ context.Context, removal backend.Removal) (backend.Receipt, error) {
	*b.until = removal.RetainUntil
	return backend.Receipt{Outcome: "archived", PendingUntil: removal.RetainUntil}, nil
}

// A remnant left beside the living bucket would name that very bucket, and
// whatever ends remnants would end it.
func TestAnArchiveInPlaceThatLivesAgainLeavesNoRemnant(t *testing.T) {
	s := newStage(t)
	until := &time.Time{}
	s.through["storage"] = func(b backend.Backend) backend.Backend { return inPlace{Backend: b, until: until} }
	s.apply(spec("acme"), ledger.Ready)
	first := s.object("storage", "bucket").ExternalID
	s.destroy("acme")
	if got := s.object("storage", "bucket@1"); got.Condition != ledger.ConditionArchived || got.ExternalID != first {
		t.Fatalf("the archive is %s %q, want Archived %q", got.Condition, got.ExternalID, first)
	}
	s.apply(spec("acme"), ledger.Ready)
	if !until.IsZero() {
		t.Errorf("the bucket is still archived until %s", until)
	}
	if got := s.object("storage", "bucket"); got.ExternalID != first {
		t.Errorf("the bucket is %q, want %q again", got.ExternalID, first)
	}
	if _, left := s.epochs("acme")["storage.bucket@1"]; left {
		t.Error("the ledger still has the living bucket as an archive")
	}
	if diff := cmp.Diff(oneOfEach, s.exists("acme")); diff != "" {
		t.Error(diff)
	}
}

// declared is a ledger that does something after the first declaration.
type declared struct {
	ledger.Store
	then func()
}

func (d *declared) Declare(ctx context.Context, x ledger.Declaration) (ledger.Tenant, error) {
	row, err := d.Store.Declare(ctx, x)
	d.then()
	return row, err
}

func TestAnApplyWhoseTenantEndsMeanwhileStopsAndMakesNothing(t *testing.T) {
	s := newStage(t)
	s.apply(spec("acme"), ledger.Ready)
	late := s.worker("late", func(o *executor.Options) {
		o.Ledger = &declared{Store: s.Ledger, then: func() { s.destroy("acme") }}
	})
	// The clock is virtual: an apply that spins would end only with the context.
	ctx, cancel := context.WithTimeout(t.Context(), 5*time.Second)
	defer cancel()
	outcome, err := late.Converge(ctx, executor.Request{Spec: spec("acme"), Claim: claim})
	if err != nil || outcome.Interrupted || outcome.Status != ledger.Deleted {
		t.Errorf("the apply ended %s (interrupted: %t), %v", outcome.Status, outcome.Interrupted, err)
	}
	if diff := cmp.Diff(nothing, s.exists("acme")); diff != "" {
		t.Error(diff)
	}
	s.wantStatus(ledger.Deleted)
}
