package stripe_test

import (
	"io"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"sync"
	"testing"

	"github.com/tenantplane/terraform-provider-tenant/internal/backend"
	"github.com/tenantplane/terraform-provider-tenant/internal/backend/stripe"
	"github.com/tenantplane/terraform-provider-tenant/internal/component/billing"
	"github.com/tenantplane/terraform-provider-tenant/internal/tenant"
)

const apiKey = "sk_test_canary"

var subject = tenant.Subject{Installation: "acme", ID: "northstar-us", DisplayName: "Northstar (US)", Region: "us-east"}

// reply is one canned answer.
type reply struct {
	status int
	body   string
	header http.Header
}

func ok(body string) reply { return reply{status: 200, body: body} }
func refuse(status int, error string) reply {
	return reply{status: status, body: `{"error":` + error + `}`}
}

func (r reply) replayed() reply {
	r.header = http.Header{"Idempotent-Replayed": {"true"}}
	return r
}

// sent is one request as it arrived.
type sent struct {
	line   string
	params url.Values
	header http.Header
}

// account is a server with canned answers per request line. The last answer of
// a line is repeated; a line without answers is not Stripe's.
type account struct {
	t       *testing.T
	mu      sync.Mutex
	replies map[string][]reply
	sent    []sent
}

// newAccount returns a backend on an account with the answers.
func newAccount(t *testing.T, replies map[string][]reply) (*account, backend.Backend) {
	t.Helper()
	a := &account{t: t, replies: replies}
	server := httptest.NewServer(a)
	t.Cleanup(server.Close)
	b, f := stripe.Driver().Open(backend.Settings{Options: map[string]string{"api_key": apiKey, "url": server.URL + "/"}})
	if f != nil {
		t.Fatal(f)
	}
	return a, b
}

func (a *account) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	body, _ := io.ReadAll(r.Body)
	form, _ := url.ParseQuery(string(body))
	for name, values := range r.URL.Query() {
		form[name] = values
	}
	a.mu.Lock()
	defer a.mu.Unlock()
	line := r.Method + " " + r.URL.Path
	a.sent = append(a.sent, sent{line, form, r.Header})
	queue := a.replies[line]
	if len(queue) == 0 {
		a.t.Errorf("unexpected request %s %v", line, form)
		http.NotFound(w, r)
		return
	}
	if len(queue) > 1 {
		a.replies[line] = queue[1:]
	}
	for name, values := range queue[0].header {
		w.Header()[name] = values
	}
	w.Header().Set("Request-Id", "req_1")
	w.WriteHeader(queue[0].status)
	_, _ = io.WriteString(w, queue[0].body)
}

// requests returns the requests with a line, "" for all.
func (a *account) requests(line string) []sent {
	a.mu.Lock()
	defer a.mu.Unlock()
	var out []sent
	for _, s := range a.sent {
		if line == "" || s.line == line {
			out = append(out, s)
		}
	}
	return out
}

// writes counts the requests that could change something.
func (a *account) writes() int {
	var n int
	for _, s := range a.requests("") {
		if !strings.HasPrefix(s.line, "GET ") {
			n++
		}
	}
	return n
}

const marker = `"tenant-installation":"acme","tenant-id":"northstar-us","tenant-region":"us-east"`

func customerJSON(id, email, metadata string) string {
	return `{"id":"` + id + `","object":"customer","name":"Northstar (US)","email":"` + email + `","metadata":{` + metadata + `}}`
}

// subscriptionJSON has one line of price price_1 with the lookup key.
func subscriptionJSON(status, lookupKey, seats, metadata string) string {
	return `{"id":"sub_1","object":"subscription","status":"` + status + `","customer":"cus_1","metadata":{` + metadata + `},` +
		`"items":{"object":"list","has_more":false,"data":[` + itemJSON("si_1", lookupKey, seats) + `]}}`
}

func itemJSON(id, lookupKey, seats string) string {
	return `{"id":"` + id + `","object":"subscription_item","quantity":` + seats + `,"price":` + priceJSON("price_1", lookupKey, "recurring") + `}`
}

func priceJSON(id, lookupKey, kind string) string {
	return `{"id":"` + id + `","object":"price","active":true,"type":"` + kind + `","lookup_key":"` + lookupKey + `"}`
}

func listJSON(more string, objects ...string) string {
	return `{"object":"list","has_more":` + more + `,"data":[` + strings.Join(objects, ",") + `]}`
}

func wantCustomer() backend.Want {
	return backend.Want{
		Target: backend.Target{Subject: subject, Component: "billing", Object: "customer", Path: "billing"},
		Fields: billing.CustomerContent(subject.DisplayName, "ap@northstar.example"),
		Key:    "acme/northstar-us/billing.customer/e1",
	}
}

func wantSubscription(plan string, seats int64) backend.Want {
	return backend.Want{
		Target: backend.Target{
			Subject: subject, Component: "billing", Object: "subscription", Path: "billing",
			Refs: map[string]string{"billing.customer": "cus_1"},
		},
		Fields: billing.SubscriptionContent(plan, seats, 1),
		Key:    "acme/northstar-us/billing.subscription/e1",
	}
}

// recorded gives a want the id under which its object is known, and says that
// it was just seen.
func recorded(w backend.Want, id string) backend.Want {
	w.ExternalID = id
	w.Observed = &backend.Observation{ExternalID: id}
	return w
}
