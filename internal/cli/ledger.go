package cli

import (
	"context"
	"fmt"
	"os"

	"github.com/tenantplane/terraform-provider-tenant/internal/ledger"
	"github.com/tenantplane/terraform-provider-tenant/internal/provider"
)

// openLedger opens an existing ledger: a look must not make one. Without a
// place it is the one the provider uses when its block names none.
func openLedger(ctx context.Context, place string) (ledger.Store, error) {
	if place == "" {
		place = os.Getenv(provider.LedgerURLVariable)
	}
	if place == "" {
		place = provider.DefaultLedger
	}
	store, err := provider.OpenExistingLedger(ctx, place)
	if err != nil {
		return nil, fmt.Errorf("%w; name the ledger with --ledger", err)
	}
	return store, nil
}
