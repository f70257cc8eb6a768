package sandbox_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/tenantplane/terraform-provider-tenant/internal/clock"
	"github.com/tenantplane/terraform-provider-tenant/internal/sandbox"
)

func TestARepeatedKeyGetsTheStoredAnswer(t *testing.T) {
	w := newWorld(t)
	first := w.post("/v1/customers", "k1", "name", "Acme", "email", "ap@acme.example").expect(t, 200)
	second := w.post("/v1/customers", "k1", "email", "ap@acme.example", "name", "Acme").expect(t, 200)

	if first.header.Get("Idempotent-Replayed") != "" || second.header.Get("Idempotent-Replayed") != "true" {
		t.Errorf("Idempotent-Replayed is %q then %q, want none then true",
			first.header.Get("Idempotent-Replayed"), second.header.Get("Idempotent-Replayed"))
	}
	if first.body != second.body {
		t.Errorf("the replay differs:\n%s\n%s", first.body, second.body)
	}
	if got, want := second.header.Get("Original-Request"), first.header.Get("Request-Id"); got != want || want == "" {
		t.Errorf("Original-Request is %q, want the first Request-Id %q", got, want)
	}
	if second.header.Get("Request-Id") == first.header.Get("Request-Id") {
		t.Error("the replay carries the first request's id as its own")
	}
	if n := w.count("stripe/customer"); n != 1 {
		t.Errorf("there are %d customers, want 1", n)
	}
}

func TestC24_AKeyRefusesOtherParametersAndEndpoints(t *testing.T) {
	w := newWorld(t)
	customer := at(w.post("/v1/customers", "k1", "name", "Acme").expect(t, 200).json(t), "id").(string)

	tests := []struct{ path, name, want string }{
		{"/v1/customers", "Acme Corp", "Keys for idempotent requests can only be used with the same parameters they were first used with"},
		{"/v1/customers/" + customer, "Acme", "can only be used for the same endpoint they were first used for ('/v1/customers/" + customer + "' vs '/v1/customers')"},
	}
	for _, test := range tests {
		answer := w.post(test.path, "k1", "name", test.name).expect(t, 400).json(t)
		if at(answer, "error", "type") != "idempotency_error" || !strings.Contains(at(answer, "error", "message").(string), test.want) {
			t.Errorf("POST %s name=%s says %v", test.path, test.name, answer)
		}
	}
	if n := w.count("stripe/customer"); n != 1 {
		t.Errorf("there are %d customers, want 1", n)
	}
}

func TestAKeyIsForgottenAfterADay(t *testing.T) {
	w := newWorld(t)
	first := w.post("/v1/customers", "k1", "name", "Acme").expect(t, 200)
	w.clock.Advance(24*time.Hour - time.Second)
	if again := w.post("/v1/customers", "k1", "name", "Acme").expect(t, 200); again.body != first.body {
		t.Error("the key is forgotten before a day has passed")
	}
	w.clock.Advance(time.Second)
	if later := w.post("/v1/customers", "k1", "name", "Acme").expect(t, 200); later.body == first.body {
		t.Error("the key still answers after a day")
	}
}

func TestWhatTheEndpointRefusesIsStoredAndWhatItNeverSawIsNot(t *testing.T) {
	w := newWorld(t)

	// A customer that does not exist: the endpoint looked, so the 400 stays.
	subscribe := []string{"customer", "cus_none", "items[0][price]", "price_sandbox_pro", "collection_method", "send_invoice", "days_until_due", "30"}
	w.post("/v1/subscriptions", "stored", subscribe...).expect(t, 400)
	if again := w.post("/v1/subscriptions", "stored", subscribe...).expect(t, 400); again.header.Get("Idempotent-Replayed") != "true" {
		t.Error("the endpoint's refusal is not replayed")
	}

	// Malformed parameters and bad credentials never reach the endpoint.
	w.post("/v1/customers", "free", "colour", "red").expect(t, 400)
	header := w.stripeHeader("free")
	header.Set("Authorization", "Bearer wrong")
	w.do("POST", w.StripeURL()+"/v1/customers", header, form("name", "Acme")).expect(t, 401)
	w.post("/v1/customers", "free", "name", "Acme").expect(t, 200)
}

func TestAStoredServerErrorIsReplayedUntilAnotherKeyIsUsed(t *testing.T) {
	w := newWorld(t)
	w.addFault(sandbox.Fault{System: "stripe", Method: "POST", Effect: sandbox.StoredError})

	first := w.post("/v1/customers", "k1", "name", "Acme").expect(t, 500)
	for range 3 {
		again := w.post("/v1/customers", "k1", "name", "Acme").expect(t, 500)
		if again.header.Get("Idempotent-Replayed") != "true" || again.body != first.body {
			t.Fatalf("the stored 500 is not replayed: %v %s", again.header, again.body)
		}
	}
	w.post("/v1/customers", "k1/a2", "name", "Acme").expect(t, 200)
	if n := w.count("stripe/customer"); n != 1 {
		t.Errorf("there are %d customers, want 1", n)
	}
}

func TestAKeyIsInUseWhileItsFirstRequestRuns(t *testing.T) {
	w := newWorld(t)
	slow := openSandbox(t, sandbox.Options{Path: w.path, Clock: clock.System{}})
	w.addFault(sandbox.Fault{System: "stripe", Effect: sandbox.Latency, Delay: sandbox.Duration(time.Second)})

	first := make(chan string, 1)
	go func() {
		answer, err := try(t.Context(), "POST", slow.StripeURL()+"/v1/customers", w.stripeHeader("k1"), form("name", "Acme"))
		first <- fmt.Sprint(answer.status, err)
	}()
	w.eventually("the first request is in flight", func() bool {
		faults, err := w.admin.Faults(t.Context())
		return err == nil && len(faults) == 0
	})
	time.Sleep(50 * time.Millisecond) // admission follows the claim of the fault

	answer, err := try(t.Context(), "POST", slow.StripeURL()+"/v1/customers", w.stripeHeader("k1"), form("name", "Acme"))
	if err != nil || answer.status != 409 || at(answer.json(t), "error", "code") != "idempotency_key_in_use" {
		t.Errorf("the second request gets %d %v: %s", answer.status, err, answer.body)
	}
	if got := <-first; got != "200 <nil>" {
		t.Errorf("the first request gets %s", got)
	}
	answer, err = try(t.Context(), "POST", slow.StripeURL()+"/v1/customers", w.stripeHeader("k1"), form("name", "Acme"))
	if err != nil || answer.status != 200 || answer.header.Get("Idempotent-Replayed") != "true" {
		t.Errorf("the third request gets %d %v: %s", answer.status, err, answer.body)
	}
}

// addFault lets a fault wait.
func (w *world) addFault(f sandbox.Fault) {
	w.t.Helper()
	if _, err := w.admin.AddFault(w.t.Context(), f); err != nil {
		w.t.Fatalf("add fault: %v", err)
	}
}

// eventually waits up to five seconds for something to become true.
func (w *world) eventually(what string, holds func() bool) {
	w.t.Helper()
	for limit := time.Now().Add(5 * time.Second); time.Now().Before(limit); time.Sleep(5 * time.Millisecond) {
		if holds() {
			return
		}
	}
	w.t.Fatalf("never: %s", what)
}
