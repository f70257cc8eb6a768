package provider

import (
	"context"
	"log/slog"
	"time"

	"github.com/hashicorp/terraform-plugin-framework/datasource"
	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/provider"
	"github.com/hashicorp/terraform-plugin-framework/resource"

	"github.com/tenantplane/terraform-provider-tenant/internal/executor"
	"github.com/tenantplane/terraform-provider-tenant/internal/ledger"
	"github.com/tenantplane/terraform-provider-tenant/internal/telemetry"
)

// Address is the provider's address in the registry.
const Address = "registry.terraform.io/tenantplane/tenant"

// Program is the binary the provider runs in: what is decided when it is built
// rather than in a configuration.
type Program struct {
	// Version is the release's, or "dev".
	Version string
	// WrapLedger stands between the executor and the ledger; nil for nothing.
	// The crash harness announces every write with it.
	WrapLedger func(ledger.Store) ledger.Store
	// Logger takes the log lines; nil for Terraform's log.
	Logger *slog.Logger
	// Telemetry hears what happens; nil for nobody.
	Telemetry *telemetry.Telemetry
	// Cadence and Patience are how often sweeps look at a tenant, and how long
	// failures are left alone; zero ones are the executor's own. The components of
	// the cadence are the registry's.
	Cadence  executor.Cadence
	Patience executor.Patience
	// Lease is how long a lease lasts without renewal; 0 for the executor's own
	// choice. The crash harness shortens it, to wait less after each kill.
	Lease time.Duration
}

// New returns a factory for the provider server.
func New(program Program) func() provider.Provider {
	return func() provider.Provider { return &tenantProvider{program: program} }
}

type tenantProvider struct{ program Program }

// Metadata implements provider.Provider.
func (p *tenantProvider) Metadata(_ context.Context, _ provider.MetadataRequest, resp *provider.MetadataResponse) {
	resp.TypeName = "tenant"
	resp.Version = p.program.Version
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
	session, err := p.program.open(ctx, config)
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
		func() datasource.DataSource { return &statusDataSource{} },
		func() datasource.DataSource { return &listDataSource{} },
		func() datasource.DataSource { return &driftDataSource{} },
		func() datasource.DataSource { return &eventsDataSource{} },
	}
}
