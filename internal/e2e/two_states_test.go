package e2e_test

import (
	"fmt"
	"os/exec"
	"regexp"
	"strings"
	"testing"
)

// pair is two work folders, each with a state of its own, that declare one
// tenant over one ledger and one world.
type pair struct {
	*world
	installation string
	a, b         workdir
}

func newPair(t *testing.T, name string) *pair {
	t.Helper()
	p := &pair{world: newWorld(t, name), installation: strings.ReplaceAll(name, "-", "")}
	p.a = newWorkdir(t, "")
	p.b = newWorkdir(t, "")
	p.declare(t, "acme")
	return p
}

// declare has both folders declare a tenant.
func (p *pair) declare(t *testing.T, id string) {
	t.Helper()
	config := strings.Replace(p.config(p.installation, p.dns.URL), `tenant_id    = "acme"`, fmt.Sprintf("tenant_id    = %q", id), 1)
	shared := fmt.Sprintf("provider \"tenant\" {\n  ledger = { path = %q }", p.a.path("tenant-ledger.db"))
	config = strings.Replace(config, `provider "tenant" {`, shared, 1)
	p.a.configure(t, config)
	p.b.configure(t, config)
}

// TestC60_TwoStatesThatApplyAtOnceHaveOneWinner lets two terraform processes
// begin at the same moment, with plans that both found the id free in every
// other round.
func TestC60_TwoStatesThatApplyAtOnceHaveOneWinner(t *testing.T) {
	t.Parallel()
	p := newPair(t, "twostates")
	p.watch(t)
	for round := range 4 {
		id := fmt.Sprintf("tenant%d", round)
		p.declare(t, id)
		args := []string{"apply", "-auto-approve"}
		if round%2 == 0 {
			p.a.run(t, "plan.log", 0, "plan", "-out", "saved.plan")
			p.b.run(t, "plan.log", 0, "plan", "-out", "saved.plan")
			args = append(args, "saved.plan")
		}
		winner, loser, said := p.race(t, args...)
		wantWords(t, said, "Tenant belongs to another state", id, "owned by "+winner.folder, "Use another id", "import it here")
		p.want(t, "after the race of "+id, nil)
		if n := loser.wantUntainted(t); n != 0 {
			t.Errorf("the loser's state holds %d resources", n)
		}
		winner.run(t, "idle.log", 0, "plan", "-detailed-exitcode")
		loser.run(t, "nothing.log", 0, "destroy", "-auto-approve", "-refresh=false")
		p.want(t, "after the loser's destroy", nil)
		winner.run(t, "destroy.log", 0, "destroy", "-auto-approve")
		p.want(t, "after the winner's destroy", noneLeft)
	}
}

// noneLeft are the exceptions of a world that a tenant has left.
var noneLeft = map[string]int{"organization": 0, "customer": 0, "subscription": 0, "schema": 0, "bucket": 0, "rrset": 0}

// race runs the same command in both folders at once and wants one to win.
func (p *pair) race(t *testing.T, args ...string) (winner, loser workdir, said string) {
	t.Helper()
	first, firstSaid := p.a.command(t, "race.log", args...)
	second, secondSaid := p.b.command(t, "race.log", args...)
	for _, cmd := range []*exec.Cmd{first, second} {
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
	}
	firstErr, secondErr := first.Wait(), second.Wait()
	if (firstErr == nil) == (secondErr == nil) {
		t.Fatalf("want one winner: %v and %v\n%s\n%s", firstErr, secondErr, firstSaid, secondSaid)
	}
	if firstErr == nil {
		return p.a, p.b, secondSaid.String()
	}
	return p.b, p.a, firstSaid.String()
}

func TestC60_ASecondStateNeitherTakesNorDestroysTheTenantOfTheFirst(t *testing.T) {
	t.Parallel()
	p := newPair(t, "secondstate")
	p.watch(t)
	p.b.run(t, "early.log", 0, "plan", "-out", "early.plan")
	p.a.run(t, "apply.log", 0, "apply", "-auto-approve")
	owner := "owned by " + p.a.folder
	wantWords(t, p.b.run(t, "plan.log", 1, "plan"), "Tenant belongs to another state", owner)
	wantWords(t, p.b.run(t, "late.log", 1, "apply", "early.plan"), "Tenant belongs to another state", owner, "import it here")
	p.b.run(t, "empty.log", 0, "destroy", "-auto-approve", "-refresh=false")
	p.want(t, "after the second state's tries", nil)
	for name, state := range map[string]string{"copied": p.a.state(t), "made by hand": byHand(p.a.state(t))} {
		p.b.push(t, state)
		for _, refresh := range []string{"-refresh=true", "-refresh=false"} {
			said := p.b.run(t, "destroy.log", 1, "destroy", "-auto-approve", refresh)
			wantWords(t, said, "Tenant belongs to another state", owner, "terraform state rm", "terraform import")
			p.want(t, "after the destroy of a state "+name, nil)
		}
	}
	p.a.run(t, "idle.log", 0, "plan", "-detailed-exitcode")
	p.a.run(t, "destroy.log", 0, "destroy", "-auto-approve")
	p.want(t, "after the owner's destroy", noneLeft)
}

// byHand is a state that names the tenant and nothing of what the provider
// keeps for itself, as people write when they rebuild one.
func byHand(state string) string {
	return regexp.MustCompile(`,\s*"private": "[^"]*"`).ReplaceAllString(state, "")
}

func TestC60_ATakeOverIsExplicitAndVoidsTheOldState(t *testing.T) {
	t.Parallel()
	p := newPair(t, "takeover")
	p.watch(t)
	p.a.run(t, "apply.log", 0, "apply", "-auto-approve")
	p.b.run(t, "import.log", 0, "import", "tenant.acme", "acme")
	p.a.run(t, "idle.log", 0, "plan", "-detailed-exitcode") // an import alone takes nothing
	p.b.run(t, "apply.log", 0, "apply", "-auto-approve")
	p.b.run(t, "idle.log", 0, "plan", "-detailed-exitcode")
	for _, refresh := range []string{"-refresh=true", "-refresh=false"} {
		wantWords(t, p.a.run(t, "stale.log", 1, "destroy", "-auto-approve", refresh), "Tenant belongs to another state", "owned by "+p.b.folder)
		p.want(t, "after the old state's destroy", nil)
	}
	p.b.run(t, "destroy.log", 0, "destroy", "-auto-approve")
	p.want(t, "after the new owner's destroy", noneLeft)
	wantWords(t, p.a.run(t, "gone.log", 2, "plan", "-detailed-exitcode"), "2 to add") // the tombstone is all that is left
	p.a.run(t, "gone.log", 0, "destroy", "-auto-approve")
}

// TestC60_AStateThatMovedSaysSo shows the way out that the refusal names.
func TestC60_AStateThatMovedSaysSoAndMayDestroy(t *testing.T) {
	t.Parallel()
	p := newPair(t, "moved")
	p.a.run(t, "apply.log", 0, "apply", "-auto-approve")
	p.b.push(t, p.a.state(t))
	said := flat(p.b.run(t, "refused.log", 1, "destroy", "-auto-approve"))
	advice := regexp.MustCompile(`set (workspace = "[^"]*") in the provider block`).FindStringSubmatch(said)
	if advice == nil {
		t.Fatalf("no advice in %s", said)
	}
	config := strings.Replace(p.config(p.installation, p.dns.URL), `provider "tenant" {`,
		fmt.Sprintf("provider \"tenant\" {\n  %s\n  ledger = { path = %q }", advice[1], p.a.path("tenant-ledger.db")), 1)
	p.b.configure(t, config)
	p.b.run(t, "destroy.log", 0, "destroy", "-auto-approve")
	p.want(t, "after the destroy", noneLeft)
}
