package database

// The isolations.
const (
	// IsolationSchema gives the tenant a schema in a shared database; the default.
	IsolationSchema = "schema"
	// IsolationDatabase gives the tenant a database of its own.
	IsolationDatabase = "database"
)

// The component's own words on destruction, which override the tenant's
// deletion.data.
const (
	// OnDestroyArchive puts the data out of reach and keeps it.
	OnDestroyArchive = "archive"
	// OnDestroyCascade destroys whatever the database holds.
	OnDestroyCascade = "cascade"
)

// Spec is what the user wants of a tenant's database.
type Spec struct {
	// Isolation is IsolationSchema or IsolationDatabase; "" means the former.
	// It cannot change during a tenant's life.
	Isolation string `json:"isolation,omitempty"`
	// Seed lists scripts that run in order, each once per name and content.
	Seed []Seed `json:"seed,omitempty"`
	// OnDestroy is "", OnDestroyArchive or OnDestroyCascade; "" leaves the
	// decision to the tenant's deletion policy.
	OnDestroy string `json:"on_destroy,omitempty"`
	// Adopt is the user's word on a schema without our marker: "", "matching"
	// or "overwrite".
	Adopt string `json:"adopt,omitempty"`
}

// Seed is one SQL script. It runs as the tenant's owner role, inside one
// transaction with everything else, with the tenant's schema as the search
// path. A new content under an old name runs again; a seed that leaves the
// list is not undone.
type Seed struct {
	// Name identifies the script for people and in the record of what ran,
	// e.g. "roles.sql".
	Name string `json:"name"`
	// SQL is the script itself, at most MaxSeedBytes.
	SQL string `json:"sql"`
}
