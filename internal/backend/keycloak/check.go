package keycloak

import (
	"context"
	"net/http"
	"net/url"

	"github.com/tenantplane/terraform-provider-tenant/internal/backend"
	"github.com/tenantplane/terraform-provider-tenant/internal/component/identity"
	"github.com/tenantplane/terraform-provider-tenant/internal/fault"
)

// Check implements backend.Checker: the credentials work, the realm exists,
// organizations are on, and for organizations yet to be made no other one has
// their alias, name or domains.
func (b *Backend) Check(ctx context.Context, wants []backend.Want) []*fault.Fault {
	r := request{
		verb: "reach organizations", method: http.MethodGet,
		path: []string{organizations}, query: url.Values{"max": {"1"}},
	}
	if _, f := b.client.call(ctx, r, http.StatusOK); f != nil {
		return []*fault.Fault{f}
	}
	var faults []*fault.Fault
	for _, want := range wants {
		if want.ExternalID != "" || want.Observed != nil {
			continue
		}
		if f := b.checkFree(ctx, want); f != nil {
			faults = append(faults, f)
		}
	}
	return faults
}

// checkFree returns what a create of want would collide with; nil when it
// would not, or when ours exists already and would be taken.
func (b *Backend) checkFree(ctx context.Context, want backend.Want) *fault.Fault {
	found, f := b.client.locate(ctx, want.Target)
	switch {
	case absent(f):
		return b.explain(ctx, want, "", nil)
	case f != nil:
		return f
	case found.marker() != want.Marker():
		return notOurs(want.Target, found)
	case found.Alias != want.Fields.Get(identity.FieldAlias):
		return aliasFixed(found, want.Fields.Get(identity.FieldAlias))
	}
	return b.explain(ctx, want, found.ID, nil)
}
