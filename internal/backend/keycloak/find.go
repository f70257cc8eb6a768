package keycloak

import (
	"context"
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strconv"

	"github.com/tenantplane/terraform-provider-tenant/internal/backend"
	"github.com/tenantplane/terraform-provider-tenant/internal/backend/transport"
	"github.com/tenantplane/terraform-provider-tenant/internal/fault"
	"github.com/tenantplane/terraform-provider-tenant/internal/tenant"
)

// pageSize is how many items a list is asked for at once.
const pageSize = 100

const organizations = "organizations"

// byID reads one organization; NotFound when Keycloak says it is absent.
func (c *client) byID(ctx context.Context, id string) (organization, *fault.Fault) {
	r := request{verb: "read organization " + id, method: http.MethodGet, path: []string{organizations, id}}
	got, f := c.call(ctx, r, http.StatusOK)
	if f != nil {
		return organization{}, f
	}
	var found organization
	if err := transport.DecodeJSON(r.verb, got.body, false, &found); err != nil {
		return organization{}, fault.From(err)
	}
	if found.ID != id {
		return organization{}, unexpected(r)
	}
	return found, nil
}

// byMarker returns the organizations that carry the installation and the
// tenant of m, in whatever region.
func (c *client) byMarker(ctx context.Context, m tenant.Marker) ([]organization, *fault.Fault) {
	q := fmt.Sprintf("%s:%s %s:%s", tenant.MarkerTenant, m.Tenant, tenant.MarkerInstallation, m.Installation)
	return c.list(ctx, url.Values{"q": {q}}, func(o organization) bool {
		found := o.marker()
		return found.Tenant == m.Tenant && found.Installation == m.Installation
	})
}

// byAlias returns the organization with exactly this alias, if there is one.
func (c *client) byAlias(ctx context.Context, alias string) ([]organization, *fault.Fault) {
	return c.list(ctx, url.Values{"q": {"alias:" + alias}}, func(o organization) bool { return o.Alias == alias })
}

// byName returns the organization with exactly this name, if there is one.
func (c *client) byName(ctx context.Context, name string) ([]organization, *fault.Fault) {
	return c.list(ctx, exactly(name), func(o organization) bool { return o.Name == name })
}

// byDomain returns the organizations that own a canonical domain. Keycloak
// promises at most one, but two creates at the same instant can give two.
func (c *client) byDomain(ctx context.Context, name string) ([]organization, *fault.Fault) {
	return c.list(ctx, exactly(name), func(o organization) bool { return slices.Contains(o.domains(), name) })
}

// exactly searches names and domains for the whole text.
func exactly(text string) url.Values { return url.Values{"search": {text}, "exact": {"true"}} }

// list reads a list to its end and keeps what matches.
func (c *client) list(ctx context.Context, query url.Values, matches func(organization) bool) ([]organization, *fault.Fault) {
	query.Set("briefRepresentation", "false")
	r := request{verb: "search organizations", method: http.MethodGet, path: []string{organizations}, query: query}
	all, f := pages(ctx, c, r, func(o organization) string { return o.ID })
	if f != nil {
		return nil, f
	}
	return slices.DeleteFunc(all, func(o organization) bool { return !matches(o) }), nil
}

// pages reads all pages of a list. A server that gives the same page for ever
// is found out by an item that comes twice.
func pages[T any](ctx context.Context, c *client, r request, id func(T) string) ([]T, *fault.Fault) {
	var all []T
	seen := map[string]bool{}
	if r.query == nil {
		r.query = url.Values{}
	}
	r.query.Set("max", strconv.Itoa(pageSize))
	for {
		r.query.Set("first", strconv.Itoa(len(all)))
		got, f := c.call(ctx, r, http.StatusOK)
		if f != nil {
			return nil, f
		}
		var page []T
		if err := transport.DecodeJSON(r.verb, got.body, false, &page); err != nil {
			return nil, fault.From(err)
		}
		for _, item := range page {
			if seen[id(item)] {
				return nil, fault.NewRetryable("keycloak.list_moved", r.verb+": the list changed while it was read", nil)
			}
			seen[id(item)] = true
		}
		all = append(all, page...)
		if len(page) < pageSize {
			return all, nil
		}
	}
}

// locate finds a target: by its recorded id alone, otherwise by its marker and
// then by its alias, whoever made it. Absent gives NotFound.
func (c *client) locate(ctx context.Context, t backend.Target) (organization, *fault.Fault) {
	if t.ExternalID != "" {
		return c.byID(ctx, t.ExternalID)
	}
	found, f := c.byMarker(ctx, t.Marker())
	if f == nil && len(found) == 0 && t.Name != "" {
		found, f = c.byAlias(ctx, t.Name)
	}
	switch {
	case f != nil:
		return organization{}, f
	case len(found) == 0:
		return organization{}, fault.NewNotFound("keycloak.organization_absent",
			fmt.Sprintf("realm %q has no organization of tenant %s", c.realm, t.Subject.ID))
	case len(found) > 1:
		return organization{}, several(t, found)
	}
	return found[0], nil
}

func several(t backend.Target, found []organization) *fault.Fault {
	return fault.NewTerminal("identity.organization_twice", t.Path,
		fmt.Sprintf("%d organizations carry the marker of this tenant, among them %s and %s", len(found), found[0].ID, found[1].ID),
		"keep one and take the attributes tenant-id and tenant-installation off the others, or delete them")
}
