// Package cloudevent renders events as CloudEvents 1.0 in JSON
// (github.com/cloudevents/spec, v1.0.2). The format is small and fixed, and is
// held to the reference implementation by a test.
package cloudevent

import (
	"encoding/json"
	"fmt"
	"net/url"
	"strings"
	"time"

	"github.com/tenantplane/terraform-provider-tenant/internal/event"
	"github.com/tenantplane/terraform-provider-tenant/internal/tenant"
)

// ContentType is the media type of a rendered event.
const ContentType = "application/cloudevents+json"

// SchemaBase is where the schemas of the data are published; the file is the
// type's, "tenant.deleted.v1.json".
const SchemaBase = "https://github.com/tenantplane/terraform-provider-tenant/blob/main/docs/events/"

// envelope is the JSON format. Extension attributes have names of lower-case
// letters and digits only.
type envelope struct {
	SpecVersion   string          `json:"specversion"`
	ID            string          `json:"id"`
	Source        string          `json:"source"`
	Type          string          `json:"type"`
	Subject       string          `json:"subject"`
	Time          string          `json:"time"`
	ContentType   string          `json:"datacontenttype"`
	DataSchema    string          `json:"dataschema"`
	Sequence      string          `json:"sequence"`
	CorrelationID string          `json:"correlationid,omitempty"`
	Data          json.RawMessage `json:"data"`
}

// Source names the installation that events come from, a URI reference.
func Source(i tenant.Installation) string {
	return "/tenant-provider/" + url.PathEscape(string(i))
}

// Render renders an event of an installation. position orders the events of a
// tenant; it becomes "sequence", of equal length always, so that it sorts as
// text. Delivered again, an event is rendered byte for byte as before.
func Render(i tenant.Installation, e event.Event, position int64) ([]byte, error) {
	data := e.Data
	if len(data) == 0 {
		data = json.RawMessage("{}")
	}
	text, err := json.Marshal(envelope{
		SpecVersion: "1.0", ID: e.ID, Source: Source(i), Type: e.Type, Subject: string(e.Tenant),
		Time: e.Time.UTC().Format(time.RFC3339Nano), ContentType: "application/json", DataSchema: SchemaBase + e.Type + ".json",
		Sequence: fmt.Sprintf("%020d", max(position, 0)), CorrelationID: strings.ToValidUTF8(e.Correlation, ""), Data: data,
	})
	if err != nil {
		return nil, fmt.Errorf("render event %s: %w", e.ID, err)
	}
	return text, nil
}
