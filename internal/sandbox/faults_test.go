package sandbox_test

import (
	"context"
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/tenantplane/terraform-provider-tenant/internal/clock"
	"github.com/tenantplane/terraform-provider-tenant/internal/sandbox"
)

// create tries to make a customer within 300 ms of real time.
func (w *world) create(key string) (reply, error) {
	ctx, cancel := context.WithTimeout(w.t.Context(), 300*time.Millisecond)
	defer cancel()
	return try(ctx, "POST", w.StripeURL()+"/v1/customers", w.stripeHeader(key), form("name", "Acme"))
}

func TestAFaultMayLoseTheAnswerBeforeOrAfterTheEffect(t *testing.T) {
	tests := []struct {
		effect sandbox.Effect
		sees   error
		made   int
	}{
		{sandbox.TimeoutBefore, context.DeadlineExceeded, 0},
		{sandbox.TimeoutAfter, context.DeadlineExceeded, 1},
		{sandbox.DropBefore, io.ErrUnexpectedEOF, 0},
		{sandbox.DropAfter, io.ErrUnexpectedEOF, 1},
	}
	for _, test := range tests {
		t.Run(string(test.effect), func(t *testing.T) {
			w := newWorld(t)
			w.addFault(sandbox.Fault{System: "stripe", Method: "POST", Path: "^/v1/customers$", Effect: test.effect})
			answer, err := w.create("k1")
			if err == nil {
				t.Fatalf("got an answer: %d %s", answer.status, answer.body)
			}
			if !errors.Is(err, test.sees) {
				t.Errorf("the client sees %v, want %v", err, test.sees)
			}
			if n := w.count("stripe/customer"); n != test.made {
				t.Errorf("there are %d customers, want %d", n, test.made)
			}
			again := w.post("/v1/customers", "k1", "name", "Acme").expect(t, 200)
			if replayed := again.header.Get("Idempotent-Replayed") == "true"; replayed != (test.made == 1) {
				t.Errorf("the retry is replayed: %v, want %v", replayed, test.made == 1)
			}
			if n := w.count("stripe/customer"); n != 1 {
				t.Errorf("after the retry there are %d customers, want 1", n)
			}
			lines, err := w.admin.Requests(t.Context(), 0)
			if err != nil || lines[0].Status != 0 || lines[0].Fault != string(test.effect) || lines[0].IdempotencyKey != "k1" {
				t.Errorf("the log says %+v, %v", lines, err)
			}
		})
	}
}

func TestATimeoutEndsWithACutConnection(t *testing.T) {
	w := newWorld(t)
	w.addFault(sandbox.Fault{Effect: sandbox.TimeoutAfter, Delay: sandbox.Duration(30 * time.Millisecond)})
	if _, err := w.create(""); !errors.Is(err, io.ErrUnexpectedEOF) {
		t.Errorf("the client sees %v, want an unexpected EOF", err)
	}
}

func TestAFaultMayAnswerWithAFailureInTheVendorsShape(t *testing.T) {
	tests := []struct {
		system string
		fault  sandbox.Fault
		status int
		want   string
		retry  string
	}{
		{"stripe", sandbox.Fault{Effect: sandbox.KeyInUse}, 409, `"code":"idempotency_key_in_use"`, ""},
		{"stripe", sandbox.Fault{Effect: sandbox.RateLimit, RetryAfter: sandbox.Duration(6500 * time.Millisecond)}, 429, `"code":"rate_limit"`, "7"},
		{"stripe", sandbox.Fault{Effect: sandbox.LockTimeout}, 429, `"code":"lock_timeout"`, ""},
		{"stripe", sandbox.Fault{Effect: sandbox.ServerError}, 500, `"type":"api_error"`, ""},
		{"stripe", sandbox.Fault{Effect: sandbox.Unavailable, RetryAfter: sandbox.Duration(time.Second)}, 503, `"type":"api_error"`, "1"},
		{"stripe", sandbox.Fault{Effect: sandbox.Unauthorized}, 401, `Invalid API Key provided`, ""},
		{"stripe", sandbox.Fault{Effect: sandbox.Forbidden}, 403, `required permissions`, ""},
		{"stripe", sandbox.Fault{Effect: sandbox.HTML}, 502, "<!DOCTYPE html>", ""},
		{"stripe", sandbox.Fault{Effect: sandbox.HTML, Status: 200}, 200, "<!DOCTYPE html>", ""},
		{"keycloak", sandbox.Fault{Effect: sandbox.RateLimit, RetryAfter: sandbox.Duration(time.Second)}, 429, "Too Many Requests", "1"},
		{"keycloak", sandbox.Fault{Effect: sandbox.ServerError}, 500, `"error":"unknown_error"`, ""},
		{"keycloak", sandbox.Fault{Effect: sandbox.Unavailable}, 503, "Service Unavailable", ""},
		{"keycloak", sandbox.Fault{Effect: sandbox.Forbidden}, 403, `{"error":"HTTP 403 Forbidden"}`, ""},
		{"powerdns", sandbox.Fault{Effect: sandbox.ServerError}, 500, "Internal Server Error", ""},
		{"powerdns", sandbox.Fault{Effect: sandbox.Unauthorized}, 401, "Unauthorized", ""},
		{"powerdns", sandbox.Fault{Effect: sandbox.RateLimit}, 429, "Too Many Requests", ""},
	}
	w := newWorld(t)
	calls := map[string]func() reply{
		"stripe":   func() reply { return w.post("/v1/customers", "", "name", "Acme") },
		"keycloak": func() reply { return w.keycloak("GET", "/organizations", nil) },
		"powerdns": func() reply { return w.pdns("GET", "/zones", "") },
	}
	calls["keycloak"]() // fetches the token
	for _, test := range tests {
		test.fault.System = test.system
		w.addFault(test.fault)
		answer := calls[test.system]()
		if answer.status != test.status || !strings.Contains(answer.body, test.want) || answer.header.Get("Retry-After") != test.retry {
			t.Errorf("%s %s: got %d, Retry-After %q, %s", test.system, test.fault.Effect, answer.status, answer.header.Get("Retry-After"), answer.body)
		}
		if answer := calls[test.system](); answer.status != 200 {
			t.Errorf("%s after %s: got %d %s", test.system, test.fault.Effect, answer.status, answer.body)
		}
	}
}

func TestAFailureMayComeAfterTheEffect(t *testing.T) {
	w := newWorld(t)
	w.addFault(sandbox.Fault{System: "stripe", Effect: sandbox.Unavailable, Commit: true})
	w.post("/v1/customers", "k1", "name", "Acme").expect(t, 503)
	if n := w.count("stripe/customer"); n != 1 {
		t.Errorf("there are %d customers, want 1", n)
	}
	if again := w.post("/v1/customers", "k1", "name", "Acme").expect(t, 200); again.header.Get("Idempotent-Replayed") != "true" {
		t.Error("the retry is not replayed")
	}
}

func TestATruncatedAnswerIsNoJSON(t *testing.T) {
	w := newWorld(t)
	w.addFault(sandbox.Fault{System: "powerdns", Method: "GET", Effect: sandbox.Truncated})
	answer := w.pdns("GET", "/zones", "").expect(t, 200)
	if json.Valid([]byte(answer.body)) || answer.body == "" {
		t.Errorf("the truncated answer is %q", answer.body)
	}
}

func TestLatencyDelaysTheAnswer(t *testing.T) {
	w := newWorld(t)
	slow := &world{t: t, Server: openSandbox(t, sandbox.Options{Path: w.path, Clock: clock.System{}})}
	w.addFault(sandbox.Fault{System: "powerdns", Effect: sandbox.Latency, Delay: sandbox.Duration(80 * time.Millisecond)})
	begun := time.Now()
	slow.pdns("GET", "/zones", "").expect(t, 200)
	if took := time.Since(begun); took < 80*time.Millisecond {
		t.Errorf("the answer took %s, want at least 80ms", took)
	}
}

func TestWhatWasCreatedMayBeHiddenForAWhile(t *testing.T) {
	w := newWorld(t)
	hide := func(system, method string) {
		w.addFault(sandbox.Fault{System: system, Method: method, Effect: sandbox.HideCreated, Delay: sandbox.Duration(3 * time.Second)})
	}
	hide("stripe", "POST")
	customer := at(w.post("/v1/customers", "", "email", "ap@acme.example").expect(t, 200).json(t), "id").(string)
	w.keycloak("GET", "/organizations", nil)
	hide("keycloak", "POST")
	organization := w.organization(object{"name": "acme"})
	hide("powerdns", "PATCH")
	w.pdns("PATCH", "/zones/example.org.", change(replace("a.example.org.", "A", "60", "192.0.2.1")).body).expect(t, 204)

	check := func(status, listed int) {
		t.Helper()
		w.stripe("GET", "/v1/customers/"+customer).expect(t, status)
		w.keycloak("GET", "/organizations/"+organization, nil).expect(t, status)
		lists := []any{
			at(w.stripe("GET", "/v1/customers?email=ap@acme.example").json(t), "data"),
			at(reply{body: `{"list":` + w.keycloak("GET", "/organizations", nil).body + `}`}.json(t), "list"),
			at(w.pdns("GET", "/zones/example.org.?rrset_name=a.example.org.", "").json(t), "rrsets"),
		}
		for i, list := range lists {
			if n := len(list.([]any)); n != listed {
				t.Errorf("list %d shows %d, want %d", i, n, listed)
			}
		}
	}
	check(404, 0)
	w.keycloak("POST", "/organizations", object{"name": "acme"}).expect(t, 409) // hidden, not absent
	w.clock.Advance(3 * time.Second)
	check(200, 1)
}

func TestAFaultHitsWhatItNamesAndAsOftenAsItSays(t *testing.T) {
	w := newWorld(t)
	w.addFault(sandbox.Fault{System: "stripe", Method: "GET", Path: "^/v1/customers", Count: 2, Effect: sandbox.Unavailable})
	w.addFault(sandbox.Fault{System: "powerdns", Count: -1, Effect: sandbox.Unavailable})

	w.stripe("GET", "/v1/prices").expect(t, 200)
	w.post("/v1/customers", "", "name", "Acme").expect(t, 200)
	for _, want := range []int{503, 503, 200} {
		w.stripe("GET", "/v1/customers").expect(t, want)
	}
	for range 5 {
		w.pdns("GET", "/zones", "").expect(t, 503)
	}
	if err := w.admin.ForgetFaults(t.Context()); err != nil {
		t.Fatal(err)
	}
	w.pdns("GET", "/zones", "").expect(t, 200)
}

func TestAFaultThatMakesNoSenseIsRefused(t *testing.T) {
	w := newWorld(t)
	for _, f := range []sandbox.Fault{{Effect: "explode"}, {Effect: sandbox.HTML, Path: "("}, {Effect: sandbox.HTML, Status: 42}, {Effect: sandbox.HTML, Count: -2}} {
		if _, err := w.admin.AddFault(t.Context(), f); err == nil || !strings.Contains(err.Error(), "400") {
			t.Errorf("%+v gives %v, want a 400", f, err)
		}
	}
	answer := w.do("POST", w.AdminURL()+"/faults", http.Header{}, `{"effect":"html","colour":"red"}`)
	if answer.status != 400 || !strings.Contains(answer.body, "colour") {
		t.Errorf("an unknown field gives %d %s", answer.status, answer.body)
	}
}
