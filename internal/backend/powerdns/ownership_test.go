package powerdns

import (
	"strings"
	"testing"

	"github.com/tenantplane/terraform-provider-tenant/internal/backend"
	"github.com/tenantplane/terraform-provider-tenant/internal/engine"
	"github.com/tenantplane/terraform-provider-tenant/internal/fault"
)

func TestC05a_ACNAMEAtTheApexIsRefusedAtPlanTimeAndNeverSent(t *testing.T) {
	w := newWorld(t, "c05a.example")
	desired, _ := w.compile(`{"hostname":"c05a.example","target":"edge.example.net"}`)
	want := backend.Want{Target: w.target(desired.Objects[0]), Fields: desired.Objects[0].Fields}
	writes := w.writes(func() {
		faults := w.backend.Check(t.Context(), []backend.Want{want})
		if len(faults) != 1 {
			t.Fatalf("check: got %v, want one fault", faults)
		}
		_, err := w.backend.Ensure(t.Context(), want)
		for verb, f := range map[string]*fault.Fault{"check": faults[0], "ensure": fault.From(err)} {
			if f.Kind != fault.Terminal || f.Code != "domain.cname_at_apex" || f.Path != "domain.hostname" || !strings.Contains(f.Action, "addresses") {
				t.Errorf("%s: got %s %s at %q: %v", verb, f.Kind, f.Code, f.Path, f)
			}
		}
	})
	if writes != 0 {
		t.Errorf("%d writes were sent", writes)
	}
	w.mustApply(`{"hostname":"c05a.example","addresses":["192.0.2.1"]}`) // addresses may stand there
	w.holds("c05a.example. A 300 192.0.2.1")
}

func TestC05b_TheMarkerIsACommentAndNeverARecordBesideTheCNAME(t *testing.T) {
	w := newWorld(t, "c05b.example")
	w.mustApply(`{"hostname":"acme.c05b.example","target":"edge.example.net"}`)
	w.holds("acme.c05b.example. CNAME 300 edge.example.net.")
	_, seen := w.see(w.objects[engine.ObjectID{Component: "domain", Object: "record"}])
	if seen.Marker != w.subject.Marker() {
		t.Errorf("the record's marker is %+v, want %+v", seen.Marker, w.subject.Marker())
	}
}

func TestC05c_ACNAMEBesideAStrangersMXIsAConflictNamingIt(t *testing.T) {
	w := newWorld(t, "c05c.example")
	w.edit("acme.c05c.example.", "MX", 60, []string{"10 mail.example.net."})
	desired, _ := w.compile(`{"hostname":"acme.c05c.example","target":"edge.example.net","adopt":"overwrite"}`)
	want := backend.Want{Target: w.target(desired.Objects[0]), Fields: desired.Objects[0].Fields}
	writes := w.writes(func() {
		faults := w.backend.Check(t.Context(), []backend.Want{want})
		if len(faults) != 1 {
			t.Fatalf("check: got %v, want one fault", faults)
		}
		_, err := w.backend.Ensure(t.Context(), want)
		for verb, f := range map[string]*fault.Fault{"check": faults[0], "ensure": fault.From(err)} {
			if f.Kind != fault.Conflict || !strings.Contains(f.Found, "MX") || !strings.Contains(f.Found, "10 mail.example.net.") {
				t.Errorf("%s: got %s: %v", verb, f.Kind, f)
			}
		}
	})
	if writes != 0 {
		t.Errorf("%d writes were sent", writes)
	}
	w.holds("acme.c05c.example. MX 60 10 mail.example.net.")
	w.mustApply(`{"hostname":"acme.c05c.example","addresses":["192.0.2.1"]}`) // addresses may stand beside it
	w.destroy()
	w.holds("acme.c05c.example. MX 60 10 mail.example.net.")
}

func TestC07a_AnIdenticalRecordIsAdoptedByAMarkAlone(t *testing.T) {
	w := newWorld(t, "c07a.example")
	w.edit("acme.c07a.example.", "CNAME", 300, []string{"Edge.Example.net."}, "asked for by Kim, ticket 17")
	spec := `{"hostname":"acme.c07a.example","target":"edge.example.net"}`
	plan := w.mustApply(spec)
	if len(plan.Actions) != 1 || plan.Actions[0].Verb != engine.Adopt {
		t.Errorf("planned %s, want one adopt", verbs(plan))
	}
	// The record itself was not written: the target keeps the stranger's case.
	w.holds("acme.c07a.example. CNAME 300 Edge.Example.net.")
	if id := w.records[plan.Actions[0].Object.ID].ExternalID; id != "c07a.example./acme.c07a.example./CNAME" {
		t.Errorf("recorded id is %q", id)
	}
	w.settled(spec)
	if _, body, _ := w.server.Call("GET", "/zones/c07a.example.", nil); !strings.Contains(string(body), "ticket 17") {
		t.Errorf("the stranger's comment is gone: %s", body)
	}
	w.destroy()
	w.holds()
}

func TestC07bc_OtherContentIsAConflictShowingBothUnlessOverwriteSaysOtherwise(t *testing.T) {
	w := newWorld(t, "c07b.example")
	for name, values := range map[string][]string{"b": {"192.0.2.9"}, "c": {"192.0.2.1", "192.0.2.9"}} {
		owner := name + ".c07b.example."
		w.edit(owner, "A", 60, values)
		w.edit(owner, "TXT", 60, []string{`"keep me"`})
		spec := `{"hostname":"` + owner + `","addresses":["192.0.2.1"]`

		plan, _ := w.plan(spec + `}`)
		if len(plan.Faults) != 1 || plan.Faults[0].Fault.Kind != fault.Conflict ||
			!strings.Contains(plan.Faults[0].Fault.Found, "192.0.2.9") || !strings.Contains(plan.Faults[0].Fault.Found, "192.0.2.1") {
			t.Errorf("(%s) plan: got %v, want a conflict showing both values", name, plan.Faults)
		}
		o := w.objects[engine.ObjectID{Component: "domain", Object: "record"}]
		_, err := w.backend.Ensure(t.Context(), backend.Want{Target: w.target(o), Fields: o.Fields})
		if !fault.Is(err, fault.Conflict) || !strings.Contains(err.Error(), "192.0.2.9") || !strings.Contains(err.Error(), "192.0.2.1") {
			t.Errorf("(%s) ensure: got %v, want a conflict showing both values", name, err)
		}
		w.holds(owner+" A 60 "+strings.Join(values, " "), owner+` TXT 60 "keep me"`)

		w.mustApply(spec + `,"adopt":"overwrite"}`)
		w.holds(owner+" A 300 192.0.2.1", owner+` TXT 60 "keep me"`)
		w.destroy()
		w.holds(owner + ` TXT 60 "keep me"`)
		w.edit(owner, "TXT", 0, nil)
	}
}

func TestC13_AnotherInstallationsRecordIsNamedAndLeftAlone(t *testing.T) {
	ours, theirs := newWorld(t, "c13.example"), newWorld(t, "c13.example")
	theirs.subject.Installation = "jtest"
	spec := `{"hostname":"acme.c13.example","target":"edge.example.net"}`
	theirs.mustApply(spec)
	o := theirs.objects[engine.ObjectID{Component: "domain", Object: "record"}]
	_, ensure := ours.backend.Ensure(t.Context(), backend.Want{Target: ours.target(o), Fields: o.Fields})
	_, remove := ours.backend.Remove(t.Context(), backend.Removal{Target: ours.target(o), TakeUnmarked: true})
	for verb, err := range map[string]error{"ensure": ensure, "remove": remove} {
		if !fault.Is(err, fault.Conflict) || !strings.Contains(err.Error(), "tenant northstar of installation jtest") {
			t.Errorf("%s: got %v, want a conflict naming the owner", verb, err)
		}
	}
	theirs.settled(spec)
}

func TestARecordChangedBetweenPlanAndAdoptionIsNotOverwritten(t *testing.T) {
	w := newWorld(t, "race.example")
	w.edit("acme.race.example.", "A", 300, []string{"192.0.2.1"})
	desired, _ := w.compile(`{"hostname":"acme.race.example","addresses":["192.0.2.1"]}`)
	o := desired.Objects[0]
	_, seen := w.see(o)
	w.edit("acme.race.example.", "A", 300, []string{"192.0.2.66"})
	_, err := w.backend.Ensure(t.Context(), backend.Want{Target: w.target(o), Fields: o.Fields, Observed: &seen})
	if !fault.Is(err, fault.Retryable) || fault.From(err).Code != "domain.changed_meanwhile" {
		t.Errorf("got %v, want a Retryable fault: the next pass plans anew", err)
	}
	w.holds("acme.race.example. A 300 192.0.2.66")
}

func TestALostRaceForOneNameIsAConflictForTheLoser(t *testing.T) {
	w := newWorld(t, "race2.example")
	w.backend = openTest(t, map[string]string{"url": w.server.URL, "api_key": w.server.APIKey}, &intruder{strike: func() {
		w.edit("acme.race2.example.", "CNAME", 300, []string{"theirs.example.net."}, "tenant:jtest/other/test")
	}})
	_, err := w.apply(`{"hostname":"acme.race2.example","target":"edge.example.net"}`)
	if !fault.Is(err, fault.Conflict) || !strings.Contains(err.Error(), "tenant other of installation jtest") {
		t.Errorf("got %v, want a conflict naming the winner", err)
	}
}

func TestARemovalTakesAnUnmarkedRecordOnlyWhenTold(t *testing.T) {
	w := newWorld(t, "unmarked.example")
	spec := `{"hostname":"acme.unmarked.example","addresses":["192.0.2.1"]}`
	plan := w.mustApply(spec)
	w.edit("acme.unmarked.example.", "A", 300, []string{"192.0.2.1"}, "cleaned up")
	target := w.target(plan.Actions[0].Object)
	if _, err := w.backend.Remove(t.Context(), backend.Removal{Target: target}); !fault.Is(err, fault.Conflict) {
		t.Errorf("without permission: got %v, want a Conflict fault", err)
	}
	receipt, err := w.backend.Remove(t.Context(), backend.Removal{Target: target, TakeUnmarked: true})
	if err != nil || receipt.Outcome != "deleted" {
		t.Errorf("with permission: got %+v, %v", receipt, err)
	}
	if proof := receipt.Details[target.ExternalID]; !strings.Contains(proof, "192.0.2.1") || !strings.Contains(proof, "serial 2") {
		t.Errorf("the receipt's proof is %q", proof)
	}
	w.holds()
}
