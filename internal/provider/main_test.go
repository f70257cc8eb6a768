package provider_test

import (
	"os"
	"testing"

	"github.com/tenantplane/terraform-provider-tenant/internal/acctest"
)

func TestMain(m *testing.M) {
	code := acctest.Main(m)
	_ = os.RemoveAll(binFolder)
	os.Exit(code)
}
