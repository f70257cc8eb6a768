package domaintf_test

import (
	"testing"

	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/tenantplane/terraform-provider-tenant/internal/component/domain"
	"github.com/tenantplane/terraform-provider-tenant/internal/component/domain/domaintf"
	"github.com/tenantplane/terraform-provider-tenant/internal/surface"
	"github.com/tenantplane/terraform-provider-tenant/internal/tenant"
)

func set(name, ttl string) surface.SeenObject {
	return surface.SeenObject{ExternalID: name, Fields: tenant.Fields{
		domain.FieldName: {name}, domain.FieldType: {domain.CNAME}, domain.FieldTTL: {ttl}, domain.FieldValues: {"edge.example.net."},
	}}
}

func TestC10_ATTLThatDriftedIsShownByEveryRefreshAndNotByTheFirstAlone(t *testing.T) {
	component := domaintf.Component()
	state, diags := component.FromSpec(t.Context(),
		[]byte(`{"hostname":"acme.example.com","target":"edge.example.net","ttl":300,"wildcard":true}`))
	if diags.HasError() {
		t.Fatal(diags)
	}
	seen := surface.Seen{domain.Record: set("acme.example.com.", "301"), domain.Wildcard: set("*.acme.example.com.", "300")}
	for refresh := range 3 {
		state, diags = component.Observe(t.Context(), state, seen)
		if got := state.Attributes()["ttl"]; diags.HasError() || !got.Equal(types.Int64Value(301)) {
			t.Errorf("refresh %d shows ttl %s, want 301 %v", refresh, got, diags)
		}
	}
}
