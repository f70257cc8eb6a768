package e2e_test

import (
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/tenantplane/terraform-provider-tenant/internal/ledger"
)

// wantRemembered wants the ledger to know the customer or the wish for one.
func (w workdir) wantRemembered(t *testing.T, component, object string) {
	t.Helper()
	if w.ids(t)[component+"."+object] != "" {
		return
	}
	intents, err := w.ledger(t).OpenIntents(t.Context(), "acme")
	if err != nil {
		t.Fatal(err)
	}
	for _, i := range intents {
		if i.Component == component && i.Object == object {
			return
		}
	}
	t.Errorf("the ledger has neither an id nor an intent of %s.%s: %+v", component, object, intents)
}

// TestC56_InterruptedWhileACustomerIsBeingMade interrupts while the billing
// call is in flight; the customer is made 2 s later.
func TestC56_InterruptedWhileACustomerIsBeingMade(t *testing.T) {
	for name, how := range interrupts {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			id := "make" + name
			w := newWorld(t, id)
			stripe := newSlow(t, w.sandbox.StripeURL(), http.MethodPost, "/customers", 2*time.Second)
			dir := newWorkdir(t, strings.Replace(w.config(id, w.dns.URL), w.sandbox.StripeURL(), stripe.url, 1))
			w.watch(t)
			dir.interruptedRun(t, how, stripe.begun, "interrupted.log", "apply", "-auto-approve")
			dir.wantRemembered(t, "billing", "customer")
			dir.wantUntainted(t)
			<-stripe.ended
			dir.run(t, "resume.log", 0, "apply", "-auto-approve")
			w.want(t, "after the resumption", nil)
			dir.wantTenant(t, ledger.Ready, 1)
			dir.wantUntainted(t)
			dir.run(t, "idle.log", 0, "plan", "-detailed-exitcode")
		})
	}
}

// TestC56_InterruptedWhileWaitingForABackend interrupts while an apply waits
// between two tries.
func TestC56_InterruptedWhileWaitingForABackend(t *testing.T) {
	t.Parallel()
	w := newWorld(t, "waiting")
	dns := newGate(t, w.dns.URL)
	dir := newWorkdir(t, w.config("waiting", dns.url))
	w.watch(t)
	said := dir.interruptedRun(t, interrupts["once"], dns.refusals(4), "interrupted.log", "apply", "-auto-approve")
	wantWords(t, said, "Tenant acme is not ready")
	w.want(t, "after the interruption", map[string]int{"rrset": 0})
	if n := dir.wantUntainted(t); n == 0 {
		t.Error("the tenant is not in state")
	}
	for kind, id := range dir.ids(t) {
		if id == "" && kind != "domain.record" {
			t.Errorf("the id of %s is not recorded", kind)
		}
	}
	dns.open()
	dir.run(t, "resume.log", 0, "apply", "-auto-approve")
	w.want(t, "after the resumption", nil)
	dir.wantTenant(t, ledger.Ready, 1)
}

// TestC56_InterruptedWhileItIsDestroyed interrupts a destroy in the middle and
// one that waits for a backend; the next destroy finishes it.
func TestC56_InterruptedWhileItIsDestroyed(t *testing.T) {
	for name, how := range interrupts {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			id := "end" + name
			w := newWorld(t, id)
			dns := newGate(t, w.dns.URL)
			dns.open()
			dir := newWorkdir(t, w.config(id, dns.url))
			w.watch(t)
			dir.run(t, "apply.log", 0, "apply", "-auto-approve")
			dns.shut()
			dir.interruptedRun(t, how, dns.refusals(3), "interrupted.log", "destroy", "-auto-approve")
			row, err := dir.ledger(t).Tenant(t.Context(), "acme")
			if err != nil || row.Status != ledger.Deleting {
				t.Errorf("the tenant is %s (%v), want deleting", row.Status, err)
			}
			dir.wantUntainted(t)
			dns.open()
			if dir.stateIsEmpty(t) {
				t.Log("terraform lost its state, as it warns it may; an apply takes the tenant back")
				dir.run(t, "recover.log", 0, "apply", "-auto-approve")
				w.want(t, "after the recovery", nil)
			}
			dir.run(t, "resume.log", 0, "destroy", "-auto-approve")
			w.want(t, "after the second destroy", noneLeft)
		})
	}
}
