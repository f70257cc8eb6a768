package sqlstore

import (
	"context"

	"github.com/tenantplane/terraform-provider-tenant/internal/ledger"
	"github.com/tenantplane/terraform-provider-tenant/internal/ledger/queries"
	"github.com/tenantplane/terraform-provider-tenant/internal/tenant"
)

// OpenIntents implements ledger.Store.
func (s *Store) OpenIntents(ctx context.Context, id tenant.ID) ([]ledger.Intent, error) {
	var rows []queries.Intent
	err := s.read(ctx, func(ctx context.Context, q *queries.Queries) (err error) {
		rows, err = q.ListIntents(ctx, string(id))
		return err
	})
	if err != nil {
		return nil, err
	}
	intents := make([]ledger.Intent, 0, len(rows))
	for _, row := range rows {
		intents = append(intents, intentOf(row))
	}
	return intents, nil
}

// OpenIntent implements ledger.Store. FirstUsedAt and Tries are the ledger's
// to set. The stored RequestHash is the one the key was first used with.
func (s *Store) OpenIntent(ctx context.Context, lease ledger.Lease, i ledger.Intent) (ledger.Intent, error) {
	var row queries.Intent
	err := s.fenced(ctx, lease, func(ctx context.Context, tx *transaction, _ queries.Tenant) (err error) {
		row, err = tx.OpenIntent(ctx, queries.OpenIntentParams{
			TenantID:       string(lease.Tenant),
			Component:      i.Component,
			Object:         i.Object,
			Verb:           i.Verb,
			IdempotencyKey: i.Key,
			RequestHash:    i.RequestHash,
			Epoch:          i.Epoch,
			Attempt:        i.Attempt,
			FirstUsedAt:    micros(tx.at),
		})
		return err
	})
	if err != nil {
		return ledger.Intent{}, err
	}
	return intentOf(row), nil
}

func intentOf(row queries.Intent) ledger.Intent {
	return ledger.Intent{
		Component:   row.Component,
		Object:      row.Object,
		Verb:        row.Verb,
		Key:         row.IdempotencyKey,
		RequestHash: row.RequestHash,
		Epoch:       row.Epoch,
		Attempt:     row.Attempt,
		FirstUsedAt: moment(row.FirstUsedAt),
		LastUsedAt:  moment(row.LastUsedAt),
		Tries:       row.Tries,
	}
}
