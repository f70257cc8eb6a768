// Package postgres keeps a tenant's database on a PostgreSQL server, version 15
// or later.
//
// # What a tenant gets
//
// A container and two roles. The container is a schema in the database that
// the URL names, or, for isolation "database", a database of the tenant's own
// whose schema "public" takes the schema's part. The container belongs to the
// user of the URL (the admin), not to the tenant's owner role: so nobody who
// acts for the tenant can drop it, take its marker off or grant access back
// after it was switched off.
//
// The roles ‹name›_owner and ‹name›_reader are groups: no LOGIN, no password.
// No secret is made here, hence none has to be kept, and one login role of an
// application can serve many tenants. A platform team lets it in with
//
//	GRANT tnt_acme_prod_owner TO app;   -- then SET ROLE tnt_acme_prod_owner
//
// The owner may use and create in the schema and owns what it makes. The
// reader can select from whatever the owner makes, now and later. Grants to
// further roles are the DBA's business: they are neither reported nor repaired,
// but go when access is switched off. A role that was given LOGIN by hand keeps
// it, except while access is off.
//
// # Markers
//
// The marker is one line of the COMMENT on the container and on each role;
// what people add on other lines stays. A database is made closed to
// connections and opened after it is marked; that is how one whose creation
// was cut short is told from a stranger's.
//
// # Seeds
//
// Seeds run as the owner role, in the same transaction as the grants, once per
// name and content. The table tenant_provider_seed in the tenant's schema
// remembers what ran; it does not count as the tenant's data.
//
// # Concurrency
//
// Every call opens its own connection and closes it: an idle one would hinder
// CREATE and DROP DATABASE. Calls that change something hold an advisory lock
// on the tenant's name in the database of the URL. For isolation "database" it
// is a session's lock, so the URL must not lead through a transaction pooler.
package postgres
