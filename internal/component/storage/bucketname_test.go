package storage

import (
	"encoding/json"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/tenantplane/terraform-provider-tenant/internal/tenant"
)

func TestC50_BucketNamesAreHeldToTheStrictestRules(t *testing.T) {
	for name, problem := range map[string]string{
		"Tenant_1":              "has 'T' at byte 0",
		"ab":                    "2 bytes long",
		"192.168.0.1":           "has '.' at byte 3",
		"a..b":                  "has '.' at byte 1",
		"xn--x":                 `begins with "xn--"`,
		"sthree-x":              `begins with "sthree-"`,
		"amzn-s3-demo-x":        `begins with "amzn-s3-demo-"`,
		strings.Repeat("a", 64): "64 bytes long",
		"-abc":                  "begins or ends with a hyphen",
		"abc-":                  "begins or ends with a hyphen",
		"abc-s3alias":           `ends with "-s3alias"`,
		"abc--ol-s3":            `ends with "--ol-s3"`,
		"abc--x-s3":             `ends with "--x-s3"`,
		"abc--table-s3":         `ends with "--table-s3"`,
		"abc.mrap":              "has '.' at byte 3",
		"abc-an":                `ends with "-an"`,
	} {
		if err := CheckBucketName(name); err == nil || !strings.Contains(err.Error(), problem) {
			t.Errorf("CheckBucketName(%q) = %v, want an error that says %q", name, err, problem)
		}
	}
	for _, name := range []string{"abc", "a1-b2", "a--b", strings.Repeat("a", 63)} {
		if err := CheckBucketName(name); err != nil {
			t.Errorf("CheckBucketName(%q) = %v, want nil", name, err)
		}
	}
}

func TestC50_AnIllegalDerivedNameIsRefusedAtPlan(t *testing.T) {
	subject := tenant.Subject{Installation: "s3alias", ID: "northstar"} // ParseInstallation refuses this one
	_, faults := Component{}.Compile(subject, tenant.Deletion{}, json.RawMessage(`{}`))
	if len(faults) != 1 || faults[0].Code != "storage.name_invalid" || faults[0].Path != "storage" {
		t.Fatalf("got %v, want one storage.name_invalid at storage", faults)
	}
}

// owner is a valid tenant id within a valid installation.
type owner struct {
	installation tenant.Installation
	id           tenant.ID
}

func owners() *rapid.Generator[owner] {
	return rapid.Custom(func(t *rapid.T) owner {
		installation, err := tenant.ParseInstallation(rapid.StringMatching(`[a-z][a-z0-9]{2,15}`).
			Filter(func(s string) bool { _, err := tenant.ParseInstallation(s); return err == nil }).Draw(t, "installation"))
		if err != nil {
			t.Fatal(err)
		}
		id, err := tenant.ParseID(rapid.StringMatching(`[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?`).Draw(t, "id"))
		if err != nil {
			t.Fatal(err)
		}
		return owner{installation, id}
	})
}

func TestC50_EveryTenantDerivesALegalBucketName(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		o := owners().Draw(t, "owner")
		if err := CheckBucketName(tenant.BucketName.Name(o.installation, o.id)); err != nil {
			t.Fatal(err)
		}
	})
}

func TestC50_NoTwoTenantsShareABucketName(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		a := owners().Draw(t, "a")
		b := owners().Draw(t, "b")
		if rapid.Bool().Draw(t, "neighbours") { // long ids that differ at the end only
			b = owner{a.installation, a.id[:len(a.id)-1] + "x"}
		}
		if a == b {
			return
		}
		if name := tenant.BucketName.Name(a.installation, a.id); name == tenant.BucketName.Name(b.installation, b.id) {
			t.Fatalf("%v and %v share %s", a, b, name)
		}
	})
}
