package admin

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strconv"

	"github.com/tenantplane/terraform-provider-tenant/internal/sandbox/gate"
)

// Client speaks to a sandbox's admin endpoint. Errors hold what it answered.
type Client struct {
	// BaseURL is Server.AdminURL.
	BaseURL string
	// HTTP is the client to use; nil means http.DefaultClient.
	HTTP *http.Client
}

// Filter narrows or widens an inventory.
type Filter struct {
	// System and Kind keep one system's or kind's objects; "" keeps all.
	System string
	Kind   string
	// Fixtures adds what was there from the beginning.
	Fixtures bool
	// Gone adds what the vendors still remember of deleted objects.
	Gone bool
}

// Objects returns the objects there are.
func (c Client) Objects(ctx context.Context, f Filter) (Inventory, error) {
	query := url.Values{"fixtures": {strconv.FormatBool(f.Fixtures)}, "gone": {strconv.FormatBool(f.Gone)}}
	if f.System != "" {
		query.Set("system", f.System)
	}
	if f.Kind != "" {
		query.Set("kind", f.Kind)
	}
	var inventory Inventory
	err := c.call(ctx, http.MethodGet, "/objects?"+query.Encode(), nil, &inventory)
	return inventory, err
}

// Requests returns the log from after the line with the given id; 0 for all.
func (c Client) Requests(ctx context.Context, after int64) ([]Request, error) {
	var lines []Request
	err := c.call(ctx, http.MethodGet, fmt.Sprintf("/requests?after=%d", after), nil, &lines)
	return lines, err
}

// ForgetRequests empties the log.
func (c Client) ForgetRequests(ctx context.Context) error {
	return c.call(ctx, http.MethodDelete, "/requests", nil, nil)
}

// AddFault lets a fault wait for its calls, and returns its id.
func (c Client) AddFault(ctx context.Context, f gate.Fault) (int64, error) {
	var added struct {
		ID int64 `json:"id"`
	}
	err := c.call(ctx, http.MethodPost, "/faults", f, &added)
	return added.ID, err
}

// Faults returns the faults that can still hit.
func (c Client) Faults(ctx context.Context) ([]gate.Fault, error) {
	var faults []gate.Fault
	err := c.call(ctx, http.MethodGet, "/faults", nil, &faults)
	return faults, err
}

// ForgetFaults takes all faults back.
func (c Client) ForgetFaults(ctx context.Context) error {
	return c.call(ctx, http.MethodDelete, "/faults", nil, nil)
}

// Reset brings the sandbox back to its beginning.
func (c Client) Reset(ctx context.Context) error {
	return c.call(ctx, http.MethodPost, "/reset", nil, nil)
}

// PutRecords sets the records of a name and type.
func (c Client) PutRecords(ctx context.Context, zone, name, kind string, set RecordSet) error {
	return c.call(ctx, http.MethodPut, recordsPath(zone, name, kind), set, nil)
}

// DeleteRecords removes the records of a name and type; none is fine.
func (c Client) DeleteRecords(ctx context.Context, zone, name, kind string) error {
	return c.call(ctx, http.MethodDelete, recordsPath(zone, name, kind), nil, nil)
}

func recordsPath(zone, name, kind string) string {
	return "/powerdns/" + url.PathEscape(zone) + "/" + url.PathEscape(name) + "/" + url.PathEscape(kind)
}

// CreateStripe makes an object of a collection ("customers") from parameters
// spelled as a JSON tree, and returns its id.
func (c Client) CreateStripe(ctx context.Context, collection string, fields map[string]any) (string, error) {
	var made struct {
		ID string `json:"id"`
	}
	err := c.call(ctx, http.MethodPost, "/stripe/"+url.PathEscape(collection), fields, &made)
	return made.ID, err
}

// EditStripe changes an object of a collection.
func (c Client) EditStripe(ctx context.Context, collection, id string, fields map[string]any) error {
	return c.call(ctx, http.MethodPatch, "/stripe/"+url.PathEscape(collection)+"/"+url.PathEscape(id), fields, nil)
}

// DeleteStripe deletes a customer or item, or cancels a subscription.
func (c Client) DeleteStripe(ctx context.Context, collection, id string) error {
	return c.call(ctx, http.MethodDelete, "/stripe/"+url.PathEscape(collection)+"/"+url.PathEscape(id), nil, nil)
}

// CreateOrganization makes an organization from an OrganizationRepresentation.
func (c Client) CreateOrganization(ctx context.Context, fields map[string]any) error {
	return c.call(ctx, http.MethodPost, "/keycloak/organizations", fields, nil)
}

// EditOrganization replaces the given fields of an organization.
func (c Client) EditOrganization(ctx context.Context, id string, fields map[string]any) error {
	return c.call(ctx, http.MethodPatch, "/keycloak/organizations/"+url.PathEscape(id), fields, nil)
}

// DeleteOrganization deletes an organization.
func (c Client) DeleteOrganization(ctx context.Context, id string) error {
	return c.call(ctx, http.MethodDelete, "/keycloak/organizations/"+url.PathEscape(id), nil, nil)
}

// call sends body, if any, as JSON and reads the answer into result, if any.
func (c Client) call(ctx context.Context, method, path string, body, result any) error {
	var payload io.Reader
	if body != nil {
		raw, err := json.Marshal(body)
		if err != nil {
			return fmt.Errorf("sandbox admin: encode body: %w", err)
		}
		payload = bytes.NewReader(raw)
	}
	request, err := http.NewRequestWithContext(ctx, method, c.BaseURL+path, payload)
	if err != nil {
		return fmt.Errorf("sandbox admin: %w", err)
	}
	request.Header.Set("Content-Type", "application/json")
	client := c.HTTP
	if client == nil {
		client = http.DefaultClient
	}
	response, err := client.Do(request)
	if err != nil {
		return fmt.Errorf("sandbox admin: %w", err)
	}
	defer response.Body.Close()
	answer, err := io.ReadAll(response.Body)
	switch {
	case err != nil:
		return fmt.Errorf("sandbox admin: %s %s: read answer: %w", method, path, err)
	case response.StatusCode >= http.StatusBadRequest:
		return fmt.Errorf("sandbox admin: %s %s: %s: %s", method, path, response.Status, bytes.TrimSpace(answer))
	case result == nil:
		return nil
	}
	if err := json.Unmarshal(answer, result); err != nil {
		return fmt.Errorf("sandbox admin: %s %s: decode answer: %w", method, path, err)
	}
	return nil
}
