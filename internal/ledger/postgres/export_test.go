package postgres

import (
	"context"
	"io"
	"time"

	"github.com/tenantplane/terraform-provider-tenant/internal/ledger"
	"github.com/tenantplane/terraform-provider-tenant/internal/ledger/queries"
)

// OpenAt opens a ledger whose time is a test's.
func OpenAt(ctx context.Context, url string, random io.Reader, now func() time.Time) (ledger.Store, error) {
	return open(ctx, url, random, func(context.Context, queries.DBTX) (time.Time, error) { return now(), nil })
}
