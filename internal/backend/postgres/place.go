package postgres

import (
	"strings"
	"time"

	"github.com/tenantplane/terraform-provider-tenant/internal/component/database"
	"github.com/tenantplane/terraform-provider-tenant/internal/tenant"
)

// place is where a tenant's data lives, and under which names.
type place struct {
	name      string
	isolation string
	marker    tenant.Marker
	path      string
}

func (p place) isDatabase() bool { return p.isolation == database.IsolationDatabase }

// database is the database the tenant's schema is in.
func (p place) database() string {
	if p.isDatabase() {
		return p.name
	}
	return maintenance
}

// schema is the tenant's schema. In a database of the tenant's own it is
// "public", where applications and migration tools expect it.
func (p place) schema() string {
	if p.isDatabase() {
		return "public"
	}
	return p.name
}

func (p place) owner() string  { return database.OwnerRole(p.name) }
func (p place) reader() string { return database.ReaderRole(p.name) }

// container names the place in SQL: `SCHEMA "tnt_acme_prod"`.
func (p place) container() string { return containerKind(p.isolation) + " " + quote(p.name) }

func containerKind(isolation string) string {
	if isolation == database.IsolationDatabase {
		return "DATABASE"
	}
	return "SCHEMA"
}

// externalID says what the object is and how it is called. Objects are found
// by their deterministic name alone.
func (p place) externalID() string { return p.isolation + "/" + p.name }

// maxIdentifier is the length at which PostgreSQL cuts identifiers
// (NAMEDATALEN-1).
const maxIdentifier = 63

// archiveName is the name an archive gets: the tenant's name and the moment
// until which it is kept, so that a DBA sees what may go and when. What is too
// long is cut and gets a hash.
func archiveName(name string, retainUntil time.Time) string {
	suffix := "_kept"
	if !retainUntil.IsZero() {
		suffix = "_until_" + retainUntil.UTC().Format("20060102_150405")
	}
	if len(name)+len(suffix) <= maxIdentifier {
		return name + suffix
	}
	const digits = 12
	hash := database.SeedHash(name)[:digits]
	return name[:maxIdentifier-len(suffix)-digits-1] + "_" + hash + suffix
}

// comment is the text of a COMMENT: the marker on a line of its own, notes of
// ours, and whatever people wrote on other lines.
type comment string

// The notes.
const (
	// noteLoginOff: access was switched off and the role had LOGIN before.
	noteLoginOff = "tenant: login switched off, comes back with access"
	// noteArchived begins the note on an archive; the rest is the receipt's
	// details in JSON.
	noteArchived = "tenant: archived "
)

func (c comment) lines() []string {
	if c == "" {
		return nil
	}
	return strings.Split(string(c), "\n")
}

// marker returns the first marker in the comment; zero when there is none.
func (c comment) marker() tenant.Marker {
	for _, line := range c.lines() {
		if m := tenant.ParseMarker(strings.TrimSpace(line)); !m.IsZero() {
			return m
		}
	}
	return tenant.Marker{}
}

// marked returns the comment with m as its only marker.
func (c comment) marked(m tenant.Marker) comment {
	kept := []string{m.String()}
	for _, line := range c.lines() {
		if tenant.ParseMarker(strings.TrimSpace(line)).IsZero() {
			kept = append(kept, line)
		}
	}
	return comment(strings.Join(kept, "\n"))
}

// note returns the rest of the line that begins with a note.
func (c comment) note(note string) (rest string, found bool) {
	for _, line := range c.lines() {
		if rest, found = strings.CutPrefix(line, note); found {
			return rest, true
		}
	}
	return "", false
}

// with returns the comment with a line added.
func (c comment) with(line string) comment { return comment(string(c) + "\n" + line) }

// without returns the comment without the lines that begin with a note.
func (c comment) without(note string) comment {
	var kept []string
	for _, line := range c.lines() {
		if !strings.HasPrefix(line, note) {
			kept = append(kept, line)
		}
	}
	return comment(strings.Join(kept, "\n"))
}
