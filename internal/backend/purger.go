package backend

import "time"

// OutcomeDestroyed is the outcome of a Purge that destroyed something.
const OutcomeDestroyed = "destroyed"

// EndOf is when an archive may be destroyed: what its own note says under
// "retain_until", RFC 3339, or the removal's date where the note is silent.
func EndOf(note map[string]string, removal Removal) time.Time {
	if note["retain_until"] == "" && removal.RetainUntil.IsZero() {
		return removal.Now.AddDate(1, 0, 0) // nobody knows: not now
	}
	until, err := time.Parse(time.RFC3339, note["retain_until"])
	if err != nil {
		return removal.RetainUntil
	}
	return until
}
