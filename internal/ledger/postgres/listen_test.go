package postgres_test

import (
	"context"
	"crypto/rand"
	"testing"
	"time"

	"github.com/tenantplane/terraform-provider-tenant/internal/acctest"
	"github.com/tenantplane/terraform-provider-tenant/internal/ledger"
	"github.com/tenantplane/terraform-provider-tenant/internal/ledger/postgres"
	"github.com/tenantplane/terraform-provider-tenant/internal/tenant"
)

func TestWhoListensHearsOfEveryTenantThatBecomesDue(t *testing.T) {
	url := acctest.Postgres(t).NewDatabase(t)
	store, err := postgres.Open(t.Context(), url, rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	defer store.Close()
	ctx, stop := context.WithCancel(t.Context())
	started, heard, ended := make(chan bool, 1), make(chan tenant.ID, 10), make(chan error, 1)
	go func() {
		ended <- postgres.Listen(ctx, url, func() { started <- true }, func(id tenant.ID) { heard <- id })
	}()
	<-started
	wait := func(after string) {
		t.Helper()
		select {
		case id := <-heard:
			if id != "acme" {
				t.Errorf("after %s: heard of %q", after, id)
			}
		case err := <-ended:
			t.Fatalf("after %s: it stopped listening: %v", after, err)
		case <-time.After(20 * time.Second):
			t.Fatalf("after %s: heard nothing", after)
		}
	}
	spec := tenant.Spec{Subject: tenant.Subject{Installation: "test", ID: "acme", Region: "r"}}
	declare := func() {
		t.Helper()
		if _, err := store.Declare(t.Context(), ledger.Declaration{Spec: spec, Claim: "c", EventID: "e"}); err != nil {
			t.Fatal(err)
		}
	}
	declare()
	wait("a declaration")
	declare() // the same again is no news
	spec.Subject.DisplayName = "Acme"
	declare()
	wait("a change")
	if _, err := store.Suspend(t.Context(), "acme", "unpaid", nil); err != nil {
		t.Fatal(err)
	}
	wait("a suspension")
	if _, err := store.BeginDeletion(t.Context(), "acme", "c", nil); err != nil {
		t.Fatal(err)
	}
	wait("the beginning of a deletion")
	if len(heard) > 0 {
		t.Errorf("heard of %s once too often", <-heard)
	}
	stop()
	if err := <-ended; err == nil {
		t.Error("it ended without saying why")
	}
}
