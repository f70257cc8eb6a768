// Package wake is the sweep service's HTTP server: its health, and the wake-ups
// by which the outside world makes a tenant's next visit come sooner. A wake-up
// decides nothing: what the visit does depends on what it finds.
//
//	GET  /healthz             the process lives
//	GET  /readyz              it is in order; 503 and the reason otherwise
//	POST /wake                {"tenant_id": "acme"} with a bearer token
//	POST /webhooks/stripe     signed by Stripe
//	POST /webhooks/github     signed by GitHub
//	POST /webhooks/keycloak   signed by the keycloak-events extension
//
// A route whose secret is not configured answers 404.
package wake
