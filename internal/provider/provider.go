package provider

import (
	"context"

	"github.com/hashicorp/terraform-plugin-framework/datasource"
	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/provider"
	"github.com/hashicorp/terraform-plugin-framework/resource"
)

// Address is the provider's address in the registry.
const Address = "registry.terraform.io/tenantplane/tenant"

// New returns a factory for the provider server.
func New(version string) func() provider.Provider {
	return func() provider.Provider { return &tenantProvider{version: version} }
}

type tenantProvider struct{ version string }

// Metadata implements provider.Provider.
func (p *tenantProvider) Metadata(_ context.Context, _ provider.MetadataRequest, resp *provider.MetadataResponse) {
	resp.TypeName = "tenant"
	resp.Version = p.version
}

// Schema implements provider.Provider.
func (p *tenantProvider) Schema(_ context.Context, _ provider.SchemaRequest, resp *provider.SchemaResponse) {
	resp.Schema = providerSchema()
}

// Configure implements provider.Provider: it opens the ledger, and the sandbox
// when asked for. Backends are opened at first use.
func (p *tenantProvider) Configure(ctx context.Context, req provider.ConfigureRequest, resp *provider.ConfigureResponse) {
	config, diags := readConfig(ctx, req.Config)
	resp.Diagnostics.Append(diags...)
	if resp.Diagnostics.HasError() {
		return
	}
	session, err := open(ctx, config)
	if err != nil {
		resp.Diagnostics.AddAttributeError(path.Root(err.attribute), err.summary, err.detail)
		return
	}
	resp.ResourceData = session
	resp.DataSourceData = session
}

// Resources implements provider.Provider.
func (p *tenantProvider) Resources(context.Context) []func() resource.Resource {
	return []func() resource.Resource{
		func() resource.Resource { return &tenantResource{surfaces: surfaces()} },
		func() resource.Resource { return &readyResource{} },
	}
}

// DataSources implements provider.Provider.
func (p *tenantProvider) DataSources(context.Context) []func() datasource.DataSource {
	return []func() datasource.DataSource{
		func() datasource.DataSource { return &tenantDataSource{} },
	}
}
