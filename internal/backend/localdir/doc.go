// Package localdir keeps tenants' storage in folders of one local or mounted
// file system, for installations without an object store.
//
//	‹path›/‹name›/                     a tenant's folder
//	‹path›/‹name›/.tenant.json         its marker and settings
//	‹path›/archive/‹name›.‹date›/      archived until that date
//	‹path›/.making-‹name›/             a creation that was interrupted
//	‹path›/.removing-‹name›/           a removal that was interrupted
//
// A folder is made whole and appears by a rename, so it is never without its
// marker. The path itself must exist and is never made: a file system that is
// not mounted must not look like one where every tenant is gone. Everything
// below it is reached through os.Root, so no symbolic link leads out.
package localdir
