//go:build !crash

package main

import "github.com/tenantplane/terraform-provider-tenant/internal/provider"

// program is the released binary: nothing stands in its way.
func program() provider.Program { return provider.Program{Version: version} }
