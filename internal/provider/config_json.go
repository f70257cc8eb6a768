package provider

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/hashicorp/terraform-plugin-framework/tfsdk"
	"github.com/hashicorp/terraform-plugin-go/tfprotov6"
)

// ReadConfig reads the attributes of a provider block, given as a JSON object,
// as the provider itself does. Attributes that are left out may come from the
// environment. Errors name the attribute and never hold a value.
func ReadConfig(ctx context.Context, attributes []byte) (Config, error) {
	schema := providerSchema()
	raw, err := tfprotov6.DynamicValue{JSON: attributes}.Unmarshal(schema.Type().TerraformType(ctx))
	if err != nil {
		return Config{}, fmt.Errorf("provider block: %w", err)
	}
	config, diags := readConfig(ctx, tfsdk.Config{Raw: raw, Schema: schema})
	var faults []string
	for _, d := range diags.Errors() {
		faults = append(faults, d.Detail())
	}
	if len(faults) > 0 {
		return Config{}, errors.New("provider block: " + strings.Join(faults, "; "))
	}
	return config, nil
}
