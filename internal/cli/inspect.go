package cli

import (
	"context"
	"fmt"
	"sync"
	"time"

	"golang.org/x/sync/errgroup"

	"github.com/tenantplane/terraform-provider-tenant/internal/clock"
	"github.com/tenantplane/terraform-provider-tenant/internal/drift"
	"github.com/tenantplane/terraform-provider-tenant/internal/engine"
	"github.com/tenantplane/terraform-provider-tenant/internal/executor"
	"github.com/tenantplane/terraform-provider-tenant/internal/ledger"
	"github.com/tenantplane/terraform-provider-tenant/internal/tenant"
)

// living lists the tenants that are to be as declared: those named, or all.
func living(ctx context.Context, store ledger.Store, ids []string) ([]ledger.Tenant, error) {
	if len(ids) == 0 {
		rows, err := store.Tenants(ctx, ledger.Filter{})
		if err != nil {
			return nil, fmt.Errorf("load tenants: %w", err)
		}
		return rows, nil
	}
	var rows []ledger.Tenant
	for _, id := range ids {
		row, err := store.Tenant(ctx, tenant.ID(id))
		if err != nil {
			return nil, fmt.Errorf("tenant %s: %w", id, err)
		}
		rows = append(rows, row)
	}
	return rows, nil
}

// inspectAll looks at tenants side by side, and keeps their order.
func inspectAll(ctx context.Context, x *executor.Executor, rows []ledger.Tenant, parallel int, step func()) []drift.Tenant {
	out := make([]drift.Tenant, len(rows))
	var mu sync.Mutex
	var group errgroup.Group
	group.SetLimit(parallel)
	for i, row := range rows {
		group.Go(func() error {
			out[i] = inspect(ctx, x, row)
			mu.Lock()
			defer mu.Unlock()
			step()
			return nil
		})
	}
	_ = group.Wait() // what went wrong is in the tenants
	return out
}

// inspect looks at one tenant and dates what it finds. A tenant on its way to
// its spec, or away, has not drifted: where it stands is said instead.
func inspect(ctx context.Context, x *executor.Executor, row ledger.Tenant) drift.Tenant {
	t := drift.Tenant{Tenant: string(row.ID), Status: string(row.Status)}
	switch row.Status {
	case ledger.Ready, ledger.Degraded, ledger.Suspended:
	case ledger.Deleting, ledger.Deleted:
		return t
	default:
		t.Unhealthy = []string{fmt.Sprintf("it is %s: %s", row.Status, orElse(row.LastError, "its last apply did not finish; apply again"))}
		return t
	}
	view, err := x.Look(ctx, row.Spec)
	if err == nil {
		err = x.DateDrift(ctx, view)
	}
	if err != nil {
		t.Unread = []string{err.Error()}
		return t
	}
	plan := engine.Converge(view.Desired, view.Departing, view.Seen, clock.System{}.Now())
	return drift.Judge(t, plan, row.Spec.Drift, func(id engine.ObjectID) time.Time { return view.Rows[id].DriftSince })
}

func orElse(text, otherwise string) string {
	if text == "" {
		return otherwise
	}
	return text
}
