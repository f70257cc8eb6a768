package transport_test

import (
	"net/http"
	"testing"
	"time"

	"github.com/tenantplane/terraform-provider-tenant/internal/backend/transport"
	"github.com/tenantplane/terraform-provider-tenant/internal/clock"
	"github.com/tenantplane/terraform-provider-tenant/internal/fault"
)

// NOTAUTH and REFUSED belong to RFC 2136, which has no backend yet; over HTTP
// they are 401 and 403. A 404 is an absence only to a backend that knows what
// it asked for, so here none of the answers is one.
func TestC12_RefusalsAreSortedAndNoneIsAnAbsence(t *testing.T) {
	silent := func(_ http.ResponseWriter, r *http.Request) { <-r.Context().Done() }
	for name, tc := range map[string]struct {
		answer      http.HandlerFunc
		read, write fault.Kind
		backendWide bool
	}{
		"401":             {answer(401), fault.Terminal, fault.Terminal, true},
		"403":             {answer(403), fault.Terminal, fault.Terminal, true},
		"404":             {answer(404), fault.Retryable, fault.Retryable, false},
		"410":             {answer(410), fault.Retryable, fault.Retryable, false},
		"429":             {answer(429), fault.Retryable, fault.Retryable, true},
		"500 (SERVFAIL)":  {answer(500), fault.Retryable, fault.Ambiguous, false},
		"503":             {answer(503), fault.Retryable, fault.Ambiguous, true},
		"timeout":         {silent, fault.Retryable, fault.Ambiguous, false},
		"connection lost": {hangUp, fault.Retryable, fault.Ambiguous, false},
	} {
		for method, want := range map[string]fault.Kind{http.MethodGet: tc.read, http.MethodPost: tc.write} {
			f := refusal(t, serve(t, tc.answer).url, method)
			if f.Kind != want || f.BackendWide != tc.backendWide {
				t.Errorf("%s %s: got %s (%s) of the whole backend %t, want %s, %t", method, name, f.Kind, f.Code, f.BackendWide, want, tc.backendWide)
			}
		}
	}
}

// refusal makes a call that fails and sorts its end.
func refusal(t *testing.T, url, method string) *fault.Fault {
	t.Helper()
	client := transport.NewClient(transport.Options{Clock: clock.NewVirtual(noon), Timeout: 100 * time.Millisecond})
	req, err := http.NewRequestWithContext(t.Context(), method, url, http.NoBody)
	if err != nil {
		t.Fatal(err)
	}
	resp, err := client.Do(req)
	if err != nil {
		return transport.FaultFromError("call", err, method == http.MethodPost)
	}
	defer func() { _ = resp.Body.Close() }()
	return transport.FaultFromStatus(resp, []byte(`{}`), method == http.MethodPost)
}
