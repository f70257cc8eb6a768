package keycloak

import (
	"context"
	"strconv"
	"strings"

	"github.com/tenantplane/terraform-provider-tenant/internal/backend"
	"github.com/tenantplane/terraform-provider-tenant/internal/fault"
)

const alreadyAbsent = "already absent"

// Remove implements backend.Backend. Users stay in the realm: Keycloak deletes
// with an organization only those its identity providers manage.
func (b *Backend) Remove(ctx context.Context, removal backend.Removal) (backend.Receipt, error) {
	receipt, f := b.remove(ctx, removal.Target, removal.TakeUnmarked)
	if f != nil {
		return backend.Receipt{}, failed("remove", removal.Target, f)
	}
	return receipt, nil
}

func (b *Backend) remove(ctx context.Context, t backend.Target, takeUnmarked bool) (backend.Receipt, *fault.Fault) {
	found, f := b.ours(ctx, t, takeUnmarked)
	switch {
	case absent(f):
		return backend.Receipt{Outcome: alreadyAbsent}, nil
	case f != nil:
		return backend.Receipt{}, f
	}
	if f := b.client.remove(ctx, found.ID); f != nil {
		return backend.Receipt{}, f
	}
	return backend.Receipt{Outcome: "deleted", Details: details(found)}, nil
}

// Disable implements backend.Disabler: nobody signs in through a disabled
// organization, and its members' sessions end.
func (b *Backend) Disable(ctx context.Context, t backend.Target, _ string) (backend.Receipt, error) {
	receipt, f := b.disable(ctx, t)
	if f != nil {
		return backend.Receipt{}, failed("disable", t, f)
	}
	return receipt, nil
}

func (b *Backend) disable(ctx context.Context, t backend.Target) (backend.Receipt, *fault.Fault) {
	// An id names one organization for ever: a recorded one is ours even when
	// somebody cleared its attributes.
	found, f := b.ours(ctx, t, t.ExternalID != "")
	if f == nil && found.Enabled {
		found.Enabled = false
		_, f = b.client.put(ctx, found)
	}
	var members int
	if f == nil {
		members, f = b.client.endSessions(ctx, found.ID)
	}
	switch {
	case absent(f):
		return backend.Receipt{Outcome: alreadyAbsent}, nil
	case f != nil:
		return backend.Receipt{}, f
	}
	receipt := backend.Receipt{Outcome: "disabled", Details: details(found)}
	receipt.Details["members_signed_out"] = strconv.Itoa(members)
	return receipt, nil
}

// ours reads the target and refuses it unless it carries our marker, or none
// where takeUnmarked allows that.
func (b *Backend) ours(ctx context.Context, t backend.Target, takeUnmarked bool) (organization, *fault.Fault) {
	found, f := b.client.locate(ctx, t)
	if f != nil {
		return organization{}, f
	}
	if m := found.marker(); m != t.Marker() && !(m.IsZero() && takeUnmarked) {
		return organization{}, notOurs(t, found)
	}
	return found, nil
}

func absent(f *fault.Fault) bool { return f != nil && f.Kind == fault.NotFound }

// details is what the evidence says of an organization.
func details(o organization) map[string]string {
	return map[string]string{
		"organization_id": o.ID,
		"alias":           o.Alias,
		"domains":         strings.Join(o.domains(), " "),
	}
}
