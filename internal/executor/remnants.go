package executor

import (
	"context"
	"fmt"
	"log/slog"
	"strings"
	"time"

	"github.com/tenantplane/terraform-provider-tenant/internal/backend"
	"github.com/tenantplane/terraform-provider-tenant/internal/fault"
	"github.com/tenantplane/terraform-provider-tenant/internal/ledger"
	"github.com/tenantplane/terraform-provider-tenant/internal/tenant"
)

// purge is the verb of the intent to end a remnant.
const purge = "purge"

// purgeDue ends what is left of the tenant's ended objects where its date has
// come: archives whose retention is over, deletions that the system had put off.
// What cannot be ended keeps its row and its date, and says why.
func (p *pass) purgeDue(ctx context.Context) error {
	rows, err := p.Ledger.Objects(ctx, p.view.Tenant.ID)
	if err != nil {
		return fmt.Errorf("load objects of tenant %s: %w", p.view.Tenant.ID, err)
	}
	for _, row := range rows {
		if row.PendingUntil.IsZero() || p.now().Before(row.PendingUntil) {
			continue
		}
		if err := ctx.Err(); err != nil {
			return err
		}
		if err := p.purge(ctx, row); err != nil {
			return err
		}
	}
	return nil
}

// purge ends one remnant between an intent and its settlement.
func (p *pass) purge(ctx context.Context, row ledger.Object) error {
	subject := p.view.Tenant.Spec.Subject
	removal := backend.Removal{
		Target: backend.Target{
			Subject: subject, Component: row.Component, Object: originOf(row.Object), Name: row.Name,
			Path: row.Component, ExternalID: row.ExternalID, Hints: row.Fields,
		},
		Key:  tenant.Key(subject.Installation, subject.ID, row.Component, originOf(row.Object), row.Epoch, max(row.Attempt, 1)) + "/" + purge,
		Data: tenant.DeleteData, RetainUntil: row.PendingUntil, Now: p.now(),
	}
	if err := p.renew(); err != nil {
		return err
	}
	_, err := p.Ledger.OpenIntent(p.lasting, p.currentLease(), ledger.Intent{
		Component: row.Component, Object: row.Object, Verb: purge, Key: removal.Key, RequestHash: row.Fields.Fingerprint(),
		Epoch: row.Epoch, Attempt: row.Attempt,
	})
	if err != nil {
		return fmt.Errorf("note purge of %s.%s of tenant %s: %w", row.Component, row.Object, subject.ID, err)
	}
	receipt, err := p.callPurger(ctx, removal)
	return p.settlePurge(ctx, row, receipt, err)
}

// originOf is the object that a remnant, "object@epoch", was.
func originOf(remnant string) string {
	origin, _, _ := strings.Cut(remnant, "@")
	return origin
}

func (p *pass) callPurger(ctx context.Context, removal backend.Removal) (backend.Receipt, error) {
	b, f := p.Backends(removal.Component, removal.Subject.Region)
	if f != nil {
		return backend.Receipt{}, f
	}
	purger, offered := b.(backend.Purger)
	if !offered {
		return backend.Receipt{}, fault.NewTerminal(removal.Component+".no_purge", removal.Component,
			"this backend cannot destroy what it keeps", "configure the backend that the tenant was archived with")
	}
	return purger.Purge(ctx, removal)
}

// settlePurge records what became of a remnant.
func (p *pass) settlePurge(ctx context.Context, row ledger.Object, receipt backend.Receipt, err error) error {
	s := ledger.Settlement{Generation: p.view.Tenant.DesiredGeneration, Object: row}
	entry := ledger.Evidence{
		Time: p.now(), Actor: p.actor, Step: purge + " " + row.Component + "." + row.Object, Outcome: receipt.Outcome,
		Details: map[string]string{"name": row.Name, "retained_until": row.PendingUntil.UTC().Format(time.RFC3339)},
	}
	for name, value := range receipt.Details {
		entry.Details[name] = value
	}
	level, outcome := slog.LevelInfo, receipt.Outcome
	switch {
	case err != nil:
		f := describeFault(err, backend.Target{Component: row.Component, Path: row.Component})
		s.Object.Message, s.KeepIntent = f.Error(), f.Kind == fault.Ambiguous
		level, outcome = slog.LevelWarn, f.Error()
	case receipt.PendingUntil.IsZero():
		s.Forget, s.Evidence = true, []ledger.Evidence{entry}
	default:
		s.Object.PendingUntil, s.Object.Message = receipt.PendingUntil, receipt.Outcome
		entry.Details["retain_until"] = receipt.PendingUntil.UTC().Format(time.RFC3339)
		s.Evidence = []ledger.Evidence{entry}
	}
	p.Logger.LogAttrs(ctx, level, entry.Step, slog.String("tenant_id", string(p.view.Tenant.ID)), slog.String("outcome", outcome),
		slog.String("correlation_id", p.view.Tenant.CorrelationID))
	if err := p.Ledger.Settle(p.lasting, p.currentLease(), s); err != nil {
		return fmt.Errorf("record %s of tenant %s: %w", entry.Step, p.view.Tenant.ID, err)
	}
	return nil
}

// keepTombstone says when a deleted tenant is due again: when the next of its
// remnants is, or never.
func (p *pass) keepTombstone(ctx context.Context) (Outcome, error) {
	row := p.view.Tenant
	rows, err := p.Ledger.Objects(ctx, row.ID)
	if err != nil {
		return Outcome{}, fmt.Errorf("load objects of tenant %s: %w", row.ID, err)
	}
	var due time.Time
	for _, o := range rows {
		end := o.PendingUntil
		if soonest := p.now().Add(p.Patience.Remnant); !end.After(p.now()) {
			end = soonest // it could not be ended
		}
		if due.IsZero() || end.Before(due) {
			due = end
		}
	}
	err = p.Ledger.Advance(p.lasting, p.currentLease(), ledger.Progress{
		Generation: row.DesiredGeneration, Status: ledger.Deleted, NextReconcileAt: due,
	})
	if err != nil {
		return Outcome{}, fmt.Errorf("date the tombstone of tenant %s: %w", row.ID, err)
	}
	return Outcome{Status: ledger.Deleted, View: p.view}, nil
}
