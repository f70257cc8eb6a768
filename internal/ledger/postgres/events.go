package postgres

import (
	"context"
	"time"

	"github.com/tenantplane/terraform-provider-tenant/internal/ledger/queries"
)

// freezeEvents waits for the transactions that have appended events, and keeps
// others from appending: what they do not see yet, nobody may miss.
func freezeEvents(ctx context.Context, db queries.DBTX) error {
	_, err := db.ExecContext(ctx, "LOCK TABLE outbox IN SHARE ROW EXCLUSIVE MODE")
	return err
}

// oldestTransaction reads pg_stat_activity. Without the right to see others'
// sessions only our own are counted.
func oldestTransaction(ctx context.Context, db queries.DBTX) (time.Duration, error) {
	var micros int64
	err := db.QueryRowContext(ctx, `
		SELECT coalesce(max((extract(epoch FROM clock_timestamp() - xact_start) * 1000000)::bigint), 0) FROM pg_stat_activity
		WHERE datname = current_database() AND xact_start IS NOT NULL AND pid <> pg_backend_pid()`).Scan(&micros)
	return time.Duration(micros) * time.Microsecond, err
}
