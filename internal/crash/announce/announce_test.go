package announce_test

import (
	"context"
	"crypto/rand"
	"io"
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/tenantplane/terraform-provider-tenant/internal/clock"
	"github.com/tenantplane/terraform-provider-tenant/internal/crash/announce"
	"github.com/tenantplane/terraform-provider-tenant/internal/ledger"
	"github.com/tenantplane/terraform-provider-tenant/internal/ledger/sqlite"
	"github.com/tenantplane/terraform-provider-tenant/internal/tenant"
)

const acme = tenant.ID("acme")

func open(t *testing.T) ledger.Store {
	t.Helper()
	store, err := sqlite.Open(t.Context(), filepath.Join(t.TempDir(), "ledger.db"), clock.System{}, rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = store.Close() })
	return store
}

// harness hears announcements; let tells which may pass.
func harness(t *testing.T, let func(moment string) bool) (url string, heard func() []string) {
	t.Helper()
	var moments []string
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		moment, _ := io.ReadAll(r.Body)
		moments = append(moments, string(moment))
		if !let(string(moment)) {
			<-r.Context().Done()
			return
		}
		w.WriteHeader(http.StatusNoContent)
	}))
	t.Cleanup(func() {
		server.CloseClientConnections()
		server.Close()
	})
	return server.URL, func() []string { return moments }
}

func always(string) bool { return true }

func declaration() ledger.Declaration {
	return ledger.Declaration{
		Spec: tenant.Spec{Subject: tenant.Subject{ID: acme, Installation: "inst", Region: "us-east"}}, Claim: "here",
		CorrelationID: "c", EventID: "e",
	}
}

func TestEveryWriteOfALifeIsAnnouncedBeforeAndAfter(t *testing.T) {
	control, heard := harness(t, always)
	store := announce.Wrap(open(t), control)
	ctx := t.Context()
	row, err := store.Declare(ctx, declaration())
	if err != nil {
		t.Fatal(err)
	}
	lease, err := store.Acquire(ctx, acme, "worker", time.Minute)
	if err != nil {
		t.Fatal(err)
	}
	object := ledger.Object{Component: "billing", Object: "customer", ExternalID: "cus_1", Name: "n", Epoch: 1, Attempt: 1, Condition: ledger.ConditionReady}
	_, intentErr := store.OpenIntent(ctx, lease, ledger.Intent{Component: "billing", Object: "customer", Verb: "create", Key: "k", Epoch: 1, Attempt: 1})
	settleErr := store.Settle(ctx, lease, ledger.Settlement{Generation: row.DesiredGeneration, Object: object})
	advanceErr := store.Advance(ctx, lease, ledger.Progress{Generation: row.DesiredGeneration, Status: ledger.Ready})
	_, beginErr := store.BeginDeletion(ctx, acme, "here", nil)
	forgetErr := store.Settle(ctx, lease, ledger.Settlement{Generation: row.DesiredGeneration, Object: object, Forget: true})
	endErr := store.Tombstone(ctx, lease, nil, nil)
	for step, err := range map[string]error{"intent": intentErr, "settle": settleErr, "advance": advanceErr, "begin": beginErr, "forget": forgetErr, "end": endErr} {
		if err != nil {
			t.Fatalf("%s: %v", step, err)
		}
	}
	var want []string
	for _, write := range []string{
		"Declare", "OpenIntent billing.customer", "Settle billing.customer", "Advance", "BeginDeletion", "Settle billing.customer", "Tombstone",
	} {
		want = append(want, "ledger "+write+" · before write", "ledger "+write+" · after write")
	}
	if got := heard(); !slices.Equal(got, want) {
		t.Errorf("announced was\n%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
}

func TestAWriteThatFailedIsNotAnnouncedAsDone(t *testing.T) {
	control, heard := harness(t, always)
	store := announce.Wrap(open(t), control)
	if err := store.Advance(t.Context(), ledger.Lease{Tenant: acme, Holder: "nobody", Fence: 1}, ledger.Progress{Generation: 1}); err == nil {
		t.Fatal("a write without a lease succeeded")
	}
	if got := heard(); !slices.Equal(got, []string{"ledger Advance · before write"}) {
		t.Errorf("announced was %v", got)
	}
}

func TestAWriteThatIsHeldBackHappensNot(t *testing.T) {
	inner := open(t)
	held := make(chan struct{})
	control, _ := harness(t, func(string) bool { close(held); return false })
	ended := make(chan error, 1)
	go func() {
		_, err := announce.Wrap(inner, control).Declare(context.WithoutCancel(t.Context()), declaration())
		ended <- err
	}()
	<-held
	if _, err := inner.Tenant(t.Context(), acme); err == nil {
		t.Error("the write took place before it was let through")
	}
	select {
	case err := <-ended:
		t.Errorf("the writer went on: %v", err)
	case <-time.After(50 * time.Millisecond):
	}
}

func TestWithoutAHarnessNothingStandsInTheWay(t *testing.T) {
	inner := open(t)
	if announce.Wrap(inner, "") != inner {
		t.Error("the ledger is wrapped although nobody listens")
	}
}
