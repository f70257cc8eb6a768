package powerdns

import (
	"fmt"
	"net/http"
	"strings"
	"testing"

	"github.com/tenantplane/terraform-provider-tenant/internal/backend"
	"github.com/tenantplane/terraform-provider-tenant/internal/engine"
	"github.com/tenantplane/terraform-provider-tenant/internal/fault"
)

func TestC01_MixedCaseNamesSettleAndLeaveWithoutATrace(t *testing.T) {
	w := newWorld(t, "c01.example")
	spec := `{"hostname":"Acme.C01.Example","target":"Edge.Example.NET"}`
	w.mustApply(spec)
	w.holds("acme.c01.example. CNAME 300 edge.example.net.")
	w.settled(spec)

	w.edit("Acme.c01.example.", "CNAME", 300, []string{"Edge.Example.NET."})
	w.holds("acme.c01.example. CNAME 300 Edge.Example.NET.") // the server keeps the target's case
	w.settled(spec)

	w.destroy()
	w.holds()
}

func TestC02_FinalDotsMakeNoDifference(t *testing.T) {
	w := newWorld(t, "c02.example")
	for i, spec := range []string{
		`{"hostname":"acme.c02.example","target":"edge.example.net"}`,
		`{"hostname":"acme.c02.example.","target":"edge.example.net"}`,
		`{"hostname":"acme.c02.example","target":"edge.example.net."}`,
		`{"hostname":"acme.c02.example.","target":"edge.example.net."}`,
	} {
		if n := w.writes(func() { w.mustApply(spec) }); i > 0 && n != 0 {
			t.Errorf("%s after its twin: wrote %d times", spec, n)
		}
		w.holds("acme.c02.example. CNAME 300 edge.example.net.")
	}
}

// unicodeZones is a server that spells zone names in Unicode.
type unicodeZones struct{ ascii, unicode string }

func (u unicodeZones) RoundTrip(r *http.Request) (*http.Response, error) {
	response, err := http.DefaultTransport.RoundTrip(r)
	if err != nil || r.Method != http.MethodGet {
		return response, err
	}
	return rewritten(response, func(body string) string {
		return strings.ReplaceAll(body, `"name": "`+u.ascii, `"name": "`+u.unicode)
	})
}

func TestC03_InternationalNamesAreOneNameInEitherSpelling(t *testing.T) {
	const zone = "xn--bcher-c03-q9a.example" // bücher-c03.example
	w := newWorld(t, zone)
	unicode := `{"hostname":"ämter.bücher-c03.example","target":"edge.example.net"}`
	ascii := `{"hostname":"xn--mter-koa.xn--bcher-c03-q9a.example","target":"edge.example.net"}`
	w.mustApply(unicode)
	w.holds("xn--mter-koa.xn--bcher-c03-q9a.example. CNAME 300 edge.example.net.")
	w.settled(ascii)

	w.backend = openTest(t, map[string]string{"url": w.server.URL, "api_key": w.server.APIKey},
		unicodeZones{ascii: zone, unicode: "bücher-c03.example"})
	w.settled(ascii)
	w.settled(unicode)
	w.destroy()
	w.holds()
}

func TestC09_AWildcardAndItsPlainSiblingAreWrittenOncePerGeneration(t *testing.T) {
	w := newWorld(t, "c09.example")
	spec := func(address string) string {
		return fmt.Sprintf(`{"hostname":"acme.c09.example","addresses":[%q],"wildcard":true}`, address)
	}
	if n := w.writes(func() { w.mustApply(spec("192.0.2.1")) }); n != 2 {
		t.Errorf("generation 1: wrote %d times, want once per record", n)
	}
	w.settled(spec("192.0.2.1"))

	// A server that answers with the wildcard escaped.
	w.backend = openTest(t, map[string]string{"url": w.server.URL, "api_key": w.server.APIKey}, escaping{w.meter})
	for range 3 {
		w.settled(spec("192.0.2.1"))
	}
	if n := w.writes(func() { w.mustApply(spec("192.0.2.2")) }); n != 2 {
		t.Errorf("generation 2: wrote %d times, want once per record", n)
	}
	w.holds("*.acme.c09.example. A 300 192.0.2.2", "acme.c09.example. A 300 192.0.2.2")
	w.settled(spec("192.0.2.2"))
}

// escaping spells wildcards as \052, as some servers do.
type escaping struct{ next http.RoundTripper }

func (e escaping) RoundTrip(r *http.Request) (*http.Response, error) {
	response, err := e.next.RoundTrip(r)
	if err != nil || r.Method != http.MethodGet {
		return response, err
	}
	return rewritten(response, func(body string) string { return strings.ReplaceAll(body, `"*.`, `"\\052.`) })
}

func TestTheLongestZoneWins(t *testing.T) {
	w := newWorld(t, "longest.example")
	inner := newWorld(t, "eu.longest.example")
	w.mustApply(`{"hostname":"acme.eu.longest.example","target":"edge.example.net"}`)
	inner.holds("acme.eu.longest.example. CNAME 300 edge.example.net.")
	w.holds()

	w.backend = openTest(t, map[string]string{"url": w.server.URL, "api_key": w.server.APIKey, "zone": "longest.example"}, nil)
	w.mustApply(`{"hostname":"acme.longest.example","target":"edge.example.net"}`)
	w.holds("acme.longest.example. CNAME 300 edge.example.net.")
	inner.holds()
}

func TestANameOutsideAllZonesIsRefusedNamingTheZones(t *testing.T) {
	w := newWorld(t, "zones-a.example")
	desired, _ := w.compile(`{"hostname":"acme.elsewhere.test","target":"edge.example.net"}`)
	target := w.target(desired.Objects[0])
	_, observe := w.backend.Observe(t.Context(), target)
	_, ensure := w.backend.Ensure(t.Context(), backend.Want{Target: target, Fields: desired.Objects[0].Fields})
	check := w.backend.Check(t.Context(), []backend.Want{{Target: target, Fields: desired.Objects[0].Fields}})
	if len(check) != 1 {
		t.Fatalf("check: got %v, want one fault", check)
	}
	for verb, err := range map[string]error{"observe": observe, "ensure": ensure, "check": check[0]} {
		f := fault.From(err)
		if f.Kind != fault.Terminal || f.Path != "domain.hostname" || f.BackendWide ||
			!strings.Contains(f.Found, "no zone for acme.elsewhere.test.; PowerDNS has") || !strings.Contains(f.Found, ".example.") {
			t.Errorf("%s: got %s at %q: %v", verb, f.Kind, f.Path, err)
		}
	}
}

func TestAZoneMadeAfterTheListWasReadIsFound(t *testing.T) {
	w := newWorld(t, "early.example")
	w.mustApply(`{"hostname":"acme.early.example","target":"edge.example.net"}`)
	late := newWorld(t, "late.example")
	w.mustApply(`{"hostname":"acme.late.example","target":"edge.example.net"}`)
	late.holds("acme.late.example. CNAME 300 edge.example.net.")
	w.holds()
}

func TestAMoveWritesTheNewNameBeforeItRemovesTheOld(t *testing.T) {
	w := newWorld(t, "move.example")
	w.mustApply(`{"hostname":"old.move.example","target":"edge.example.net","wildcard":true}`)
	failing := &atMostWrites{limit: 1}
	w.backend = openTest(t, map[string]string{"url": w.server.URL, "api_key": w.server.APIKey}, failing)
	moved := `{"hostname":"new.move.example","target":"edge.example.net","wildcard":true}`
	if _, err := w.apply(moved); !fault.Is(err, fault.Ambiguous) {
		t.Fatalf("a move whose second write is lost: %v, want an Ambiguous fault", err)
	}
	w.holds("*.old.move.example. CNAME 300 edge.example.net.",
		"new.move.example. CNAME 300 edge.example.net.", "old.move.example. CNAME 300 edge.example.net.")

	failing.limit = 1000
	w.mustApply(moved)
	w.holds("*.new.move.example. CNAME 300 edge.example.net.", "new.move.example. CNAME 300 edge.example.net.")
	w.settled(moved)
	w.destroy()
	w.holds()
}

func TestAMoveFindsARecordWhoseLastChangeOfKindWasNotRecorded(t *testing.T) {
	w := newWorld(t, "unrecorded.example")
	id := engine.ObjectID{Component: "domain", Object: "record"}
	w.mustApply(`{"hostname":"old.unrecorded.example","target":"edge.example.net"}`)
	recorded := w.records[id]
	w.mustApply(`{"hostname":"old.unrecorded.example","addresses":["192.0.2.1"]}`)
	w.records[id] = recorded // the process died before it could record the A record

	w.mustApply(`{"hostname":"new.unrecorded.example","addresses":["192.0.2.1"]}`)
	w.holds("new.unrecorded.example. A 300 192.0.2.1")
}

func TestAMoveOntoAStrangersNameTouchesNothing(t *testing.T) {
	w := newWorld(t, "move2.example")
	w.mustApply(`{"hostname":"old.move2.example","target":"edge.example.net"}`)
	w.edit("new.move2.example.", "A", 60, []string{"192.0.2.1"})
	if _, err := w.apply(`{"hostname":"new.move2.example","target":"edge.example.net"}`); !fault.Is(err, fault.Conflict) {
		t.Errorf("got %v, want a Conflict fault", err)
	}
	w.holds("new.move2.example. A 60 192.0.2.1", "old.move2.example. CNAME 300 edge.example.net.")
	w.destroy()
	w.holds("new.move2.example. A 60 192.0.2.1")
}

func TestANewKindOfDestinationReplacesTheOldOneInOneStep(t *testing.T) {
	w := newWorld(t, "kind.example")
	for _, step := range []struct {
		spec  string
		holds []string
	}{
		{`{"hostname":"acme.kind.example","target":"edge.example.net"}`, []string{"acme.kind.example. CNAME 300 edge.example.net."}},
		{`{"hostname":"acme.kind.example","addresses":["192.0.2.1","2001:db8::1"]}`,
			[]string{"acme.kind.example. A 300 192.0.2.1", "acme.kind.example. AAAA 300 2001:db8::1"}},
		{`{"hostname":"acme.kind.example","target":"edge.example.net"}`, []string{"acme.kind.example. CNAME 300 edge.example.net."}},
		{`{"hostname":"acme.kind.example","addresses":["2001:db8::1"]}`, []string{"acme.kind.example. AAAA 300 2001:db8::1"}},
		{`{"hostname":"acme.kind.example","addresses":["192.0.2.1"]}`, []string{"acme.kind.example. A 300 192.0.2.1"}},
	} {
		w.mustApply(step.spec)
		w.holds(step.holds...)
		w.settled(step.spec)
	}
	if id := w.records[engine.ObjectID{Component: "domain", Object: "record"}].ExternalID; id != "kind.example./acme.kind.example./A" {
		t.Errorf("external id is %q", id)
	}
}
