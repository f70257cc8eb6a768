package tenant_test

import (
	"flag"
	"fmt"
	"os"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/tenantplane/terraform-provider-tenant/internal/tenant"
)

var update = flag.Bool("update", false, "rewrite the golden files")

var kinds = map[string]tenant.Kind{
	"database": tenant.DatabaseName, "bucket": tenant.BucketName, "organization": tenant.OrganizationName,
}

// limits are the strictest known limits of each kind, stated apart from the code.
var limits = map[string]int{"database": 56, "bucket": 63, "organization": 50}

func drawID(t *rapid.T, label string) tenant.ID {
	return tenant.ID(rapid.StringMatching(`[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?`).Draw(t, label))
}

func drawInstallation(t *rapid.T) tenant.Installation {
	drawn := rapid.StringMatching(`[a-z][a-z0-9]{2,15}`).Draw(t, "installation")
	if drawn == "s3alias" || drawn == "mrap" {
		return "other"
	}
	return tenant.Installation(drawn)
}

func TestADerivedNameIsLegalForEveryIDAndInstallation(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		id, installation := drawID(t, "id"), drawInstallation(t)
		for label, kind := range kinds {
			name := kind.Name(installation, id)
			if len(name) < 3 || len(name) > limits[label] {
				t.Fatalf("%s name %q has %d bytes", label, name, len(name))
			}
			if strings.Trim(name, "abcdefghijklmnopqrstuvwxyz0123456789-_") != "" || strings.HasPrefix(name, "pg_") || strings.HasPrefix(name, "xn--") {
				t.Fatalf("%s name %q is illegal", label, name)
			}
			if !strings.HasSuffix(name, string(installation)) {
				t.Fatalf("%s name %q does not end in installation %q", label, name, installation)
			}
		}
	})
}

func TestTwoTenantIDsNeverShareADerivedName(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		installation := drawInstallation(t)
		a, b := drawID(t, "a"), drawID(t, "b")
		if rapid.Bool().Draw(t, "long and alike") {
			stem := strings.Repeat("a", 61)
			a, b = tenant.ID(stem+"b"), tenant.ID(stem+rapid.StringMatching(`[a-z0-9]{1,2}`).Draw(t, "tail"))
		}
		if a == b {
			return
		}
		for label, kind := range kinds {
			if kind.Name(installation, a) == kind.Name(installation, b) {
				t.Fatalf("%q and %q share the %s name %q", a, b, label, kind.Name(installation, a))
			}
		}
	})
}

// A hashed name must not be reachable by spelling: a tenant whose id spells
// out what another's hash looks like gets another name.
func TestAnIDThatSpellsOutAnothersHashGetsAnotherName(t *testing.T) {
	long := tenant.ID(strings.Repeat("a", 63))
	for label, kind := range kinds {
		hashed := kind.Name("prod", long)
		sep := string(hashed[3])
		spelled := strings.TrimSuffix(strings.TrimPrefix(hashed, "tnt"+sep), sep+"prod")
		id, err := tenant.ParseID(strings.ReplaceAll(spelled, "_", "-"))
		if err != nil {
			t.Fatal(err)
		}
		if kind.Name("prod", id) == hashed {
			t.Errorf("%s: %q and %q share %q", label, long, id, hashed)
		}
	}
}

// Names are for ever: the golden file may grow, its lines may not change.
func TestDerivedNamesStayAsTheyWere(t *testing.T) {
	var b strings.Builder
	for _, id := range []tenant.ID{
		"a", "ab", "user", "northstar-us", "tenant-314", "xn--x", "a--b", tenant.ID(strings.Repeat("x", 51)), tenant.ID(strings.Repeat("long-", 12) + "id"),
	} {
		for _, label := range []string{"bucket", "database", "organization"} {
			fmt.Fprintf(&b, "%s %s %s\n", label, id, kinds[label].Name("prod", id))
		}
	}
	const golden = "testdata/names.golden"
	if *update {
		if err := os.WriteFile(golden, []byte(b.String()), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(golden)
	if err != nil {
		t.Fatal(err)
	}
	if b.String() != string(want) {
		t.Errorf("derived names changed; existing installations would lose their objects\n got:\n%s\nwant:\n%s", b.String(), want)
	}
}
