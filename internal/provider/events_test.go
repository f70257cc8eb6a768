package provider_test

import (
	"regexp"
	"strings"
	"testing"

	"github.com/hashicorp/terraform-plugin-testing/helper/resource"
	"github.com/hashicorp/terraform-plugin-testing/knownvalue"
	"github.com/hashicorp/terraform-plugin-testing/statecheck"
	"github.com/hashicorp/terraform-plugin-testing/tfjsonpath"

	"github.com/tenantplane/terraform-provider-tenant/internal/provider"
)

// withSinks is the provider block with sinks.
func (w *world) withSinks(sinks string) string {
	return strings.Replace(w.providerBlock(), "provider \"tenant\" {\n", "provider \"tenant\" {\n  events = { sinks = "+sinks+" }\n", 1)
}

func TestAccWhatHappenedCanBeRead(t *testing.T) {
	w := inSandbox(t)
	look := `
data "tenant_events" "onboarded" {
  tenant_id  = "acme"
  types      = ["tenant.onboarding_completed.v1"]
  depends_on = [tenant.acme]
}
data "tenant_events" "last" {
  limit      = 1
  depends_on = [tenant.acme]
}
`
	first := tfjsonpath.New("events").AtSliceIndex(0)
	run(t, resource.TestStep{
		Config: w.config(w.acme()) + look,
		ConfigStateChecks: []statecheck.StateCheck{
			statecheck.ExpectKnownValue("data.tenant_events.onboarded", tfjsonpath.New("events"), knownvalue.ListSizeExact(1)),
			statecheck.ExpectKnownValue("data.tenant_events.onboarded", first.AtMapKey("data"), knownvalue.StringExact(`{"generation":1,"status":"ready"}`)),
			statecheck.ExpectKnownValue("data.tenant_events.last", first.AtMapKey("tenant_id"), knownvalue.StringExact("acme")),
		},
	})
}

func TestAccASinkIsOwedWhatHappensFromTheFirstRunThatNamesIt(t *testing.T) {
	w := inSandbox(t)
	sinks := `{ hook = { webhook = { url = "https://hooks.example.com/x", secrets = ["whsec_MDEyMzQ1Njc4OTAxMjM0NTY3ODkwMTIz"] } } }`
	run(t, resource.TestStep{Config: w.withSinks(sinks) + w.acme().resourceBlock()})
	store, err := provider.OpenExistingLedger(t.Context(), w.ledger)
	if err != nil {
		t.Fatal(err)
	}
	defer store.Close()
	owed, err := store.Sinks(t.Context())
	if err != nil || len(owed) != 1 || owed[0].Name != "hook" || owed[0].Pending < 8 {
		t.Errorf("%+v, %v", owed, err)
	}
}

func TestAccASinkWithAMistakeIsRefusedWithoutItsSecret(t *testing.T) {
	w := inSandbox(t)
	run(t, resource.TestStep{
		Config:      w.withSinks(`{ hook = { webhook = { url = "https://hooks.example.com/x", secrets = ["whsec_aHVudGVyMg=="] } } }`) + w.acme().resourceBlock(),
		ExpectError: regexp.MustCompile(`(?s)events.sinks\["hook"\].webhook.secrets\[0\]`),
	})
}
