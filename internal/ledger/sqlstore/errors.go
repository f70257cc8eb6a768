package sqlstore

import (
	"context"
	"database/sql"
	"errors"
	"fmt"

	"github.com/tenantplane/terraform-provider-tenant/internal/ledger"
	"github.com/tenantplane/terraform-provider-tenant/internal/tenant"
)

// refusal is an answer of the ledger itself, not a failure of the database:
// Explain has nothing to add to it.
type refusal struct{ err error }

func (r refusal) Error() string { return r.err.Error() }
func (r refusal) Unwrap() error { return r.err }

// refuse says why the ledger does not do as asked. Wrap one of the ledger's
// errors with %w where there is one.
func refuse(format string, args ...any) error {
	return refusal{fmt.Errorf(format, args...)}
}

// explain passes refusals and the caller's own cancellation through and lets
// the driver explain the rest.
func (s *Store) explain(ctx context.Context, err error) error {
	var r refusal
	switch {
	case err == nil:
		return nil
	case errors.As(err, &r):
		return r.err
	case ctx.Err() != nil: // drivers word an interrupted statement in many ways
		return ctx.Err()
	}
	return s.dialect.Explain(err)
}

// missing turns "no row" into ledger.ErrNotFound naming the tenant.
func missing(id tenant.ID, err error) error {
	if errors.Is(err, sql.ErrNoRows) {
		return refuse("tenant %s: %w", id, ledger.ErrNotFound)
	}
	return err
}
