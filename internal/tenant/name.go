package tenant

import (
	"crypto/sha256"
	"encoding/hex"
	"strings"
)

// Kind is a kind of external system with naming rules of its own. A derived
// name obeys the strictest rules known for its kind, not those of the backend
// in use, so that moving to a stricter backend never renames anything.
type Kind struct {
	separator string
	maxLength int
}

// The kinds names are derived for.
var (
	// DatabaseName serves PostgreSQL schemas, databases and roles and SQLite
	// files. PostgreSQL cuts identifiers at 63 bytes (NAMEDATALEN-1); seven
	// are kept free for role suffixes such as "_reader". No hyphens, so that
	// the name works unquoted everywhere.
	DatabaseName = Kind{separator: "_", maxLength: 56}
	// BucketName serves object stores: 3 to 63 bytes, lower case, no dots.
	BucketName = Kind{separator: "-", maxLength: 63}
	// OrganizationName serves identity providers; Auth0 allows 50 bytes and
	// Keycloak more.
	OrganizationName = Kind{separator: "-", maxLength: 50}
)

// prefix begins every derived name: it marks the object as a tenant's to a
// human eye and keeps names clear of reserved beginnings (pg_, xn--, digits).
const prefix = "tnt"

// hashLength is how many hex digits of SHA-256 stand in for what was cut off.
const hashLength = 12

// Name derives the name of kind k for a tenant. It is a pure function, stable
// across versions (see testdata/names.golden), and injective: a name shorter
// than the limit spells the id out, a name at the limit ends in a hash of it,
// so a spelled-out name and a hashed one can never be equal.
func (k Kind) Name(installation Installation, id ID) string {
	sep := k.separator
	body := strings.ReplaceAll(string(id), "-", sep)
	full := prefix + sep + body + sep + string(installation)
	if len(full) < k.maxLength {
		return full
	}
	sum := sha256.Sum256([]byte(id))
	tail := sep + hex.EncodeToString(sum[:])[:hashLength] + sep + string(installation)
	keep := k.maxLength - len(prefix) - len(sep) - len(tail)
	return prefix + sep + body[:keep] + tail
}
