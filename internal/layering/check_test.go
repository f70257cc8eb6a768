package layering_test

import (
	"strings"
	"testing"

	"github.com/tenantplane/terraform-provider-tenant/internal/layering"
)

// own is the import path of a folder below internal/.
func own(folder string) string { return layering.Module + "/internal/" + folder }

func TestALegalTreeHasNoViolations(t *testing.T) {
	legal := []layering.Package{
		{Path: layering.Module, Imports: []string{"context", own("provider"), "github.com/hashicorp/terraform-plugin-framework/providerserver"}},
		{Path: own("engine"), Imports: []string{"slices", own("tenant"), own("fault")}},
		{Path: own("component/domain"), Imports: []string{own("engine"), "net/netip", "golang.org/x/net/idna"}},
		{Path: own("component/domain/domaintf"), Imports: []string{own("component/domain"), own("surface"), "github.com/hashicorp/terraform-plugin-framework/types"}},
		{Path: own("backend/powerdns"), Imports: []string{own("backend/transport"), own("component/domain"), "net/http"}},
		{Path: own("backend/middleware/budget"), Imports: []string{own("backend"), own("pace")}},
		{Path: own("sandbox/stripe"), Imports: []string{own("sandbox/state"), "net/http"}},
		{Path: own("executor"), Imports: []string{own("ledger"), own("backend"), "golang.org/x/sync/errgroup"}},
	}
	if found := layering.Design().Violations(legal); len(found) > 0 {
		t.Errorf("a legal tree was refused:\n%s", strings.Join(found, "\n"))
	}
}

func TestAForbiddenImportIsFound(t *testing.T) {
	cases := map[string]struct{ folder, imported string }{
		"the engine does I/O":                         {"engine", "os"},
		"the engine takes a context":                  {"engine", "context"},
		"the engine knows a backend":                  {"engine", own("backend")},
		"the tenant knows the engine":                 {"tenant", own("engine")},
		"a component knows another one":               {"component/domain", own("component/billing")},
		"a component knows its backend":               {"component/domain", own("backend/powerdns")},
		"a component speaks HTTP":                     {"component/domain", "net/http"},
		"a component knows Terraform":                 {"component/domain", "github.com/hashicorp/terraform-plugin-framework/types"},
		"attributes know another component":           {"component/domain/domaintf", own("component/billing")},
		"a backend knows the ledger":                  {"backend/powerdns", own("ledger")},
		"a backend knows another backend":             {"backend/powerdns", own("backend/keycloak")},
		"a backend takes another's client":            {"backend/powerdns", "github.com/minio/minio-go/v7"},
		"the executor knows a driver":                 {"executor", own("ledger/sqlite")},
		"the executor knows a vendor":                 {"executor", own("backend/stripe")},
		"the executor knows Terraform":                {"executor", "github.com/hashicorp/terraform-plugin-log/tflog"},
		"the provider starts test servers":            {"provider", own("acctest")},
		"the sandbox reuses what it has to prove":     {"sandbox/stripe", own("backend/stripe")},
		"a module whose name only begins like a good": {"executor", "golang.org/x/syncing"},
	}
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			found := layering.Design().Violations([]layering.Package{{Path: own(c.folder), Imports: []string{"fmt", c.imported}}})
			if len(found) != 1 || !strings.Contains(found[0], c.folder+" must not import "+c.imported) {
				t.Errorf("want one violation by %s of %s, found %q", c.folder, c.imported, found)
			}
		})
	}
}

func TestAPackageWithoutARowIsFound(t *testing.T) {
	for _, folder := range []string{"novelty", "ledger/mysql", "component/domain/extra", "backend/s3/inner"} {
		found := layering.Design().Violations([]layering.Package{{Path: own(folder)}})
		if len(found) != 1 || !strings.Contains(found[0], folder+": no row") {
			t.Errorf("%s has no row; found %q", folder, found)
		}
	}
}

func TestAVagueNameIsFoundEvenWhereARowWouldTakeIt(t *testing.T) {
	for _, folder := range []string{"backend/util", "component/common", "sandbox/stripe/helpers"} {
		found := layering.Design().Violations([]layering.Package{{Path: own(folder)}})
		if len(found) != 1 || !strings.Contains(found[0], "says nothing") {
			t.Errorf("%s is a vague name; found %q", folder, found)
		}
	}
}
