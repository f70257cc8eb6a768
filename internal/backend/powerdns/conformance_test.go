package powerdns

import (
	"fmt"
	"net/http"
	"strings"
	"testing"

	"github.com/tenantplane/terraform-provider-tenant/internal/acctest"
	"github.com/tenantplane/terraform-provider-tenant/internal/backend"
	"github.com/tenantplane/terraform-provider-tenant/internal/backend/backendtest"
	"github.com/tenantplane/terraform-provider-tenant/internal/component/domain"
)

func TestConformance(t *testing.T) {
	const zone = "conformance.example"
	server := acctest.PowerDNS(t, zone)
	specs := map[string][2]string{
		"alias": {
			`{"hostname":"%ID%.conformance.example","target":"edge.example.net"}`,
			`{"hostname":"%ID%.conformance.example","target":"other.example.net","ttl":60}`,
		},
		"addresses below a wildcard": {
			`{"hostname":"%ID%.conformance.example","addresses":["192.0.2.2","192.0.2.1","2001:db8::1"],"wildcard":true}`,
			`{"hostname":"%ID%.conformance.example","addresses":["192.0.2.9","2001:db8::9"],"wildcard":true}`,
		},
	}
	for name, spec := range specs {
		t.Run(name, func(t *testing.T) {
			backendtest.Run(t, backendtest.Suite{
				Open: func(t *testing.T, base http.RoundTripper) backend.Backend {
					return openTest(t, map[string]string{"url": server.URL, "api_key": server.APIKey}, base)
				},
				HTTP:      true,
				Component: domain.Component{},
				Spec:      spec[0],
				Changed:   spec[1],
				Edit: func(t *testing.T, target backend.Target) {
					at := placeOf(t, target)
					edit(t, server, zone, at.name, at.recordType, 77, []string{strangeValue(at.recordType)})
				},
				Vanish: func(t *testing.T, target backend.Target) {
					at := placeOf(t, target)
					edit(t, server, zone, at.name, at.recordType, 0, nil)
				},
				Strip: func(t *testing.T, target backend.Target) {
					at := placeOf(t, target)
					edit(t, server, zone, at.name, at.recordType, 300, []string{strangeValue(at.recordType)}, "made by hand")
				},
				Crowd: func(t *testing.T) {
					for i := range 20 {
						acctest.PowerDNS(t, fmt.Sprintf("crowd%d.example", i))
						edit(t, server, zone, fmt.Sprintf("crowd%d.%s.", i, zone), "A", 60, []string{"192.0.2.3"})
					}
				},
			})
		})
	}
}

func placeOf(t *testing.T, target backend.Target) location {
	t.Helper()
	at, err := parseLocation(target.ExternalID)
	if err != nil {
		t.Fatal(err)
	}
	return at
}

func strangeValue(recordType string) string {
	return map[string]string{"A": "192.0.2.77", "AAAA": "2001:db8::77", "CNAME": "strange.example.net."}[strings.ToUpper(recordType)]
}
