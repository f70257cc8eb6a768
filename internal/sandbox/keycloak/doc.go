// Package keycloak plays the part of Keycloak 26 that a client of the
// Organizations API needs: the token endpoint with client_credentials, and the
// organizations of one realm.
//
// Behaviour follows OrganizationsResource, OrganizationResource,
// JpaOrganizationProvider and OrganizationAdapter of Keycloak's source, and
// answers other people captured from 26.5 and 26.7. What surprises clients:
//
//   - a create answers 201 with a Location and no body;
//   - a list shows no attributes unless briefRepresentation=false, and ten
//     organizations unless max says otherwise;
//   - a name without alias becomes the alias, so it must not hold a space;
//   - an update replaces everything but attributes, and an update without alias
//     means the alias that equals the name;
//   - a domain that is taken is a 400, a name or alias that is taken a 409;
//   - access tokens live for a minute.
package keycloak
