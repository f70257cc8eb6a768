package cli_test

import (
	"strings"
	"testing"

	"github.com/tenantplane/terraform-provider-tenant/internal/acctest"
	"github.com/tenantplane/terraform-provider-tenant/internal/provider"
)

func TestALedgerInPostgreSQLIsLookedAtAsAFileIs(t *testing.T) {
	server := acctest.Postgres(t)
	url := server.NewDatabase(t)
	fill(t, provider.LedgerConfig{URL: url}, []string{"acme", "gone"}, []string{"gone"})
	says(t, mustTool(t, "status", "--ledger", url), "acme", "ready")
	says(t, mustTool(t, "evidence", "gone", "--ledger", url), "chain verified")

	t.Setenv(provider.LedgerURLVariable, url)
	says(t, mustTool(t, "status", "--all"), "acme", "gone", "deleted")
}

func TestALookAtADatabaseWithoutALedgerMakesNone(t *testing.T) {
	server := acctest.Postgres(t)
	url := server.NewDatabase(t)
	for range 2 {
		_, err := tool(t, "status", "--ledger", url)
		if err == nil || !strings.Contains(err.Error(), "there is no ledger") || strings.Contains(err.Error(), server.Password) {
			t.Errorf("got %v", err)
		}
	}
}
