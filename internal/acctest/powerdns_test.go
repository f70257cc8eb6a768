package acctest

import (
	"context"
	"net"
	"net/http"
	"testing"
	"time"
)

func TestPowerDNSServesWhatItsAPIIsTold(t *testing.T) {
	server := PowerDNS(t, "acctest.example")
	again := PowerDNS(t, "acctest.example", "other.example")
	if again != server {
		t.Fatalf("a second call started another server: %+v and %+v", server, again)
	}
	record := map[string]any{"rrsets": []map[string]any{{
		"name": "www.acctest.example.", "type": "A", "ttl": 60, "changetype": "REPLACE",
		"records":  []map[string]any{{"content": "192.0.2.7"}},
		"comments": []map[string]any{{"content": "hello", "account": "acctest"}},
	}}}
	status, body, err := server.Call(http.MethodPatch, "/zones/acctest.example.", record)
	if err != nil || status != http.StatusNoContent {
		t.Fatalf("PATCH: status %d, error %v: %s", status, err, body)
	}
	resolver := net.Resolver{PreferGo: true, Dial: func(ctx context.Context, network, _ string) (net.Conn, error) {
		return (&net.Dialer{}).DialContext(ctx, network, server.DNSAddr)
	}}
	ctx, cancel := context.WithTimeout(t.Context(), 5*time.Second)
	defer cancel()
	addresses, err := resolver.LookupHost(ctx, "www.acctest.example.")
	if err != nil || len(addresses) != 1 || addresses[0] != "192.0.2.7" {
		t.Fatalf("the DNS side answers %v, error %v; want 192.0.2.7", addresses, err)
	}
}
