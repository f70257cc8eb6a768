package cloudevent_test

import (
	"bytes"
	"encoding/json"
	"testing"
	"time"

	cloudevents "github.com/cloudevents/sdk-go/v2/event"

	"github.com/tenantplane/terraform-provider-tenant/internal/event"
	"github.com/tenantplane/terraform-provider-tenant/internal/event/cloudevent"
)

var deleted = event.Event{
	ID: "7d5c", Type: event.Deleted, Tenant: "acme", Correlation: "life-1",
	Time: time.Date(2026, 3, 1, 12, 0, 0, 123456000, time.UTC), Data: json.RawMessage(`{"actions":6}`),
}

func TestTheReferenceImplementationReadsWhatIsRendered(t *testing.T) {
	text, err := cloudevent.Render("prod", deleted, 42)
	if err != nil {
		t.Fatal(err)
	}
	var read cloudevents.Event
	if err := json.Unmarshal(text, &read); err != nil {
		t.Fatal(err)
	}
	if err := read.Validate(); err != nil {
		t.Fatal(err)
	}
	for name, pair := range map[string][2]any{
		"id": {read.ID(), "7d5c"}, "type": {read.Type(), "tenant.deleted.v1"}, "subject": {read.Subject(), "acme"},
		"source": {read.Source(), "/tenant-provider/prod"}, "time": {read.Time(), deleted.Time}, "data": {string(read.Data()), `{"actions":6}`},
		"sequence": {read.Extensions()["sequence"], "00000000000000000042"}, "correlationid": {read.Extensions()["correlationid"], "life-1"},
		"datacontenttype": {read.DataContentType(), "application/json"},
	} {
		if pair[0] != pair[1] {
			t.Errorf("%s is %v, want %v", name, pair[0], pair[1])
		}
	}
}

func TestAnEventIsRenderedTheSameEveryTime(t *testing.T) {
	first, err := cloudevent.Render("prod", deleted, 42)
	if err != nil {
		t.Fatal(err)
	}
	for range 20 {
		if again, err := cloudevent.Render("prod", deleted, 42); err != nil || !bytes.Equal(first, again) {
			t.Fatalf("%s\n%s (%v)", first, again, err)
		}
	}
}

func TestDataThatIsNoJSONIsAnErrorAndNotABrokenEnvelope(t *testing.T) {
	broken := deleted
	broken.Data = json.RawMessage(`{"actions":`)
	if text, err := cloudevent.Render("prod", broken, 1); err == nil {
		t.Errorf("rendered %s", text)
	}
}
