//go:build crash

package main

import (
	"os"
	"time"

	"github.com/tenantplane/terraform-provider-tenant/internal/crash/announce"
	"github.com/tenantplane/terraform-provider-tenant/internal/ledger"
	"github.com/tenantplane/terraform-provider-tenant/internal/provider"
)

// program is the binary of the crash harness: it announces every write of the
// ledger, and its leases end soon after it was killed. Nothing else differs
// from the released one.
func program() provider.Program {
	return provider.Program{
		Version: version,
		Lease:   2 * time.Second,
		WrapLedger: func(store ledger.Store) ledger.Store {
			return announce.Wrap(store, os.Getenv(announce.Variable))
		},
	}
}
