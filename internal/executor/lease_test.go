package executor_test

import (
	"crypto/rand"
	"encoding/json"
	"errors"
	"log/slog"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/uuid"

	"github.com/tenantplane/terraform-provider-tenant/internal/backend"
	"github.com/tenantplane/terraform-provider-tenant/internal/backend/localdir"
	"github.com/tenantplane/terraform-provider-tenant/internal/clock"
	"github.com/tenantplane/terraform-provider-tenant/internal/component/storage"
	"github.com/tenantplane/terraform-provider-tenant/internal/engine"
	"github.com/tenantplane/terraform-provider-tenant/internal/executor"
	"github.com/tenantplane/terraform-provider-tenant/internal/fault"
	"github.com/tenantplane/terraform-provider-tenant/internal/ledger"
	"github.com/tenantplane/terraform-provider-tenant/internal/ledger/sqlite"
)

// TestACallOfAMinuteKeepsTheLease: nobody else may begin while a call hangs,
// although a lease lasts for seconds only.
func TestACallOfAMinuteKeepsTheLease(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		store, err := sqlite.Open(t.Context(), t.TempDir()+"/ledger.db", clock.System{}, rand.Reader)
		if err != nil {
			t.Fatal(err)
		}
		defer store.Close()
		real, f := localdir.Driver().Open(backend.Settings{Options: map[string]string{"path": t.TempDir()}})
		if f != nil {
			t.Fatal(f)
		}
		slow := between{Backend: real, before: func(string) error { time.Sleep(time.Minute); return nil }}
		x := executor.New(executor.Options{
			Ledger: store, Components: []engine.Component{storage.Component{}}, Clock: clock.System{}, NewID: uuid.NewString,
			Backends: func(string, string) (backend.Backend, *fault.Fault) { return slow, nil },
			Worker:   "slow", Logger: slog.New(slog.DiscardHandler),
		})
		want := spec("acme")
		want.Components = map[string]json.RawMessage{"storage": json.RawMessage(`{}`)}
		var refused error
		go func() {
			time.Sleep(50 * time.Second)
			_, refused = store.Acquire(t.Context(), "acme", "hasty", time.Minute)
		}()
		outcome, err := x.Converge(t.Context(), executor.Request{Spec: want, Claim: claim})
		if err != nil || outcome.Status != ledger.Ready {
			t.Errorf("%s %v %v", outcome.Status, outcome.Faults, err)
		}
		if !errors.Is(refused, ledger.ErrLeased) {
			t.Errorf("after 50 seconds of the call somebody else got %v, want to be refused", refused)
		}
	})
}
