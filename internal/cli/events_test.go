package cli_test

import (
	"encoding/json"
	"os"
	"strings"
	"testing"
)

// withSinks adds sinks to the provider block of a place.
func (p place) withSinks(sinks string) {
	p.Helper()
	text, err := os.ReadFile(p.path("main.tf"))
	p.must(err)
	block := "events = { sinks = " + sinks + " }\n  sandbox"
	p.must(os.WriteFile(p.path("main.tf"), []byte(strings.Replace(string(text), "sandbox", block, 1)), 0o600))
}

func TestEventsAreShownAndSent(t *testing.T) {
	p := newPlace(t, "acme")
	if said := p.look(0, "events", "acme", "--ledger", "x.db"); !strings.Contains(said, "tenant.onboarding_completed.v1") {
		t.Error(said)
	}
	var some []struct{ Type string }
	said := p.look(0, "events", "--type", "tenant.component_ready.v1", "--limit", "2", "-o", "json", "--ledger", "x.db")
	if err := json.Unmarshal([]byte(said), &some); err != nil || len(some) != 2 || some[0].Type != "tenant.component_ready.v1" {
		t.Errorf("%s %v", said, err)
	}
	p.withSinks(`{ log = { file = { path = "events.ndjson" }, backlog = true } }`)
	p.look(0, "events", "dispatch")
	lines, err := os.ReadFile(p.path("events.ndjson"))
	p.must(err)
	if n := strings.Count(string(lines), "\n"); n < 5 {
		t.Errorf("%d events were sent", n)
	}
	p.look(0, "sweep", "--once") // sends what happens from now on
}

func TestASinkThatIsOutOfReachIsShownAndForgotten(t *testing.T) {
	p := newPlace(t, "acme")
	p.withSinks(`{ hook = { webhook = { url = "http://127.0.0.1:1/hook", secrets = ["whsec_MDEyMzQ1Njc4OTAxMjM0NTY3ODkwMTIz"] }, backlog = true } }`)
	said := p.look(0, "events", "dispatch", "-o", "json")
	var sinks []struct {
		Name    string
		Pending int
		Outages int
		Error   string `json:"last_error"`
	}
	if err := json.Unmarshal([]byte(said), &sinks); err != nil || len(sinks) != 1 || sinks[0].Pending == 0 || sinks[0].Outages != 1 || sinks[0].Error == "" {
		t.Errorf("%s %v", said, err)
	}
	if said := p.look(0, "events", "dead", "--ledger", "x.db", "-o", "json"); strings.TrimSpace(said) != "[]" {
		t.Errorf("an outage killed events: %s", said)
	}
	p.look(1, "events", "replay", "hook", "--ledger", "x.db") // of all, of one? say so
	p.look(0, "events", "replay", "hook", "--all", "--ledger", "x.db")
	if said := p.look(0, "events", "sinks", "--forget", "hook", "-o", "json", "--ledger", "x.db"); strings.TrimSpace(said) != "[]" {
		t.Error(said)
	}
}

func TestASinkWithAMistakeIsRefusedByName(t *testing.T) {
	for sinks, says := range map[string]string{
		`{ a = {} }`: `events.sinks["a"]: it has 0 of webhook, nats and file`,
		`{ a = { webhook = { url = "ftp://x", secrets = ["whsec_MDEyMzQ1Njc4OTAxMjM0NTY3ODkwMTIz"] } } }`: `events.sinks["a"].webhook.url`,
		`{ a = { nats = { url = "nats://x", stream = "S", subject = "a.*" } } }`:                          `events.sinks["a"].nats.subject`,
	} {
		q := newPlace(t)
		q.withSinks(sinks)
		if said := q.look(1, "events", "dispatch"); !strings.Contains(said, says) {
			t.Errorf("%s: %s", sinks, said)
		}
	}
}
