package executor

import (
	"context"
	"encoding/json"
	"fmt"
	"time"

	"github.com/tenantplane/terraform-provider-tenant/internal/event"
	"github.com/tenantplane/terraform-provider-tenant/internal/ledger"
	"github.com/tenantplane/terraform-provider-tenant/internal/tenant"
)

// Suspend orders that nobody gets into the tenant, while everything of it stays.
// The next pass carries it out, whoever runs it. reason and actor go into the
// event. The errors are the ledger's.
func (x *Executor) Suspend(ctx context.Context, id tenant.ID, reason, actor string) (ledger.Tenant, error) {
	events, err := x.orderEvents(ctx, event.Suspended, id, reason, actor)
	if err != nil {
		return ledger.Tenant{}, err
	}
	row, err := x.Ledger.Suspend(ctx, id, reason, events)
	if err != nil {
		return ledger.Tenant{}, fmt.Errorf("suspend tenant %s: %w", id, err)
	}
	return row, nil
}

// Resume takes a suspension back.
func (x *Executor) Resume(ctx context.Context, id tenant.ID, reason, actor string) (ledger.Tenant, error) {
	events, err := x.orderEvents(ctx, event.Resumed, id, reason, actor)
	if err != nil {
		return ledger.Tenant{}, err
	}
	row, err := x.Ledger.Resume(ctx, id, events)
	if err != nil {
		return ledger.Tenant{}, fmt.Errorf("resume tenant %s: %w", id, err)
	}
	return row, nil
}

// orderEvents is the fact that somebody gave an order.
func (x *Executor) orderEvents(ctx context.Context, kind string, id tenant.ID, reason, actor string) ([]event.Event, error) {
	row, err := x.Ledger.Tenant(ctx, id)
	if err != nil {
		return nil, fmt.Errorf("load tenant %s: %w", id, err)
	}
	data, err := json.Marshal(map[string]string{"reason": reason, "actor": actor})
	if err != nil {
		return nil, fmt.Errorf("encode event %s: %w", kind, err)
	}
	return []event.Event{{ID: x.NewID(), Type: kind, Tenant: id, Correlation: row.CorrelationID, Time: x.Clock.Now(), Data: data}}, nil
}

// VisitUntil visits a tenant until it has the status, a visit brings faults, or
// ctx ends; a tenant that somebody else works on is waited for.
func (x *Executor) VisitUntil(ctx context.Context, id tenant.ID, want ledger.Status, actor string) (Outcome, error) {
	for {
		outcome, err := x.Visit(ctx, id, actor)
		switch {
		case err != nil && !Busy(err):
			return outcome, err
		case err == nil && (outcome.Status == want || len(outcome.Faults) > 0):
			return outcome, nil
		}
		if err := x.Clock.Sleep(ctx, time.Second); err != nil {
			return outcome, fmt.Errorf("wait for tenant %s: %w", id, err)
		}
	}
}

// notDue is the date of a tenant that nobody wants driven on.
var notDue = time.Date(9999, 12, 31, 0, 0, 0, 0, time.UTC)

// IsWithdrawn tells whether nobody drives the tenant on.
func IsWithdrawn(row ledger.Tenant) bool { return !row.NextReconcileAt.Before(notDue) }

// Withdraw leaves a tenant alone whose creation failed before anything of it
// existed: its caller forgets it, so that a sweep that made it later would make
// what nobody knows of. Nothing is touched outside; another apply goes on as if
// nothing had been. begun tells that something exists after all, and then
// nothing is changed.
func (x *Executor) Withdraw(ctx context.Context, id tenant.ID) (begun bool, err error) {
	p, _, end, err := x.begin(ctx, id, "")
	for tries := 0; err != nil && Busy(err) && tries < 20; tries++ {
		if err := x.Clock.Sleep(ctx, leaseRetry); err != nil {
			return true, fmt.Errorf("wait for the lease: %w", err)
		}
		p, _, end, err = x.begin(ctx, id, "")
	}
	if err != nil {
		return true, err
	}
	defer end()
	row := p.view.Tenant
	if begun, err := x.Begun(ctx, id); begun || err != nil || row.Status == ledger.Deleting || row.Status == ledger.Deleted {
		return true, err
	}
	err = x.Ledger.Advance(ctx, p.currentLease(), ledger.Progress{
		Generation: row.DesiredGeneration, Status: row.Status, NextReconcileAt: notDue,
		FailureCount: row.FailureCount, LastErrorCode: row.LastErrorCode, LastError: row.LastError,
	})
	if err != nil {
		return true, fmt.Errorf("withdraw tenant %s: %w", id, err)
	}
	return false, nil
}
