package keycloak

import (
	"context"
	"net/http"
	"path"

	"github.com/tenantplane/terraform-provider-tenant/internal/backend"
	"github.com/tenantplane/terraform-provider-tenant/internal/component/identity"
	"github.com/tenantplane/terraform-provider-tenant/internal/fault"
)

func (b *Backend) ensure(ctx context.Context, want backend.Want) (organization, *fault.Fault) {
	if want.Observed != nil {
		return b.update(ctx, want)
	}
	// One exact look before the POST, which has no key: it finds what an
	// earlier call made although its answer was lost, also under another alias.
	found, f := b.client.byMarker(ctx, want.Marker())
	switch {
	case f != nil:
		return organization{}, f
	case len(found) > 1:
		return organization{}, several(want.Target, found)
	case len(found) == 1 && found[0].marker() != want.Marker():
		return organization{}, notOurs(want.Target, found[0])
	case len(found) == 1:
		return b.converge(ctx, want, found[0])
	}
	return b.create(ctx, want)
}

// create makes the organization. Ours may have come into being since the look,
// by another process; then that one is taken.
func (b *Backend) create(ctx context.Context, want backend.Want) (organization, *fault.Fault) {
	next := organization{}.toward(want)
	next.Alias = want.Fields.Get(identity.FieldAlias)
	r := request{verb: "create organization " + next.Alias, method: http.MethodPost, path: []string{organizations}, body: next}
	got, f := b.client.call(ctx, r, http.StatusCreated)
	switch {
	case got.status == http.StatusConflict || got.status == http.StatusBadRequest:
		return b.collide(ctx, want, f)
	case f != nil:
		return organization{}, f
	}
	stored, f := b.readBack(ctx, path.Base(got.header.Get("Location")))
	if f != nil {
		return organization{}, f
	}
	if f := b.sharesDomain(ctx, stored); f != nil {
		return organization{}, b.undo(ctx, stored, f)
	}
	return stored, nil
}

// undo takes back a create that reason speaks against. When that fails the
// organization stays, marked as ours, for the next pass to find.
func (b *Backend) undo(ctx context.Context, stored organization, reason *fault.Fault) *fault.Fault {
	if reason.Kind != fault.Terminal {
		return reason
	}
	if f := b.client.remove(ctx, stored.ID); f != nil {
		return f
	}
	return reason
}

// collide looks into a refused create: ours is converged, a stranger's is a
// fault that names the attribute to blame.
func (b *Backend) collide(ctx context.Context, want backend.Want, refused *fault.Fault) (organization, *fault.Fault) {
	found, f := b.client.byAlias(ctx, want.Fields.Get(identity.FieldAlias))
	switch {
	case f != nil:
		return organization{}, f
	case len(found) > 0 && found[0].marker() == want.Marker():
		return b.converge(ctx, want, found[0])
	case len(found) > 0:
		return organization{}, notOurs(want.Target, found[0])
	}
	return organization{}, b.explain(ctx, want, "", refused)
}

// update changes an organization the engine decided on after it saw it.
func (b *Backend) update(ctx context.Context, want backend.Want) (organization, *fault.Fault) {
	target := want.Target
	if target.ExternalID == "" {
		target.ExternalID = want.Observed.ExternalID
	}
	found, f := b.client.locate(ctx, target)
	if f != nil {
		return organization{}, f
	}
	if now := found.marker(); now != want.Marker() && now != want.Observed.Marker {
		return organization{}, notOurs(target, found)
	}
	return b.converge(ctx, want, found)
}

// converge puts the wanted content where it differs and returns what is stored.
func (b *Backend) converge(ctx context.Context, want backend.Want, found organization) (organization, *fault.Fault) {
	if alias := want.Fields.Get(identity.FieldAlias); alias != "" && alias != found.Alias {
		return organization{}, aliasFixed(found, alias)
	}
	if found.settled(want) {
		return found, nil
	}
	got, f := b.client.put(ctx, found.toward(want))
	switch {
	case got.status == http.StatusConflict || got.status == http.StatusBadRequest:
		return organization{}, b.explain(ctx, want, found.ID, f)
	case f != nil:
		return organization{}, f
	}
	stored, f := b.readBack(ctx, found.ID)
	if f != nil || !stored.gained(found) {
		return stored, f
	}
	return stored, b.sharesDomain(ctx, stored)
}
