package sqlstore

import (
	"context"
	"database/sql"
	"errors"
	"fmt"

	"github.com/tenantplane/terraform-provider-tenant/internal/ledger"
	"github.com/tenantplane/terraform-provider-tenant/internal/ledger/queries"
	"github.com/tenantplane/terraform-provider-tenant/internal/tenant"
)

// Evidence implements ledger.Store.
func (s *Store) Evidence(ctx context.Context, id tenant.ID) ([]ledger.Evidence, error) {
	var rows []queries.Evidence
	err := s.read(ctx, func(ctx context.Context, q *queries.Queries) (err error) {
		rows, err = q.ListEvidence(ctx, string(id))
		return err
	})
	if err != nil {
		return nil, err
	}
	return convert(rows, evidenceOf)
}

// appendEvidence chains entries to what is stored. An entry without a time
// gets the ledger's. Texts are made storable before they are hashed, so that
// the chain still verifies when it is read back.
func (tx *transaction) appendEvidence(ctx context.Context, id tenant.ID, entries []ledger.Evidence) error {
	if len(entries) == 0 {
		return nil
	}
	last, err := tx.LastEvidence(ctx, string(id))
	if err != nil && !errors.Is(err, sql.ErrNoRows) {
		return err
	}
	sequence, hash := last.Sequence, last.Hash
	for _, e := range entries {
		if e.Time.IsZero() {
			e.Time = tx.at
		}
		e = ledger.Chain(id, sequence, hash, storable(e))
		if err := tx.putEvidence(ctx, id, e); err != nil {
			return err
		}
		sequence, hash = e.Sequence, e.Hash
	}
	return nil
}

func (tx *transaction) putEvidence(ctx context.Context, id tenant.ID, e ledger.Evidence) error {
	details, err := encode(e.Details)
	if err != nil {
		return err
	}
	return tx.AppendEvidence(ctx, queries.AppendEvidenceParams{
		TenantID: string(id),
		Sequence: e.Sequence,
		At:       micros(e.Time),
		Actor:    e.Actor,
		Step:     e.Step,
		Outcome:  e.Outcome,
		Details:  details,
		Previous: e.Previous,
		Hash:     e.Hash,
	})
}

func storable(e ledger.Evidence) ledger.Evidence {
	e.Actor, e.Step, e.Outcome = text(e.Actor), text(e.Step), text(e.Outcome)
	if e.Details == nil {
		return e
	}
	details := make(map[string]string, len(e.Details))
	for key, value := range e.Details {
		details[text(key)] = text(value)
	}
	e.Details = details
	return e
}

func evidenceOf(row queries.Evidence) (ledger.Evidence, error) {
	e := ledger.Evidence{
		Sequence: row.Sequence,
		Time:     moment(row.At),
		Actor:    row.Actor,
		Step:     row.Step,
		Outcome:  row.Outcome,
		Previous: row.Previous,
		Hash:     row.Hash,
	}
	if err := decode(row.Details, &e.Details); err != nil {
		return ledger.Evidence{}, fmt.Errorf("stored evidence %d of tenant %s: %w", row.Sequence, row.TenantID, err)
	}
	return e, nil
}
