package keycloak

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/tenantplane/terraform-provider-tenant/internal/backend"
	"github.com/tenantplane/terraform-provider-tenant/internal/fault"
	"github.com/tenantplane/terraform-provider-tenant/internal/tenant"
)

// The bodies are those of Keycloak 26.5.6.
func TestWhatAnAnswerMeans(t *testing.T) {
	for _, c := range []struct {
		name   string
		answer reply
		kind   fault.Kind
		wide   bool
		says   string
	}{
		{"no such organization", reply{status: 404, body: `{"errorMessage":"Organization not found."}`}, fault.NotFound, false, "no such organization"},
		{"no such realm", reply{status: 404, body: `{"error":"Realm not found."}`}, fault.Terminal, true, `no realm "tenants"`},
		{"organizations off", reply{status: 404, body: `{"errorMessage":"Organizations not enabled for this realm."}`}, fault.Terminal, true, "switched off"},
		{"old or moved server", reply{status: 404, body: `{"error":"Unable to find matching target resource method"}`}, fault.Terminal, true, "no organizations API"},
		{"unknown 404", reply{status: 404, body: `{"error":"?"}`}, fault.Retryable, false, "404"},
		{"a proxy's 404", reply{status: 404, body: `<html>Organization not found.</html>`}, fault.Retryable, true, "404"},
		{"no role", reply{status: 403, body: `{"error":"HTTP 403 Forbidden"}`}, fault.Terminal, true, "provisioner"},
		{"gone", reply{status: 410, body: ``}, fault.Retryable, true, "410"},
		{"echoing error", reply{status: 400, body: `{"errorMessage":"bad header Bearer token-1\n` + strings.Repeat("x", 500) + `"}`}, fault.Terminal, false, "[token]"},
		{"another organization", reply{status: 200, body: stored("o2", "x", "X", tenant.Marker{})}, fault.Retryable, false, "not one of Keycloak's"},
		{"a list", reply{status: 200, body: `[]`}, fault.Retryable, false, "shape"},
		{"null", reply{status: 200, body: `null`}, fault.Retryable, false, "not JSON"},
		{"cut off", reply{status: 200, body: `{"id":"o1"`}, fault.Retryable, false, "cut off"},
		{"redirect", reply{status: 302}, fault.Terminal, true, "302"},
	} {
		s := play(t, map[string][]reply{"GET " + onePath: {c.answer}})
		target := want(nil).Target
		target.ExternalID = "o1"
		_, err := s.backend(t, time.Now).Observe(t.Context(), target)
		f := fault.From(err)
		if err == nil || f.Kind != c.kind || f.BackendWide != c.wide || !strings.Contains(f.Found, c.says) {
			t.Errorf("%s: %+v, want %s (backend-wide %v) saying %q", c.name, f, c.kind, c.wide, c.says)
			continue
		}
		if strings.Contains(err.Error(), "token-1") || len(err.Error()) > 600 {
			t.Errorf("%s: %q", c.name, err)
		}
		if c.kind == fault.Terminal && (f.Action == "" && c.answer.status != 400 || f.Path == "") {
			t.Errorf("%s: no path or no action: %+v", c.name, f)
		}
	}
}

// A filter the server drops, as Keycloak does with a q it cannot read, must
// neither find a stranger nor hide ours behind the first page.
func TestAListIsReadToItsEndAndFilteredHere(t *testing.T) {
	var page []string
	for i := range pageSize {
		page = append(page, stored(fmt.Sprintf("c%d", i), fmt.Sprintf("c%d", i), "C", stranger))
	}
	ours := stored("o1", "northstar", "Northstar", northstar.Marker())
	s := play(t, map[string][]reply{listPath: {{status: 200, body: "[" + strings.Join(page, ",") + "]"}, {status: 200, body: "[" + ours + "]"}}})
	got, err := s.backend(t, time.Now).Observe(t.Context(), want(nil).Target)
	if err != nil || got.ExternalID != "o1" {
		t.Errorf("got %+v, %v", got, err)
	}
	endless := play(t, map[string][]reply{listPath: {{status: 200, body: "[" + strings.Join(page, ",") + "]"}}})
	if _, err := endless.backend(t, time.Now).Observe(t.Context(), want(nil).Target); !fault.Is(err, fault.Retryable) {
		t.Errorf("an endless list: %v, want Retryable", err)
	}
}

func TestTwoOrganizationsWithOurMarkerNeedAHuman(t *testing.T) {
	s := play(t, map[string][]reply{listPath: {{status: 200, body: "[" + stored("o1", "a", "A", northstar.Marker()) + "," + stored("o2", "b", "B", northstar.Marker()) + "]"}}})
	b := s.backend(t, time.Now)
	_, observed := b.Observe(t.Context(), want(nil).Target)
	_, ensured := b.Ensure(t.Context(), want(nil))
	for _, err := range []error{observed, ensured} {
		if f := fault.From(err); f.Kind != fault.Terminal || !strings.Contains(f.Found, "o1 and o2") {
			t.Errorf("got %+v", f)
		}
	}
	if s.count(createPath) != 0 {
		t.Error("a third one was made")
	}
}

func TestADeleteWhoseAnswerWasLostIsNotMistakenForAStrangersWork(t *testing.T) {
	s := play(t, map[string][]reply{
		"GET " + onePath:    {{status: 200, body: stored("o1", "northstar", "Northstar", northstar.Marker(), "northstar.example")}},
		"DELETE " + onePath: {{status: 502}, {status: 404, body: `{"errorMessage":"Organization not found."}`}},
	})
	target := want(nil).Target
	target.ExternalID = "o1"
	receipt, err := s.backend(t, time.Now).Remove(t.Context(), backend.Removal{Target: target})
	if err != nil || receipt.Outcome != "deleted" || receipt.Details["organization_id"] != "o1" || receipt.Details["domains"] != "northstar.example" {
		t.Errorf("got %+v, %v", receipt, err)
	}
}

func TestAStrangersOrganizationIsNeitherRemovedNorDisabled(t *testing.T) {
	s := play(t, map[string][]reply{"GET " + onePath: {{status: 200, body: stored("o1", "northstar", "Northstar", stranger)}}})
	target := want(nil).Target
	target.ExternalID = "o1"
	_, removed := s.backend(t, time.Now).Remove(t.Context(), backend.Removal{Target: target, TakeUnmarked: true})
	_, disabled := s.backend(t, time.Now).Disable(t.Context(), target, "")
	if !fault.Is(removed, fault.Conflict) || !fault.Is(disabled, fault.Conflict) || s.count("DELETE "+onePath)+s.count("PUT "+onePath) != 0 {
		t.Errorf("%v, %v after %v", removed, disabled, s.calls)
	}
}

func TestAnUnmarkedOrganizationIsRemovedOnlyOnTheLedgersWord(t *testing.T) {
	s := play(t, map[string][]reply{"GET " + onePath: {{status: 200, body: stored("o1", "northstar", "Northstar", tenant.Marker{})}}})
	target := want(nil).Target
	target.ExternalID = "o1"
	if _, err := s.backend(t, time.Now).Remove(t.Context(), backend.Removal{Target: target}); !fault.Is(err, fault.Conflict) || s.count("DELETE "+onePath) != 0 {
		t.Errorf("%v after %v", err, s.calls)
	}
}

func TestALoginPageIsNoProofOfDeletion(t *testing.T) {
	s := play(t, map[string][]reply{
		"GET " + onePath:    {{status: 200, body: stored("o1", "northstar", "Northstar", northstar.Marker())}},
		"DELETE " + onePath: {{status: 200, body: "<html>please log in</html>"}},
	})
	target := want(nil).Target
	target.ExternalID = "o1"
	if _, err := s.backend(t, time.Now).Remove(t.Context(), backend.Removal{Target: target}); !fault.Is(err, fault.Ambiguous) {
		t.Errorf("got %v, want Ambiguous", err)
	}
}

func TestDisablingSignsEveryMemberOut(t *testing.T) {
	const users = "/admin/realms/tenants/users/"
	ours := reply{status: 200, body: stored("o1", "northstar", "Northstar", northstar.Marker(), "northstar.example")}
	replies := map[string][]reply{
		"GET " + onePath: {ours}, "PUT " + onePath: {{status: 204}},
		"GET " + onePath + "/members": {{status: 200, body: `[{"id":"u1"},{"id":"u2"}]`}},
		"POST " + users + "u1/logout": {{status: 204}}, "POST " + users + "u2/logout": {{status: 404, body: `{"error":"User not found"}`}},
	}
	s := play(t, replies)
	target := want(nil).Target
	target.ExternalID = "o1"
	receipt, err := s.backend(t, time.Now).Disable(t.Context(), target, "")
	if err != nil || receipt.Outcome != "disabled" || receipt.Details["members_signed_out"] != "2" {
		t.Errorf("got %+v, %v", receipt, err)
	}
	sent := s.sent(t, "PUT "+onePath)
	if sent["enabled"] != false || sent["name"] != "Northstar" || len(sent["attributes"].(map[string]any)) != 4 || s.count("POST "+users+"u1/logout") != 1 {
		t.Errorf("sent %v, calls %v", sent, s.calls)
	}
	replies["POST "+users+"u1/logout"] = []reply{{status: 403, body: `{"error":"HTTP 403 Forbidden"}`}}
	if _, err = play(t, replies).backend(t, time.Now).Disable(t.Context(), target, ""); !strings.Contains(fmt.Sprint(err), "manage-users") {
		t.Errorf("without the role: %v", err)
	}
}

func TestCheckForetellsWhatApplyWouldSay(t *testing.T) {
	off := reply{status: 404, body: `{"errorMessage":"Organizations not enabled for this realm."}`}
	none := reply{status: 200, body: `[]`}
	taken := reply{status: 200, body: "[" + stored("o9", "tnt-b", "B", stranger, "northstar.example") + "]"}
	for _, c := range []struct {
		name  string
		lists []reply
		code  string
	}{
		{"all free", []reply{none}, ""},
		{"organizations off", []reply{off}, "keycloak.organizations_off"},
		{"domain taken", []reply{none, none, none, none, taken}, "identity.domain_taken"},
		{"alias fixed", []reply{none, {status: 200, body: "[" + stored("o1", "acme", "Northstar", northstar.Marker()) + "]"}}, "identity.alias_immutable"},
	} {
		s := play(t, map[string][]reply{listPath: c.lists})
		faults := s.backend(t, time.Now).Check(t.Context(), []backend.Want{want(nil)})
		if c.code == "" && len(faults) > 0 || c.code != "" && (len(faults) != 1 || faults[0].Code != c.code) {
			t.Errorf("%s: %v, want %q", c.name, faults, c.code)
		}
	}
}
