// Package sqlite keeps a SQLite file per tenant in a folder, for installations
// without a database server: the sandbox, edge sites, small products.
//
//	‹folder›/‹name›.db            the tenant's database
//	‹folder›/‹name›.db.disabled   the same while access is off
//	‹folder›/archive/…            archived databases, with the date in the name
//	‹folder›/.tenant.lock         held by the call that is changing something
//
// Whoever may open the file has all of it: there are no roles. The names and
// grants of the spec are kept in the file's own tables, tenant_provider_meta
// and tenant_provider_seed, so that both database backends report alike; those
// tables do not count as the tenant's data.
//
// Access is switched off by renaming the file, in one step, while no other
// connection is in a transaction. A program that holds the file open keeps it:
// an operating system does not take an open file away. Stop the application
// first.
//
// A file without any table is one whose creation was cut short, and counts as
// absent.
package sqlite
