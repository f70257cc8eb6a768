package database

import (
	"crypto/sha256"
	"encoding/hex"
	"strings"
)

// ObjectSchema is the name of the component's only object.
const ObjectSchema = "schema"

// The fields of the object, as compiled and as observed.
const (
	// FieldIsolation is how the tenant is kept apart; immutable.
	FieldIsolation = "isolation"
	// FieldName is the name of the schema or database.
	FieldName = "name"
	// FieldOwnerRole is the role that owns what the application makes.
	FieldOwnerRole = "owner_role"
	// FieldReaderRole is the role that may read it.
	FieldReaderRole = "reader_role"
	// FieldGrants lists what the two roles and the public may do with the
	// schema and the database, see Grants.
	FieldGrants = "grants"
	// FieldDefaultPrivileges lists what the reader gets on objects that the
	// owner will make, see DefaultPrivileges.
	FieldDefaultPrivileges = "default_privileges"
	// FieldSeed lists the seeds in force, in order, see SeedRef.
	FieldSeed = "seed"
)

// OwnerRole returns the name of the role that owns a tenant's objects.
// tenant.DatabaseName leaves room for the suffix.
func OwnerRole(name string) string { return name + "_owner" }

// ReaderRole returns the name of the role that may read a tenant's objects.
func ReaderRole(name string) string { return name + "_reader" }

// Grants returns what the roles may do, sorted, worded as in SQL with "owner",
// "reader" and "public" for the grantees. Neither list has anything for the
// public: a schema is closed by default, a database is closed on creation.
func Grants(isolation string) []string {
	if isolation == IsolationDatabase {
		return []string{
			"CONNECT ON DATABASE TO owner",
			"CONNECT ON DATABASE TO reader",
			"CREATE ON SCHEMA TO owner",
			"TEMPORARY ON DATABASE TO owner",
			"USAGE ON SCHEMA TO owner",
			"USAGE ON SCHEMA TO reader",
		}
	}
	return []string{
		"CREATE ON SCHEMA TO owner",
		"USAGE ON SCHEMA TO owner",
		"USAGE ON SCHEMA TO reader",
	}
}

// DefaultPrivileges returns what the reader gets on future objects of the
// owner, sorted.
func DefaultPrivileges() []string {
	return []string{"SELECT ON SEQUENCES TO reader", "SELECT ON TABLES TO reader"}
}

// seedRefDigits is how many hex digits of the hash stand in a seed reference:
// 64 bits, far beyond the number of versions one script will ever have.
const seedRefDigits = 16

// SeedHash is the SHA-256 of a script in hex. Line ends count as LF, so that a
// checkout on Windows does not make a seed run twice.
func SeedHash(sql string) string {
	sum := sha256.Sum256([]byte(strings.ReplaceAll(sql, "\r\n", "\n")))
	return hex.EncodeToString(sum[:])
}

// SeedRef names one version of a seed: "‹name›@‹first digits of its hash›".
func SeedRef(name, hash string) string { return name + "@" + hash[:seedRefDigits] }

// SeedName returns the name in a seed reference; names have no "@".
func SeedName(ref string) string {
	name, _, _ := strings.Cut(ref, "@")
	return name
}
