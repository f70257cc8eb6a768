package stripe_test

import (
	"bytes"
	"io"
	"net/http"
	"strings"
	"sync"
	"testing"

	"github.com/tenantplane/terraform-provider-tenant/internal/fault"
)

// forgetful is an account whose list of customers never shows any, as Stripe's
// leaves out those of test clocks.
type forgetful struct{}

func (forgetful) RoundTrip(r *http.Request) (*http.Response, error) {
	resp, err := http.DefaultTransport.RoundTrip(r)
	if err != nil || r.Method != http.MethodGet || !strings.HasSuffix(r.URL.Path, "/v1/customers") {
		return resp, err
	}
	_ = resp.Body.Close()
	resp.Body = io.NopCloser(bytes.NewReader([]byte(`{"object":"list","data":[],"has_more":false}`)))
	resp.ContentLength = -1
	return resp, nil
}

func TestC28_ACustomerThatListsLeaveOutIsStillMadeOnce(t *testing.T) {
	d := openDesk(t)
	ids := make([]string, 2)
	var group sync.WaitGroup
	for i := range ids {
		b := d.open(t, forgetful{}) // each worker is a process of its own
		group.Go(func() {
			made, err := b.Ensure(t.Context(), wantCustomer())
			for err != nil && fault.Is(err, fault.Retryable) {
				made, err = b.Ensure(t.Context(), wantCustomer())
			}
			if err != nil {
				t.Errorf("worker %d: %v", i, err)
			}
			ids[i] = made.ExternalID
		})
	}
	group.Wait()
	if ids[0] == "" || ids[0] != ids[1] {
		t.Fatalf("the workers hold %q, want one customer", ids)
	}
	if n := strings.Count(string(d.call(t, http.MethodGet, "/v1/customers?limit=100")), `"object":"customer"`); n != 1 {
		t.Errorf("%d customers were made", n)
	}

	target := wantCustomer().Target
	target.ExternalID = ids[0] // what the ledger holds is asked for by its id, whatever the list says
	if seen, err := d.open(t, forgetful{}).Observe(t.Context(), target); err != nil || seen.ExternalID != ids[0] {
		t.Errorf("by its id: %+v, %v", seen, err)
	}
}
