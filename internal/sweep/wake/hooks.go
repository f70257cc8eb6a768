package wake

import (
	"encoding/json"
	"fmt"
	"net/http"
	"strings"
	"time"

	"github.com/tenantplane/terraform-provider-tenant/internal/tenant"
)

// hook is one system whose events are heard.
type hook struct {
	name    string
	secrets []string
	// signed tells whether the system sent the body.
	signed func(header http.Header, body []byte, secrets []string, now time.Time) bool
	// about tells what the event is about.
	about func(body []byte) (subject, error)
}

// subject is what an event is about: an object with our marker, or ids under
// which the ledger may know one.
type subject struct {
	marker      tenant.Marker
	externalIDs []string
}

func stripeHook(secrets []string) hook {
	return hook{name: "stripe", secrets: secrets, signed: signedByStripe, about: aboutStripe}
}

// aboutStripe reads an event (docs.stripe.com/api/events/object): the object it
// carries has our metadata, or belongs to a customer or subscription of ours.
func aboutStripe(body []byte) (subject, error) {
	var e struct {
		Data struct {
			Object struct {
				ID           string            `json:"id"`
				Customer     reference         `json:"customer"`
				Subscription reference         `json:"subscription"`
				Metadata     map[string]string `json:"metadata"`
			} `json:"object"`
		} `json:"data"`
	}
	if err := json.Unmarshal(body, &e); err != nil {
		return subject{}, fmt.Errorf("the body is no Stripe event: %w", err)
	}
	o := e.Data.Object
	return subject{tenant.MarkerFromPairs(o.Metadata), some(o.ID, string(o.Subscription), string(o.Customer))}, nil
}

// reference is a Stripe id, or the expanded object in its place.
type reference string

// UnmarshalJSON implements json.Unmarshaler.
func (r *reference) UnmarshalJSON(text []byte) error {
	var id string
	if json.Unmarshal(text, &id) == nil {
		*r = reference(id)
		return nil
	}
	var object struct {
		ID string `json:"id"`
	}
	if err := json.Unmarshal(text, &object); err != nil {
		return fmt.Errorf("neither an id nor an object: %w", err)
	}
	*r = reference(object.ID)
	return nil
}

func githubHook(secrets []string) hook {
	return hook{name: "github", secrets: secrets, signed: signedByGitHub, about: aboutGitHub}
}

// aboutGitHub reads an event about an issue
// (docs.github.com/en/webhooks/webhook-events-and-payloads). Others are about
// nothing of ours.
func aboutGitHub(body []byte) (subject, error) {
	var e struct {
		Issue struct {
			Number int64  `json:"number"`
			NodeID string `json:"node_id"`
		} `json:"issue"`
		Repository struct {
			FullName string `json:"full_name"`
		} `json:"repository"`
	}
	if err := json.Unmarshal(body, &e); err != nil {
		return subject{}, fmt.Errorf("the body is no GitHub event: %w", err)
	}
	if e.Issue.Number == 0 {
		return subject{}, nil
	}
	return subject{externalIDs: some(e.Issue.NodeID, fmt.Sprintf("%s#%d", e.Repository.FullName, e.Issue.Number))}, nil
}

func keycloakHook(secrets []string) hook {
	return hook{name: "keycloak", secrets: secrets, signed: signedByKeycloak, about: aboutKeycloak}
}

// aboutKeycloak reads an admin event: its resource path names the organization,
// "organizations/‹id›/…", among other resources.
func aboutKeycloak(body []byte) (subject, error) {
	var e struct {
		ResourcePath string            `json:"resourcePath"`
		Details      map[string]string `json:"details"`
	}
	if err := json.Unmarshal(body, &e); err != nil {
		return subject{}, fmt.Errorf("the body is no Keycloak event: %w", err)
	}
	ids := []string{e.Details["org_id"], e.Details["organization_id"]}
	parts := strings.Split(strings.Trim(e.ResourcePath, "/"), "/")
	for i, part := range parts {
		if part == "organizations" && i+1 < len(parts) {
			ids = append(ids, parts[i+1])
		}
	}
	return subject{externalIDs: some(ids...)}, nil
}

// some drops what is empty.
func some(ids ...string) []string {
	var out []string
	for _, id := range ids {
		if id != "" {
			out = append(out, id)
		}
	}
	return out
}
