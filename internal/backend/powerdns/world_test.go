package powerdns

import (
	"encoding/json"
	"fmt"
	"net/http"
	"os"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/tenantplane/terraform-provider-tenant/internal/acctest"
	"github.com/tenantplane/terraform-provider-tenant/internal/backend"
	"github.com/tenantplane/terraform-provider-tenant/internal/backend/transport"
	"github.com/tenantplane/terraform-provider-tenant/internal/clock"
	"github.com/tenantplane/terraform-provider-tenant/internal/component/domain"
	"github.com/tenantplane/terraform-provider-tenant/internal/engine"
	"github.com/tenantplane/terraform-provider-tenant/internal/fault"
	"github.com/tenantplane/terraform-provider-tenant/internal/tenant"
)

func TestMain(m *testing.M) { os.Exit(acctest.Main(m)) }

var noon = time.Date(2026, 1, 2, 12, 0, 0, 0, time.UTC)

// openTest opens the backend with a clock that does not wait between attempts.
func openTest(t *testing.T, options map[string]string, base http.RoundTripper) *powerDNS {
	t.Helper()
	virtual := clock.NewVirtual(noon)
	client := transport.NewClient(transport.Options{Base: base, Timeout: 5 * time.Second, MaxBody: maxBody, Clock: virtual})
	b, f := open(backend.Settings{Options: options, Path: `regions["test"].domain.powerdns`}, client, virtual.Now)
	if f != nil {
		t.Fatalf("open: %v", f)
	}
	return b
}

// meter counts the requests that may change something.
type meter struct{ writes atomic.Int64 }

func (m *meter) RoundTrip(r *http.Request) (*http.Response, error) {
	if r.Method != http.MethodGet {
		m.writes.Add(1)
	}
	return http.DefaultTransport.RoundTrip(r)
}

// world is one tenant whose domain is kept in a zone of its own on the real
// server, with a ledger that is a map.
type world struct {
	t       *testing.T
	server  acctest.PowerDNSServer
	zone    string
	backend *powerDNS
	meter   *meter
	subject tenant.Subject
	objects map[engine.ObjectID]engine.Object
	records map[engine.ObjectID]engine.Record
}

func newWorld(t *testing.T, zone string) *world {
	t.Helper()
	server := acctest.PowerDNS(t, zone)
	m := &meter{}
	return &world{
		t: t, server: server, zone: zone, meter: m,
		backend: openTest(t, map[string]string{"url": server.URL, "api_key": server.APIKey}, m),
		subject: tenant.Subject{Installation: "itest", ID: "northstar", Region: "test"},
		objects: map[engine.ObjectID]engine.Object{}, records: map[engine.ObjectID]engine.Record{},
	}
}

func (w *world) target(o engine.Object) backend.Target {
	return backend.Target{
		Subject: w.subject, Component: o.ID.Component, Object: o.ID.Object, Name: o.Name, Path: o.Path,
		ExternalID: w.records[o.ID].ExternalID,
	}
}

// compile turns a spec into objects and forgets nothing that is recorded.
func (w *world) compile(spec string) (engine.Desired, []engine.Object) {
	w.t.Helper()
	desired, faults := engine.Compile([]engine.Component{domain.Component{}}, tenant.Spec{
		Subject: w.subject, Components: map[string]json.RawMessage{"domain": json.RawMessage(spec)},
	})
	for _, f := range faults {
		w.t.Fatalf("compile %s: %v", spec, f)
	}
	wanted := map[engine.ObjectID]bool{}
	for _, o := range desired.Objects {
		wanted[o.ID] = true
		w.objects[o.ID] = o
	}
	var departing []engine.Object
	for id, record := range w.records {
		if record.Held() && !wanted[id] {
			departing = append(departing, w.objects[id])
		}
	}
	return desired, departing
}

// see observes one object as the executor does.
func (w *world) see(o engine.Object) (engine.Sighting, backend.Observation) {
	w.t.Helper()
	seen, err := w.backend.Observe(w.t.Context(), w.target(o))
	s := engine.Sighting{Record: w.records[o.ID]}
	switch {
	case fault.Is(err, fault.NotFound):
		return s, seen
	case err != nil:
		w.t.Fatalf("observe %s: %v", o.ID, err)
	}
	s.Present, s.ExternalID, s.Fields, s.Owner = true, seen.ExternalID, seen.Fields, engine.Foreign
	switch seen.Marker {
	case w.subject.Marker():
		s.Owner = engine.Ours
	case tenant.Marker{}:
		s.Owner = engine.Unmarked
	}
	return s, seen
}

// plan observes and plans.
func (w *world) plan(spec string) (engine.Plan, map[engine.ObjectID]backend.Observation) {
	w.t.Helper()
	desired, departing := w.compile(spec)
	sightings := engine.Sightings{}
	observations := map[engine.ObjectID]backend.Observation{}
	for _, o := range slices.Concat(desired.Objects, departing) {
		sightings[o.ID], observations[o.ID] = w.see(o)
	}
	return engine.Converge(desired, departing, sightings, noon), observations
}

// apply plans and acts, and returns the plan and the first error.
func (w *world) apply(spec string) (engine.Plan, error) {
	w.t.Helper()
	plan, observations := w.plan(spec)
	for _, action := range plan.Actions {
		id := action.Object.ID
		if action.Verb == engine.Delete || action.Verb == engine.Forget {
			_, err := w.backend.Remove(w.t.Context(), backend.Removal{Target: w.target(action.Object), TakeUnmarked: action.TakeUnmarked})
			if err != nil {
				return plan, err
			}
			delete(w.records, id)
			continue
		}
		want := backend.Want{Target: w.target(action.Object), Fields: action.Object.Fields, Key: action.Key}
		if action.Verb == engine.Create {
			want.ExternalID = "" // as the executor does: the id belongs to a life that is over
		} else {
			seen := observations[id]
			want.ExternalID, want.Observed = seen.ExternalID, &seen
		}
		got, err := w.backend.Ensure(w.t.Context(), want)
		if err != nil {
			return plan, err
		}
		w.records[id] = engine.Record{ExternalID: got.ExternalID, Name: got.Name, Epoch: action.Epoch, Attempt: action.Attempt}
	}
	return plan, nil
}

// mustApply applies a spec that has to work.
func (w *world) mustApply(spec string) engine.Plan {
	w.t.Helper()
	plan, err := w.apply(spec)
	if err != nil || len(plan.Faults) > 0 {
		w.t.Fatalf("apply %s: %v, faults %v", spec, err, plan.Faults)
	}
	return plan
}

// settled checks that another apply plans nothing and writes nothing.
func (w *world) settled(spec string) {
	w.t.Helper()
	before := w.meter.writes.Load()
	if plan := w.mustApply(spec); !plan.Empty() {
		w.t.Errorf("apply %s again: planned %s", spec, verbs(plan))
	}
	if extra := w.meter.writes.Load() - before; extra != 0 {
		w.t.Errorf("apply %s again: wrote %d times", spec, extra)
	}
}

// destroy removes everything recorded, dependents first.
func (w *world) destroy() {
	w.t.Helper()
	for id, o := range w.objects {
		if _, err := w.backend.Remove(w.t.Context(), backend.Removal{Target: w.target(o)}); err != nil {
			w.t.Fatalf("remove %s: %v", id, err)
		}
		delete(w.records, id)
	}
}

// writes returns how many writes f makes.
func (w *world) writes(f func()) int64 {
	before := w.meter.writes.Load()
	f()
	return w.meter.writes.Load() - before
}

func verbs(plan engine.Plan) string {
	var out []string
	for _, action := range plan.Actions {
		out = append(out, fmt.Sprintf("%s %v", action.ID(), action.Changes))
	}
	return strings.Join(out, ", ")
}

// stored returns what the server holds in the zone besides SOA and NS, as
// "name type ttl values", read past the backend.
func (w *world) stored() []string {
	w.t.Helper()
	status, body, err := w.server.Call(http.MethodGet, "/zones/"+w.zone+".", nil)
	if err != nil || status != http.StatusOK {
		w.t.Fatalf("read zone %s: status %d, %v", w.zone, status, err)
	}
	var answer wireZone
	if err := json.Unmarshal(body, &answer); err != nil {
		w.t.Fatalf("read zone %s: %v", w.zone, err)
	}
	var out []string
	for _, set := range answer.RRSets {
		if set.Type == "SOA" || set.Type == "NS" {
			continue
		}
		var values []string
		for _, record := range set.Records {
			values = append(values, record.Content)
		}
		slices.Sort(values)
		out = append(out, fmt.Sprintf("%s %s %d %s", set.Name, set.Type, set.TTL, strings.Join(values, " ")))
	}
	slices.Sort(out)
	return out
}

// holds checks what the server holds.
func (w *world) holds(want ...string) {
	w.t.Helper()
	if got := w.stored(); !slices.Equal(got, want) {
		w.t.Errorf("the server holds\n  %s\nwant\n  %s", strings.Join(got, "\n  "), strings.Join(want, "\n  "))
	}
}

// edit writes a record set as a stranger with the API key would. No values
// delete it; comments are replaced only when some are given.
func edit(t testing.TB, server acctest.PowerDNSServer, zone, name, recordType string, ttl int, values []string, comments ...string) {
	t.Helper()
	change := map[string]any{"name": name, "type": recordType, "changetype": "DELETE"}
	if len(values) > 0 {
		var records []map[string]any
		for _, value := range values {
			records = append(records, map[string]any{"content": value, "disabled": false})
		}
		change["changetype"], change["ttl"], change["records"] = "REPLACE", ttl, records
	}
	if len(comments) > 0 {
		var list []map[string]any
		for _, comment := range comments {
			list = append(list, map[string]any{"content": comment, "account": "someone"})
		}
		change["comments"] = list
	}
	status, body, err := server.Call(http.MethodPatch, "/zones/"+zone+".", map[string]any{"rrsets": []any{change}})
	if err != nil || status != http.StatusNoContent {
		t.Fatalf("edit %s %s: status %d, %v: %s", name, recordType, status, err, body)
	}
}

func (w *world) edit(name, recordType string, ttl int, values []string, comments ...string) {
	w.t.Helper()
	edit(w.t, w.server, w.zone, name, recordType, ttl, values, comments...)
}
