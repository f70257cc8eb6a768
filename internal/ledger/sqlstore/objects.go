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

// Objects implements ledger.Store.
func (s *Store) Objects(ctx context.Context, id tenant.ID) ([]ledger.Object, error) {
	var rows []queries.Object
	err := s.read(ctx, func(ctx context.Context, q *queries.Queries) (err error) {
		rows, err = q.ListObjects(ctx, string(id))
		return err
	})
	if err != nil {
		return nil, err
	}
	return convert(rows, objectOf)
}

// LastEpoch implements ledger.Store.
func (s *Store) LastEpoch(ctx context.Context, id tenant.ID, component, object string) (int64, error) {
	var epoch int64
	err := s.read(ctx, func(ctx context.Context, q *queries.Queries) (err error) {
		epoch, err = q.HighestEpoch(ctx, queries.HighestEpochParams{
			TenantID: string(id), Component: component, Object: object,
		})
		if errors.Is(err, sql.ErrNoRows) {
			return nil
		}
		return err
	})
	return epoch, err
}

// putObject writes an object's row as observed now.
func (tx *transaction) putObject(ctx context.Context, id tenant.ID, o ledger.Object) error {
	fields, err := encode(o.Fields)
	if err != nil {
		return err
	}
	return tx.PutObject(ctx, queries.PutObjectParams{
		TenantID:     string(id),
		Component:    o.Component,
		Object:       o.Object,
		HighestEpoch: o.Epoch,
		ExternalID:   text(o.ExternalID),
		Name:         text(o.Name),
		Epoch:        o.Epoch,
		Attempt:      o.Attempt,
		Condition:    string(o.Condition),
		Message:      text(o.Message),
		Fields:       fields,
		Spec:         text(string(o.Spec)),
		Generation:   int64(o.Generation),
		PendingUntil: micros(o.PendingUntil),
		DriftSince:   micros(o.DriftSince),
		ObservedAt:   micros(tx.at),
	})
}

// forgetObject empties an object's row down to its highest epoch.
func (tx *transaction) forgetObject(ctx context.Context, id tenant.ID, o ledger.Object) error {
	return tx.PutObject(ctx, queries.PutObjectParams{
		TenantID:     string(id),
		Component:    o.Component,
		Object:       o.Object,
		Forgotten:    1,
		HighestEpoch: o.Epoch,
		PendingUntil: never,
		DriftSince:   never,
		ObservedAt:   micros(tx.at),
	})
}

func objectOf(row queries.Object) (ledger.Object, error) {
	o := ledger.Object{
		Component:    row.Component,
		Object:       row.Object,
		ExternalID:   row.ExternalID,
		Name:         row.Name,
		Epoch:        row.Epoch,
		Attempt:      row.Attempt,
		Condition:    ledger.Condition(row.Condition),
		Message:      row.Message,
		Spec:         raw(row.Spec),
		Generation:   tenant.Generation(row.Generation),
		PendingUntil: moment(row.PendingUntil),
		DriftSince:   moment(row.DriftSince),
		ObservedAt:   moment(row.ObservedAt),
	}
	if err := decode(row.Fields, &o.Fields); err != nil {
		return ledger.Object{}, fmt.Errorf("stored fields of %s.%s of tenant %s: %w", row.Component, row.Object, row.TenantID, err)
	}
	return o, nil
}

// OwnerOf implements ledger.Store.
func (s *Store) OwnerOf(ctx context.Context, externalID string) (tenant.ID, error) {
	var owner string
	err := s.read(ctx, func(ctx context.Context, q *queries.Queries) (err error) {
		owner, err = q.OwnerOf(ctx, externalID)
		if errors.Is(err, sql.ErrNoRows) {
			return refuse("no object has the external id %q: %w", externalID, ledger.ErrNotFound)
		}
		return err
	})
	return tenant.ID(owner), err
}
