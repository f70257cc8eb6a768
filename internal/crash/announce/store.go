package announce

import (
	"context"

	"github.com/tenantplane/terraform-provider-tenant/internal/event"
	"github.com/tenantplane/terraform-provider-tenant/internal/ledger"
	"github.com/tenantplane/terraform-provider-tenant/internal/tenant"
)

// store announces the writes that matter: leases end by themselves and are
// nobody's knowledge.
type store struct {
	ledger.Store
	herald herald
}

// Wrap returns store, announcing its writes to a control URL; without one it
// returns store itself.
func Wrap(inner ledger.Store, control string) ledger.Store {
	if control == "" {
		return inner
	}
	return store{Store: inner, herald: herald{control: control}}
}

// Declare implements ledger.Store.
func (s store) Declare(ctx context.Context, d ledger.Declaration) (t ledger.Tenant, err error) {
	err = s.herald.around(ctx, "Declare", func() error {
		t, err = s.Store.Declare(ctx, d)
		return err
	})
	return t, err
}

// OpenIntent implements ledger.Store.
func (s store) OpenIntent(ctx context.Context, lease ledger.Lease, intent ledger.Intent) (stored ledger.Intent, err error) {
	err = s.herald.around(ctx, "OpenIntent "+intent.Component+"."+intent.Object, func() error {
		stored, err = s.Store.OpenIntent(ctx, lease, intent)
		return err
	})
	return stored, err
}

// Settle implements ledger.Store.
func (s store) Settle(ctx context.Context, lease ledger.Lease, settlement ledger.Settlement) error {
	return s.herald.around(ctx, "Settle "+settlement.Object.Component+"."+settlement.Object.Object, func() error {
		return s.Store.Settle(ctx, lease, settlement)
	})
}

// Advance implements ledger.Store.
func (s store) Advance(ctx context.Context, lease ledger.Lease, progress ledger.Progress) error {
	return s.herald.around(ctx, "Advance", func() error { return s.Store.Advance(ctx, lease, progress) })
}

// BeginDeletion implements ledger.Store.
func (s store) BeginDeletion(ctx context.Context, id tenant.ID, claim string, events []event.Event) (t ledger.Tenant, err error) {
	err = s.herald.around(ctx, "BeginDeletion", func() error {
		t, err = s.Store.BeginDeletion(ctx, id, claim, events)
		return err
	})
	return t, err
}

// Tombstone implements ledger.Store.
func (s store) Tombstone(ctx context.Context, lease ledger.Lease, events []event.Event, evidence []ledger.Evidence) error {
	return s.herald.around(ctx, "Tombstone", func() error { return s.Store.Tombstone(ctx, lease, events, evidence) })
}
