package e2e_test

import (
	"os"
	"testing"

	"github.com/tenantplane/terraform-provider-tenant/internal/acctest"
)

func TestMain(m *testing.M) { os.Exit(acctest.Main(m)) }
