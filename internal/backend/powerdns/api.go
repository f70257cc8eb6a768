package powerdns

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strings"

	"github.com/tenantplane/terraform-provider-tenant/internal/backend/transport"
	"github.com/tenantplane/terraform-provider-tenant/internal/fault"
)

// api speaks the calls this package needs.
type api struct {
	client *http.Client
	// server is the URL of the server resource, ".../api/v1/servers/localhost".
	server string
	key    string
	// path is the attribute path of the driver's block, for messages.
	path string
}

// The wire format, as far as it is used.
type (
	wireZone struct {
		ID   string `json:"id"`
		Name string `json:"name"`
		// RRSets is nil when the answer has none, which no zone has.
		RRSets []wireSet `json:"rrsets"`
	}
	wireSet struct {
		Name       string        `json:"name"`
		Type       string        `json:"type"`
		TTL        int64         `json:"ttl,omitempty"`
		ChangeType string        `json:"changetype,omitempty"`
		Records    []wireRecord  `json:"records,omitempty"`
		Comments   []wireComment `json:"comments,omitempty"`
	}
	wireRecord struct {
		Content  string `json:"content"`
		Disabled bool   `json:"disabled"`
	}
	wireFound struct {
		Name     string `json:"name"`
		Type     string `json:"type"`
		Zone     string `json:"zone"`
		Content  string `json:"content"`
		Disabled bool   `json:"disabled"`
	}
	wireComment struct {
		Content    string `json:"content"`
		Account    string `json:"account"`
		ModifiedAt int64  `json:"modified_at,omitempty"`
	}
)

// listZones returns all zones of the server; the API has no pages.
func (a api) listZones(ctx context.Context) ([]wireZone, error) {
	_, body, err := a.call(ctx, http.MethodGet, "/zones", nil)
	if fault.Is(err, fault.NotFound) {
		return nil, &fault.Fault{
			Kind: fault.Terminal, Code: "domain.server_unknown", BackendWide: true, Err: err,
			Found:  "PowerDNS does not know the server id it was asked for",
			Action: fmt.Sprintf("correct %s.%s, or leave it out", a.path, optionServerID),
		}
	}
	if err != nil {
		return nil, err
	}
	var list []wireZone
	err = transport.DecodeJSON("list zones", body, false, &list)
	return list, err
}

// readZone returns the record sets of one name, and possibly others: servers
// before 4.7 ignore the filter, and 4.7 adds the comments of the whole zone to
// the answer for a wildcard. A zone that does not exist is a NotFound fault.
func (a api) readZone(ctx context.Context, id, name string) (wireZone, error) {
	_, body, err := a.call(ctx, http.MethodGet, zonePath(id)+"?rrset_name="+url.QueryEscape(name), nil)
	if err != nil {
		return wireZone{}, err
	}
	var zone wireZone
	if err := transport.DecodeJSON("read zone", body, false, &zone); err != nil {
		return wireZone{}, err
	}
	if zone.RRSets == nil {
		return wireZone{}, fault.NewRetryable("backend.malformed", "the answer to a read of zone "+id+" has no rrsets", nil)
	}
	return zone, nil
}

// search returns the records of one name in all zones, those switched off
// included, and perhaps others: in a search "*" and "?" are wildcards.
func (a api) search(ctx context.Context, name string) ([]wireFound, error) {
	pattern := strings.ReplaceAll(strings.TrimSuffix(name, "."), "*", "?")
	query := url.Values{"q": {pattern}, "object_type": {"record"}, "max": {"1000"}}
	_, body, err := a.call(ctx, http.MethodGet, "/search-data?"+query.Encode(), nil)
	if err != nil {
		return nil, err
	}
	var found []wireFound
	err = transport.DecodeJSON("search records", body, false, &found)
	return found, err
}

// patchZone applies all changes in one transaction of the server and returns
// the zone's new serial, "" when the server does not say.
func (a api) patchZone(ctx context.Context, id string, changes ...wireSet) (string, error) {
	body, err := json.Marshal(map[string]any{"rrsets": changes})
	if err != nil {
		return "", fmt.Errorf("encode changes: %w", err)
	}
	header, _, err := a.call(ctx, http.MethodPatch, zonePath(id), body)
	return header.Get("X-Pdns-New-Serial"), err
}

func zonePath(id string) string { return "/zones/" + url.PathEscape(id) }

// call sends one request and returns the answer if it is a success.
func (a api) call(ctx context.Context, method, path string, body []byte) (http.Header, []byte, error) {
	mutating := method != http.MethodGet
	verb := method + " " + path
	request, err := http.NewRequestWithContext(ctx, method, a.server+path, bytes.NewReader(body))
	if err != nil {
		return nil, nil, fmt.Errorf("%s: %w", verb, err)
	}
	request.Header.Set("X-API-Key", a.key)
	request.Header.Set("Content-Type", "application/json")
	response, err := a.client.Do(request)
	if err != nil {
		return nil, nil, transport.FaultFromError(verb, err, mutating)
	}
	defer response.Body.Close()
	answer, err := io.ReadAll(response.Body)
	if err != nil {
		return nil, nil, transport.FaultFromError(verb, err, mutating)
	}
	if response.StatusCode < 200 || response.StatusCode > 299 {
		return nil, nil, a.refusal(response, answer, mutating)
	}
	return response.Header, answer, nil
}

// refusal sorts an unsuccessful answer (manual, section "Errors": 422 means
// understood and refused, with the reason as JSON).
func (a api) refusal(response *http.Response, answer []byte, mutating bool) *fault.Fault {
	f := transport.FaultFromStatus(response, answer, mutating)
	reason := reasonOf(answer)
	switch status := response.StatusCode; {
	case status == http.StatusNotFound && (reason != "" || strings.TrimSpace(string(answer)) == "Not Found"):
		return fault.NewNotFound(codeZoneUnknown, "PowerDNS answers that there is no such zone")
	case status == http.StatusUnauthorized, status == http.StatusForbidden:
		f.Action = fmt.Sprintf("check %s.%s and which addresses the server's webserver-allow-from admits", a.path, optionKey)
	case status == http.StatusUnprocessableEntity, status == http.StatusBadRequest:
		f.Code, f.Found = codeRefused, "PowerDNS refuses the change: "+reason
		f.Action = "change the record, or what it collides with in the zone"
	case reason != "":
		f.Found += ": " + reason
	}
	return f
}

// reasonOf returns the API's own explanation, "" when it gave none.
func reasonOf(answer []byte) string {
	var explained struct {
		Error string `json:"error"`
	}
	if json.Unmarshal(answer, &explained) != nil {
		return ""
	}
	return explained.Error
}
