package drift_test

import (
	"encoding/json"
	"encoding/xml"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/tenantplane/terraform-provider-tenant/internal/drift"
	"github.com/tenantplane/terraform-provider-tenant/internal/engine"
	"github.com/tenantplane/terraform-provider-tenant/internal/fault"
	"github.com/tenantplane/terraform-provider-tenant/internal/tenant"
)

var (
	noon   = time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)
	record = engine.Object{ID: engine.ObjectID{Component: "domain", Object: "record"}}
	change = tenant.Change{Field: "target", From: []string{"stray.example.net"}, To: []string{"edge.example.net"}}
)

func plan(actions ...engine.Action) engine.Plan { return engine.Plan{Actions: actions} }

func faulty(f *fault.Fault) engine.Plan {
	return engine.Plan{Faults: []engine.ObjectFault{{Object: record.ID, Fault: f}}}
}

func TestAPlanIsJudgedByWhatItHurts(t *testing.T) {
	outage := fault.NewRetryable("domain.down", "it answers 503", nil)
	login := fault.NewTerminal("domain.login", "", "401", "check the key")
	login.BackendWide = true
	for name, c := range map[string]struct {
		plan   engine.Plan
		want   drift.Tenant
		code   int
		policy tenant.Drift
	}{
		"nothing to do": {plan: plan()},
		"an ignored field": {
			plan:   plan(engine.Action{Verb: engine.Update, Object: record, Reason: "it differs", Changes: []tenant.Change{change}}),
			policy: tenant.Drift{Ignore: []string{"domain.record.target"}},
		},
		"an ignored field beside another": {
			plan: plan(engine.Action{Verb: engine.Update, Object: record, Reason: "it differs", Changes: []tenant.Change{change, {Field: "ttl"}}}),
			want: drift.Tenant{Drifts: []drift.Drift{{
				Object: "domain.record", Field: "target", Observed: change.From, Desired: change.To, Reason: "it differs", Severity: drift.Warning, Since: noon,
			}}},
			code: 2, policy: tenant.Drift{Ignore: []string{"domain.record.ttl"}},
		},
		"an ignored component": {
			plan:   plan(engine.Action{Verb: engine.Create, Object: record, Reason: "it is missing"}),
			policy: tenant.Drift{Ignore: []string{"domain"}},
		},
		"a missing object": {
			plan: plan(engine.Action{Verb: engine.Create, Object: record, Reason: "it is missing"}),
			want: drift.Tenant{Drifts: []drift.Drift{{Object: "domain.record", Reason: "it is missing", Severity: drift.Critical, Since: noon}}},
			code: 2,
		},
		"an object that was shut off": {
			plan: plan(engine.Action{Verb: engine.Update, Object: record, Reason: "it is off"}),
			want: drift.Tenant{Drifts: []drift.Drift{{Object: "domain.record", Reason: "it is off", Severity: drift.Critical, Since: noon}}},
			code: 2,
		},
		"changed content": {
			plan: plan(engine.Action{Verb: engine.Update, Object: record, Reason: "it differs", Changes: []tenant.Change{change}}),
			want: drift.Tenant{Drifts: []drift.Drift{{
				Object: "domain.record", Field: "target", Observed: change.From, Desired: change.To, Reason: "it differs", Severity: drift.Warning, Since: noon,
			}}},
			code: 2,
		},
		"a lost mark": {
			plan: plan(engine.Action{Verb: engine.Adopt, Object: record, Reason: "it has no mark"}),
			want: drift.Tenant{Drifts: []drift.Drift{{Object: "domain.record", Reason: "it has no mark", Severity: drift.Notice, Since: noon}}},
			code: 2,
		},
		"somebody else's object": {
			plan: faulty(fault.NewConflict("domain.foreign", "domain.hostname", "it is another's", "rename it")),
			want: drift.Tenant{Unhealthy: []string{"domain.record: domain.hostname: it is another's (rename it)"}},
			code: 2,
		},
		"an outage":       {plan: faulty(outage), want: drift.Tenant{Unread: []string{"domain.record: it answers 503"}}, code: 1},
		"a refused login": {plan: faulty(login), want: drift.Tenant{Unread: []string{"domain.record: 401 (check the key)"}}, code: 1},
		"held by a cause": {plan: engine.Plan{Held: []engine.ObjectID{record.ID}}},
	} {
		t.Run(name, func(t *testing.T) {
			got := drift.Judge(drift.Tenant{}, c.plan, c.policy, func(engine.ObjectID) time.Time { return noon })
			if diff := cmp.Diff(c.want, got); diff != "" {
				t.Error(diff)
			}
			v := drift.Begin("prod", noon)
			v.Tenants = append(v.Tenants, got)
			if v = v.Finish(noon); v.ExitCode() != c.code || v.Complete != (len(c.want.Unread) == 0) {
				t.Errorf("exit code %d and complete %v, want code %d", v.ExitCode(), v.Complete, c.code)
			}
		})
	}
}

func TestC66_AVerdictIsIncompleteUntilItIsFinished(t *testing.T) {
	begun := drift.Begin("prod", noon)
	if begun.Complete || begun.ExitCode() != drift.ExitIncomplete || !begun.Finish(noon).Complete {
		t.Errorf("begun: complete %v, code %d", begun.Complete, begun.ExitCode())
	}
}

func mixed() drift.Verdict {
	v := drift.Begin("prod", noon)
	v.Tenants = []drift.Tenant{
		{Tenant: "clean"},
		{Tenant: "acme", Drifts: []drift.Drift{{Object: "domain.record", Field: "target", Observed: change.From, Desired: change.To, Severity: drift.Warning, Since: noon}}},
		{Tenant: "far", Unread: []string{"domain.record: it answers 503"}},
	}
	return v.Finish(noon)
}

func TestJUnitHasACaseForEachTenant(t *testing.T) {
	content, err := mixed().JUnit()
	if err != nil {
		t.Fatal(err)
	}
	var got struct {
		Suites []struct {
			Tests    int `xml:"tests,attr"`
			Failures int `xml:"failures,attr"`
			Errors   int `xml:"errors,attr"`
		} `xml:"testsuite"`
	}
	if err := xml.Unmarshal(content, &got); err != nil {
		t.Fatal(err)
	}
	if s := got.Suites[0]; s.Tests != 3 || s.Failures != 1 || s.Errors != 1 {
		t.Errorf("got %+v", s)
	}
	if !strings.Contains(string(content), "domain.record.target: is stray.example.net, wanted edge.example.net (since 2026-03-01 12:00 UTC)") {
		t.Errorf("the drift is not told:\n%s", content)
	}
	unfinished, err := drift.Begin("prod", noon).JUnit()
	if err != nil || !strings.Contains(string(unfinished), `errors="1"`) {
		t.Errorf("an unfinished run passes: %s %v", unfinished, err)
	}
}

func TestSARIFSaysWhetherTheRunWasComplete(t *testing.T) {
	content, err := mixed().SARIF()
	if err != nil {
		t.Fatal(err)
	}
	var got struct {
		Version string
		Runs    []struct {
			Invocations []struct{ ExecutionSuccessful bool }
			Results     []struct{ RuleID, Level string }
		}
	}
	if err := json.Unmarshal(content, &got); err != nil {
		t.Fatal(err)
	}
	run := got.Runs[0]
	if got.Version != "2.1.0" || run.Invocations[0].ExecutionSuccessful || len(run.Results) != 2 ||
		run.Results[0].Level != "warning" || run.Results[1].RuleID != "tenant-unread" {
		t.Errorf("got %+v", got)
	}
}

func TestC67_ListedNoiseIsCountedApartAndOtherFieldsStillAlarm(t *testing.T) {
	noise, err := drift.ReadNoise(strings.NewReader("# known\nacme domain.record.ttl # our CDN changes it\n*-test *.*\n"))
	if err != nil {
		t.Fatal(err)
	}
	ttl, target := drift.Drift{Object: "domain.record", Field: "ttl"}, drift.Drift{Object: "domain.record", Field: "target"}
	got := noise.Apply(drift.Tenant{Tenant: "acme", Drifts: []drift.Drift{ttl, target}})
	if diff := cmp.Diff(drift.Tenant{Tenant: "acme", Drifts: []drift.Drift{target}, Noise: []drift.Drift{ttl}}, got); diff != "" {
		t.Error(diff)
	}
	if other := noise.Apply(drift.Tenant{Tenant: "northstar", Drifts: []drift.Drift{ttl}}); len(other.Drifts) != 1 {
		t.Error("one tenant's noise silences another")
	}
	if all := noise.Apply(drift.Tenant{Tenant: "load-test", Drifts: []drift.Drift{ttl, target}}); len(all.Noise) != 2 {
		t.Errorf("a pattern matched %d of 2", len(all.Noise))
	}
	for _, bad := range []string{"acme", "acme a b", "acme [", "[ x"} {
		if _, err := drift.ReadNoise(strings.NewReader(bad)); err == nil {
			t.Errorf("%q was read", bad)
		}
	}
}
