package powerdns

import (
	"encoding/json"
	"fmt"
	"math"
	"net/http"
	"slices"
	"strconv"
	"strings"

	"github.com/tenantplane/terraform-provider-tenant/internal/sandbox/gate"
	"github.com/tenantplane/terraform-provider-tenant/internal/sandbox/state"
)

// change is one rrset of a PATCH, read as leniently as the real server does:
// fields that are looked at only when they are there stay raw.
type change struct {
	Name       *string         `json:"name"`
	Type       *string         `json:"type"`
	ChangeType *string         `json:"changetype"`
	TTL        json.RawMessage `json:"ttl"`
	Records    json.RawMessage `json:"records"`
	Comments   json.RawMessage `json:"comments"`
}

// editor applies the changes of one PATCH to a zone.
type editor struct {
	tx   *state.Tx
	call *gate.Call
	zone zoneBody
	seen map[string]bool
}

func patch(tx *state.Tx, call *gate.Call, z zoneBody) (gate.Answer, error) {
	changes, err := parseChanges(call.Body)
	if err != nil {
		return gate.Answer{}, err
	}
	e := &editor{tx: tx, call: call, zone: z, seen: map[string]bool{}}
	for _, c := range changes {
		if err := e.apply(c); err != nil {
			return gate.Answer{}, err
		}
	}
	return gate.Empty(http.StatusNoContent), e.count()
}

func parseChanges(body []byte) ([]change, error) {
	if !json.Valid(body) {
		return nil, plain(http.StatusBadRequest)
	}
	var document struct {
		RRsets json.RawMessage `json:"rrsets"`
	}
	_ = json.Unmarshal(body, &document) // a document that is no object has no rrsets
	raw, isList := elements(document.RRsets)
	if !isList {
		return nil, unprocessable("No rrsets given in update request")
	}
	changes := make([]change, len(raw))
	for i := range raw {
		_ = json.Unmarshal(raw[i], &changes[i]) // what has the wrong type counts as absent
	}
	return changes, nil
}

// elements reads a JSON list; false for anything else, null included.
func elements(raw json.RawMessage) ([]json.RawMessage, bool) {
	var list []json.RawMessage
	if err := json.Unmarshal(raw, &list); err != nil || list == nil {
		return nil, false
	}
	return list, true
}

// count notes the change in the zone's serial and SOA.
func (e *editor) count() error {
	e.zone.advance(e.call.Now)
	soas, err := rrsets(e.tx, "owner", e.zone.Name+"/"+e.zone.Name, noTime)
	if err != nil {
		return err
	}
	for _, set := range soas {
		if set.Type == "SOA" && len(set.Records) == 1 {
			fields := strings.Fields(set.Records[0].Content)
			fields[2] = strconv.FormatInt(e.zone.Serial, 10)
			set.Records[0].Content = strings.Join(fields, " ")
			if err := saveRRset(e.tx, e.zone.Name, set); err != nil {
				return err
			}
		}
	}
	return saveZone(e.tx, e.zone)
}

func (e *editor) apply(c change) error {
	for _, field := range []struct {
		name  string
		value *string
	}{{"changetype", c.ChangeType}, {"name", c.Name}, {"type", c.Type}} {
		if field.value == nil {
			return missing(field.name)
		}
	}
	name, err := ownerName(*c.Name)
	if err != nil {
		return err
	}
	what := fmt.Sprintf("RRset %s IN %s", *c.Name, strings.ToUpper(*c.Type))
	kind := strings.ToUpper(*c.Type)
	if !slices.Contains(types, kind) {
		return unprocessable(fmt.Sprintf("RRset %s IN %s: unknown type given", *c.Name, *c.Type))
	}
	verb := strings.ToUpper(*c.ChangeType)
	id := verb + " " + name + " " + kind
	if e.seen[id] {
		return unprocessable("Duplicate " + what + " with changetype: " + verb)
	}
	e.seen[id] = true
	switch verb {
	case "DELETE":
		return e.tx.Delete(Name, kindRRset, rrsetID(e.zone.Name, name, kind))
	case "REPLACE":
		return e.replace(c, rrset{Name: name, Type: kind}, what)
	default:
		return unprocessable("Changetype not understood")
	}
}

func missing(key string) error {
	return unprocessable("Key '" + key + "' not present or not a String")
}

func (e *editor) replace(c change, set rrset, what string) error {
	if set.Name != e.zone.Name && !strings.HasSuffix(set.Name, "."+e.zone.Name) {
		return unprocessable(what + ": Name is out of zone")
	}
	rawRecords, newRecords := elements(c.Records)
	rawComments, newComments := elements(c.Comments)
	if !newRecords && !newComments {
		return unprocessable("No change for " + what)
	}
	stored, err := e.stored(set)
	if err != nil {
		return err
	}
	set.TTL, set.Records, set.Comments = stored.TTL, stored.Records, stored.Comments
	if newRecords {
		if err := e.setRecords(&set, c.TTL, rawRecords, what); err != nil {
			return err
		}
	}
	if newComments {
		if set.Comments, err = e.comments(rawComments); err != nil {
			return err
		}
	}
	if len(set.Records) == 0 && (newRecords || len(set.Comments) == 0) {
		return e.tx.Delete(Name, kindRRset, rrsetID(e.zone.Name, set.Name, set.Type))
	}
	return saveRRset(e.tx, e.zone.Name, set)
}

// setRecords takes over new records and their TTL, which must be given even
// when there are none.
func (e *editor) setRecords(set *rrset, rawTTL json.RawMessage, raw []json.RawMessage, what string) (err error) {
	if set.TTL, err = ttl(rawTTL); err != nil {
		return err
	}
	if set.Records, err = records(*set, raw, what); err != nil {
		return err
	}
	return e.conflicts(*set, what)
}

// stored is the rrset as it is now; an empty one when there is none.
func (e *editor) stored(set rrset) (rrset, error) {
	before := rrset{Records: []record{}, Comments: []comment{}}
	o, found, err := e.tx.Get(Name, kindRRset, rrsetID(e.zone.Name, set.Name, set.Type))
	if err != nil || !found {
		return before, err
	}
	if err := json.Unmarshal(o.Body, &before); err != nil {
		return before, fmt.Errorf("decode rrset %s: %w", o.ID, err)
	}
	return before, nil
}

// conflicts refuses a CNAME beside anything else.
func (e *editor) conflicts(set rrset, what string) error {
	neighbours, err := rrsets(e.tx, "owner", e.zone.Name+"/"+set.Name, noTime)
	if err != nil {
		return err
	}
	for _, n := range neighbours {
		if n.Type != set.Type && len(n.Records) > 0 && (n.Type == "CNAME" || set.Type == "CNAME") {
			return unprocessable(what + ": Conflicts with pre-existing RRset")
		}
	}
	return nil
}

func (e *editor) comments(raw []json.RawMessage) ([]comment, error) {
	list := make([]comment, 0, len(raw))
	for _, one := range raw {
		var c struct {
			Account    *string `json:"account"`
			Content    *string `json:"content"`
			ModifiedAt *int64  `json:"modified_at"`
		}
		_ = json.Unmarshal(one, &c) // what has the wrong type counts as absent
		switch {
		case c.Content == nil:
			return nil, missing("content")
		case c.Account == nil:
			return nil, missing("account")
		}
		stamped := comment{Account: *c.Account, Content: *c.Content, ModifiedAt: e.call.Now.Unix()}
		if c.ModifiedAt != nil {
			stamped.ModifiedAt = *c.ModifiedAt
		}
		list = append(list, stamped)
	}
	return list, nil
}

// ttl reads a TTL as the real server does: a number or a number in quotes,
// negative ones wrapped around, too large ones cut to 2^31.
func ttl(raw json.RawMessage) (uint32, error) {
	text := string(raw)
	var quoted string
	if json.Unmarshal(raw, &quoted) == nil {
		text = quoted
	}
	if len(raw) == 0 || text == "null" {
		return 0, unprocessable("Key 'ttl' not an Integer or not present")
	}
	number, err := strconv.ParseFloat(text, 64)
	if err != nil {
		return 0, plain(http.StatusInternalServerError)
	}
	if number > math.MaxInt32 {
		return 1 << 31, nil
	}
	return uint32(int64(number)), nil
}
