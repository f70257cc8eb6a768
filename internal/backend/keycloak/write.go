package keycloak

import (
	"context"
	"fmt"
	"net/http"

	"github.com/tenantplane/terraform-provider-tenant/internal/fault"
)

// put replaces an organization.
func (c *client) put(ctx context.Context, next organization) (answer, *fault.Fault) {
	r := request{verb: "update organization " + next.ID, method: http.MethodPut, path: []string{organizations, next.ID}, body: next}
	return c.call(ctx, r, http.StatusNoContent)
}

// remove deletes an organization that was there a moment ago. So an absence
// now is our doing or as good as it: an earlier attempt whose answer was lost.
func (c *client) remove(ctx context.Context, id string) *fault.Fault {
	r := request{verb: "delete organization " + id, method: http.MethodDelete, path: []string{organizations, id}}
	if _, f := c.call(ctx, r, http.StatusNoContent); !absent(f) {
		return f
	}
	return nil
}

// readBack returns what is stored after a change. The change was made, so not
// being able to look leaves the outcome open.
func (b *Backend) readBack(ctx context.Context, id string) (organization, *fault.Fault) {
	stored, f := b.client.byID(ctx, id)
	if f != nil {
		return organization{}, unseen(id, f)
	}
	return stored, nil
}

// sharesDomain returns a fault when another organization has a domain of
// stored. Keycloak looks before it writes but has no constraint, so two writes
// at once can both succeed; from then on signing in with that domain fails.
func (b *Backend) sharesDomain(ctx context.Context, stored organization) *fault.Fault {
	for _, domain := range stored.domains() {
		found, f := b.client.byDomain(ctx, domain)
		if f != nil {
			return unseen(stored.ID, f)
		}
		if other, is := another(found, stored.ID); is {
			return domainTaken(domain, other)
		}
	}
	return nil
}

func unseen(id string, cause *fault.Fault) *fault.Fault {
	f := fault.NewAmbiguous("keycloak.not_read_back",
		fmt.Sprintf("organization %s was written and could not be looked at afterwards: %s", id, cause.Found), cause)
	f.RetryAfter, f.BackendWide = cause.RetryAfter, cause.BackendWide
	return f
}
