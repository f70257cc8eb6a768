package crash_test

import (
	"os"
	"testing"

	"github.com/tenantplane/terraform-provider-tenant/internal/acctest"
)

func TestMain(m *testing.M) { os.Exit(acctest.Main(m)) }

// provider returns the path of the provider that announces its ledger writes.
func provider(t *testing.T) string {
	t.Helper()
	return acctest.Provider(t, "crash")
}
