// Package keycloak keeps a tenant's organization in a realm of Keycloak 26,
// over the Organizations part of its admin REST API, as a service account.
//
// What the package relies on, read from OrganizationsResource,
// OrganizationResource and JpaOrganizationProvider and seen on 26.5.6:
//
//   - A create has no idempotency key. Alias and name are unique in a realm
//     (409), a domain belongs to one organization (400); two creates at once
//     may get 500 for one of them.
//   - The query parameter q matches attributes, and the alias, exactly and case
//     by case. Its parser treats : " \ and blanks specially, drops what it
//     cannot read and then matches everything, and fails on a final backslash.
//     So only ids and aliases are ever put into q, whose alphabets hold none of
//     these, and every answer is checked again here.
//   - Lists give ten items unless asked otherwise, and no attributes without
//     briefRepresentation=false.
//   - A PUT replaces domains, redirect URL and attributes as a whole and
//     refuses a changed or missing alias.
//   - A 404 may also mean that the realm is unknown or that organizations are
//     switched off in it; only the message tells.
package keycloak
