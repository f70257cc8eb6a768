package provider

import (
	"strings"
	"testing"

	"github.com/tenantplane/terraform-provider-tenant/internal/tenant"
)

func TestOneAddressMayDoWhatTerraformLetsItDo(t *testing.T) {
	for name, roles := range map[string][]role{
		"a new tenant":                      {creating},
		"a tenant that stays":               {keeping, keeping},
		"a replacement":                     {keeping, replacing, creating},
		"a replacement after no refresh":    {replacing, creating},
		"a tenant that goes":                {keeping, destroying},
		"a deposed object beside a new one": {keeping, destroying, keeping},
	} {
		a := newAddresses()
		for i, r := range roles {
			if !a.plan("acme", r) {
				t.Errorf("%s: call %d was refused", name, i)
			}
		}
	}
}

func TestASecondAddressIsRefusedInEveryOrder(t *testing.T) {
	for name, roles := range map[string][]role{
		"two new ones":                    {creating, creating},
		"a new one beside one that stays": {keeping, creating},
		"the same, planned first":         {creating, keeping},
		"a rename":                        {destroying, creating},
		"the same, planned first too":     {creating, destroying},
	} {
		a := newAddresses()
		alone := true
		for _, r := range roles {
			alone = a.plan("acme", r) && alone
		}
		if alone {
			t.Errorf("%s: accepted", name)
		}
		if !a.plan("other", creating) {
			t.Errorf("%s: another tenant was refused as well", name)
		}
	}
}

func TestAnExternalNameBelongsToTheFirstTenantThatWantsIt(t *testing.T) {
	a := newAddresses()
	for _, c := range []struct {
		component, name string
		id, want        string
	}{
		{"domain", "www.example.com.", "acme", "acme"},
		{"domain", "www.example.com.", "acme", "acme"},
		{"domain", "www.example.com.", "other", "acme"},
		{"storage", "www.example.com.", "other", "other"},
	} {
		if got := a.name(c.component, c.name, tenant.ID(c.id)); got != tenant.ID(c.want) {
			t.Errorf("%s %s for %s belongs to %s, want %s", c.component, c.name, c.id, got, c.want)
		}
	}
}

func TestAClaimSurvivesPrivateStateWhateverTheWorkspaceIsCalled(t *testing.T) {
	for _, workspace := range []string{"prod", `C:\work\"quoted"`, "ünïcode", "with#hash", ""} {
		s := &Session{Workspace: workspaceName(workspace)}
		claim := s.newClaim()
		if got := decodeClaim(encodeClaim(claim)); got != claim {
			t.Errorf("workspace %q: claim %q came back as %q", workspace, claim, got)
		}
		if got := workspaceOf(claim); got != s.Workspace {
			t.Errorf("workspace %q: claim names %q", s.Workspace, got)
		}
		if s.newClaim() == claim {
			t.Errorf("workspace %q: two creates drew one claim", workspace)
		}
	}
	if got := decodeClaim(nil); got != "" {
		t.Errorf("no private state gave claim %q", got)
	}
}

// Every run of HCP Terraform has a directory of its own; its workspace stays.
func TestAWorkspaceIsCalledWhatTheUserSaysOrWhatStays(t *testing.T) {
	t.Setenv("TF_WORKSPACE", "blue")
	if got := workspaceName(""); !strings.HasSuffix(got, "(workspace blue)") {
		t.Errorf("without a word it is %q", got)
	}
	t.Setenv(hcpWorkspace, "acme/prod")
	if got := workspaceName(""); got != "acme/prod" {
		t.Errorf("in HCP Terraform it is %q", got)
	}
	if got := workspaceName("mine"); got != "mine" {
		t.Errorf("the user's word became %q", got)
	}
}
