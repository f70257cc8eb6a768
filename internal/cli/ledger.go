package cli

import (
	"context"
	"crypto/rand"
	"fmt"
	"os"

	"github.com/tenantplane/terraform-provider-tenant/internal/clock"
	"github.com/tenantplane/terraform-provider-tenant/internal/ledger"
	"github.com/tenantplane/terraform-provider-tenant/internal/ledger/sqlite"
)

// openLedger opens an existing ledger. A look must not make one.
func openLedger(ctx context.Context, path string) (ledger.Store, error) {
	if _, err := os.Stat(path); err != nil {
		return nil, fmt.Errorf("ledger %s: %w; name the ledger with --ledger", path, err)
	}
	store, err := sqlite.Open(ctx, path, clock.System{}, rand.Reader)
	if err != nil {
		return nil, fmt.Errorf("ledger %s: %w", path, err)
	}
	return store, nil
}
