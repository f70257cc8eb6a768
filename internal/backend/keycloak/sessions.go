package keycloak

import (
	"context"
	"fmt"
	"net/http"

	"github.com/tenantplane/terraform-provider-tenant/internal/fault"
)

type member struct {
	ID string `json:"id"`
}

// endSessions signs out every member of an organization and returns their
// number. Disabling alone lets an access token live to its end and a member
// who also belongs elsewhere keep the session.
func (c *client) endSessions(ctx context.Context, id string) (int, *fault.Fault) {
	list := request{verb: "list members of organization " + id, method: http.MethodGet, path: []string{organizations, id, "members"}}
	members, f := pages(ctx, c, list, func(m member) string { return m.ID })
	if f != nil {
		return 0, f
	}
	for _, m := range members {
		if f := c.signOut(ctx, m.ID); f != nil {
			return 0, f
		}
	}
	return len(members), nil
}

// signOut ends the sessions of one user. A user who is gone has none.
func (c *client) signOut(ctx context.Context, user string) *fault.Fault {
	r := request{verb: "sign out user " + user, method: http.MethodPost, path: []string{"users", user, "logout"}}
	got, f := c.call(ctx, r, http.StatusNoContent)
	switch {
	case got.status == http.StatusNotFound && isMessage(got.body, "User not found"):
		return nil
	case got.status == http.StatusForbidden:
		return fault.NewTerminal("keycloak.forbidden", c.path,
			fmt.Sprintf("client %q may not sign users out in realm %q", c.tokens.clientID, c.realm),
			"give its service account the realm-management role manage-users")
	}
	return f
}
