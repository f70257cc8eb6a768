package transport_test

import (
	"net/http"
	"testing"
	"time"

	"github.com/tenantplane/terraform-provider-tenant/internal/backend/transport"
	"github.com/tenantplane/terraform-provider-tenant/internal/clock"
	"github.com/tenantplane/terraform-provider-tenant/internal/fault"
)

// The tracker made the ticket, and a proxy lost the answer.
func TestC64_ATicketCommittedBeforeA502IsMadeOnceAndAskedAfter(t *testing.T) {
	tickets := 0
	commitThen502 := func(w http.ResponseWriter, r *http.Request) {
		tickets++
		answer(http.StatusBadGateway, "Retry-After", "1")(w, r)
	}
	server := serve(t, commitThen502)
	client := transport.NewClient(transport.Options{Clock: clock.NewVirtual(noon), MaxAttempts: 5})
	req, err := http.NewRequestWithContext(t.Context(), http.MethodPost, server.url+"/issues", http.NoBody)
	if err != nil {
		t.Fatal(err)
	}
	resp, err := client.Do(req)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = resp.Body.Close() }()
	if f := transport.FaultFromStatus(resp, nil, true); f.Kind != fault.Ambiguous || f.RetryAfter != time.Second {
		t.Errorf("got %+v, want an Ambiguous fault: look before anything else", f)
	}
	if tickets != 1 {
		t.Errorf("%d tickets were made", tickets)
	}
}

// What the transport does not wait for is told to whoever schedules the rest.
func TestC64_TheWaitThatWasAskedForIsHandedOn(t *testing.T) {
	for header, want := range map[string]time.Duration{
		"999999": time.Hour, "1800": 30 * time.Minute, "Fri, 02 Jan 2026 12:30:00 GMT": 30 * time.Minute,
		"Thu, 01 Jan 1970 00:00:00 GMT": 0, "soon": 0, "-1": 0, "1e9": 0,
	} {
		server := serve(t, answer(http.StatusServiceUnavailable, "Retry-After", header))
		virtual := clock.NewVirtual(noon)
		client := transport.NewClient(transport.Options{Clock: virtual, MaxAttempts: 1})
		req, err := http.NewRequestWithContext(t.Context(), http.MethodGet, server.url, http.NoBody)
		if err != nil {
			t.Fatal(err)
		}
		resp, err := client.Do(req)
		if err != nil {
			t.Fatal(err)
		}
		_ = resp.Body.Close()
		if f := transport.FaultFromStatus(resp, nil, false); f.RetryAfter != want {
			t.Errorf("Retry-After %q: the fault says %s, want %s", header, f.RetryAfter, want)
		}
	}
}
