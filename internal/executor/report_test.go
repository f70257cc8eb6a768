package executor_test

import (
	"bufio"
	"encoding/json"
	"strings"
	"testing"

	"github.com/tenantplane/terraform-provider-tenant/internal/ledger"
)

// TestEveryActionIsLoggedWithTheTenFields of DESIGN section 10.
func TestEveryActionIsLoggedWithTheTenFields(t *testing.T) {
	s := newStage(t)
	s.apply(spec("acme"), ledger.Ready)
	s.destroy("acme")
	actions := 0
	lines := bufio.NewScanner(strings.NewReader(s.log.String()))
	for lines.Scan() {
		var fields map[string]any
		if err := json.Unmarshal(lines.Bytes(), &fields); err != nil {
			t.Fatal(err)
		}
		if fields["action"] == nil {
			continue
		}
		actions++
		for _, name := range []string{
			"tenant_id", "desired_generation", "observed_generation", "action", "provider", "idempotency_key",
			"external_resource_id", "outcome", "next_reconcile_at", "correlation_id",
		} {
			if _, there := fields[name]; !there {
				t.Errorf("%v has no %s", fields["msg"], name)
			}
			if n := strings.Count(lines.Text(), `"`+name+`":`); n > 1 {
				t.Errorf("%v has %d times %s", fields["msg"], n, name)
			}
		}
	}
	if actions < 12 {
		t.Errorf("%d actions were logged", actions)
	}
}
