package provider

import (
	"context"

	"github.com/hashicorp/terraform-plugin-framework/datasource"
)

// statusDataSource is the data source "tenant_status": "tenant" under the name by
// which people look for it.
type statusDataSource struct{ tenantDataSource }

// Metadata implements datasource.DataSource.
func (d *statusDataSource) Metadata(_ context.Context, req datasource.MetadataRequest, resp *datasource.MetadataResponse) {
	resp.TypeName = req.ProviderTypeName + "_status"
}
