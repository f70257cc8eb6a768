package e2e_test

import (
	"fmt"
	"regexp"
	"strings"
	"testing"

	"github.com/tenantplane/terraform-provider-tenant/internal/ledger"
)

// onlyDomain is a configuration without the components that make no names of
// the user's choosing.
func onlyDomain(config string) string {
	return regexp.MustCompile(`(?m)^  (identity|billing|database|storage) += .*\n`).ReplaceAllString(config, "")
}

// adopting sets adopt in the domain block.
func adopting(config, word string) string {
	return strings.Replace(config, `target = "edge.example.net"`, fmt.Sprintf("target = %q, adopt = %q", "edge.example.net", word), 1)
}

// TestAConflictNamesTheOwnerAndWhatToSet lets two installations want one host
// name with different targets.
func TestAConflictNamesTheOwnerAndWhatToSet(t *testing.T) {
	t.Parallel()
	w := newWorld(t, "conflict")
	provider := regexp.MustCompile(`(?s)^.*?\n}\n\nresource`).FindString(w.config("ours", w.dns.URL))
	mine := provider + onlyDomain(strings.TrimPrefix(w.config("ours", w.dns.URL), provider))
	theirs := strings.Replace(strings.Replace(mine, `installation = "ours"`, `installation = "theirs"`, 1), "edge.example.net", "elsewhere.example.net", 1)
	first, second := newWorkdir(t, theirs), newWorkdir(t, mine)
	first.run(t, "apply.log", 0, "apply", "-auto-approve")
	record := map[string]int{"organization": 0, "customer": 0, "subscription": 0, "schema": 0, "bucket": 0}
	for _, config := range []string{mine, adopting(mine, "matching")} {
		second.configure(t, config)
		said := second.run(t, "plan.log", 1, "plan")
		wantWords(t, said, "Object belongs to somebody else", "domain.hostname", "tenant:theirs/acme/us-east",
			`"elsewhere.example.net."`, `"edge.example.net."`, `set adopt = "matching" or "overwrite" to take it over`)
		w.want(t, "after the refusal", record)
	}
	second.configure(t, adopting(mine, "overwrite"))
	second.run(t, "apply.log", 0, "apply", "-auto-approve")
	second.run(t, "idle.log", 0, "plan", "-detailed-exitcode")
	w.want(t, "after the take-over", record)
	if row, err := second.ledger(t).Tenant(t.Context(), "acme"); err != nil || row.Status != ledger.Ready {
		t.Errorf("the tenant is %s, %v", row.Status, err)
	}
	first.run(t, "destroy.log", 0, "destroy", "-auto-approve") // what is somebody else's now is let go
	w.want(t, "after the first owner's destroy", record)
	second.run(t, "destroy.log", 0, "destroy", "-auto-approve")
	w.want(t, "at the end", noneLeft)
}
