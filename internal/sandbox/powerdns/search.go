package powerdns

import (
	"encoding/json"
	"fmt"
	"net/http"
	"path"
	"strings"

	"github.com/tenantplane/terraform-provider-tenant/internal/sandbox/gate"
	"github.com/tenantplane/terraform-provider-tenant/internal/sandbox/state"
)

// foundRecord is one line of an answer to a search.
type foundRecord struct {
	Content    string `json:"content"`
	Disabled   bool   `json:"disabled"`
	Name       string `json:"name"`
	ObjectType string `json:"object_type"`
	TTL        uint32 `json:"ttl"`
	Type       string `json:"type"`
	Zone       string `json:"zone"`
	ZoneID     string `json:"zone_id"`
}

// search answers GET /search-data for records: "*" and "?" in q are wildcards,
// names and contents are searched without regard to case and without the final
// dot (manual, "Searching").
func search(tx *state.Tx, call *gate.Call) (gate.Answer, error) {
	pattern := strings.ToLower(strings.TrimSuffix(call.Query.Get("q"), "."))
	if pattern == "" {
		return gate.Answer{}, unprocessable("Query q can't be blank")
	}
	objects, err := tx.Containing(Name, kindRRset, literal(pattern))
	if err != nil {
		return gate.Answer{}, err
	}
	found := []foundRecord{}
	for _, o := range objects {
		if o.HiddenAt(call.Now) {
			continue
		}
		var set rrset
		if err := json.Unmarshal(o.Body, &set); err != nil {
			return gate.Answer{}, fmt.Errorf("decode rrset %s: %w", o.ID, err)
		}
		zone, _, _ := strings.Cut(o.ID, "/")
		for _, r := range set.Records {
			if matches(pattern, set.Name) || matches(pattern, r.Content) {
				found = append(found, foundRecord{
					Content: r.Content, Disabled: r.Disabled, Name: set.Name, ObjectType: "record",
					TTL: set.TTL, Type: set.Type, Zone: zone, ZoneID: zone,
				})
			}
		}
	}
	return gate.JSON(http.StatusOK, found), nil
}

// literal is the longest part of a pattern without wildcards: what matches has
// it somewhere. A zone may hold thousands of records, and few are worth a look.
func literal(pattern string) string {
	longest := ""
	for _, part := range strings.FieldsFunc(pattern, func(r rune) bool { return r == '*' || r == '?' }) {
		if len(part) > len(longest) {
			longest = part
		}
	}
	return longest
}

// matches compares with wildcards; names hold nothing else that path.Match
// would take for one.
func matches(pattern, text string) bool {
	matched, err := path.Match(pattern, strings.ToLower(strings.TrimSuffix(text, ".")))
	return err == nil && matched
}
