package sqlstore

import (
	"context"
	"database/sql"
	"errors"

	"github.com/tenantplane/terraform-provider-tenant/internal/ledger"
	"github.com/tenantplane/terraform-provider-tenant/internal/ledger/queries"
)

// Tally implements ledger.Store.
func (s *Store) Tally(ctx context.Context, scope string) (ledger.Tally, error) {
	var row queries.Tally
	err := s.read(ctx, func(ctx context.Context, q *queries.Queries) (err error) {
		row, err = q.GetTally(ctx, scope)
		if errors.Is(err, sql.ErrNoRows) {
			row, err = queries.Tally{Since: never, OpenUntil: never}, nil
		}
		return err
	})
	return tallyOf(row), err
}

// Tallies implements ledger.Store.
func (s *Store) Tallies(ctx context.Context) (map[string]ledger.Tally, error) {
	var rows []queries.Tally
	err := s.read(ctx, func(ctx context.Context, q *queries.Queries) (err error) {
		rows, err = q.ListTallies(ctx)
		return err
	})
	if err != nil {
		return nil, err
	}
	out := make(map[string]ledger.Tally, len(rows))
	for _, row := range rows {
		out[row.Scope] = tallyOf(row)
	}
	return out, nil
}

// SwapTally implements ledger.Store.
func (s *Store) SwapTally(ctx context.Context, scope string, old, next ledger.Tally) (bool, error) {
	var changed int64
	err := s.write(ctx, func(ctx context.Context, tx *transaction) (err error) {
		changed, err = tx.swapTally(ctx, scope, old, next)
		return err
	})
	return changed > 0, err
}

func (tx *transaction) swapTally(ctx context.Context, scope string, old, next ledger.Tally) (int64, error) {
	switch {
	case isZero(old) && isZero(next):
		return 1, nil
	case isZero(old):
		return tx.InsertTally(ctx, queries.InsertTallyParams{
			Scope: scope, Failures: next.Failures, Since: micros(next.Since), OpenUntil: micros(next.OpenUntil), Reason: text(next.Reason),
		})
	case isZero(next):
		return tx.DeleteTally(ctx, queries.DeleteTallyParams{
			Scope: scope, OldFailures: old.Failures, OldSince: micros(old.Since), OldOpenUntil: micros(old.OpenUntil),
		})
	default:
		return tx.SwapTally(ctx, queries.SwapTallyParams{
			Scope: scope, Failures: next.Failures, Since: micros(next.Since), OpenUntil: micros(next.OpenUntil), Reason: text(next.Reason),
			OldFailures: old.Failures, OldSince: micros(old.Since), OldOpenUntil: micros(old.OpenUntil),
		})
	}
}

// isZero tells whether a tally stands for nothing stored, whatever its reason.
func isZero(t ledger.Tally) bool {
	t.Reason = ""
	return t == ledger.Tally{}
}

func tallyOf(row queries.Tally) ledger.Tally {
	return ledger.Tally{Failures: row.Failures, Since: moment(row.Since), OpenUntil: moment(row.OpenUntil), Reason: row.Reason}
}
