package powerdns

import (
	"encoding/json"
	"fmt"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/tenantplane/terraform-provider-tenant/internal/sandbox/gate"
	"github.com/tenantplane/terraform-provider-tenant/internal/sandbox/state"
	"github.com/tenantplane/terraform-provider-tenant/internal/tenant"
)

// zoneBody is what a list of zones shows of one.
type zoneBody struct {
	Account        string   `json:"account"`
	Catalog        string   `json:"catalog"`
	DNSSEC         bool     `json:"dnssec"`
	EditedSerial   int64    `json:"edited_serial"`
	ID             string   `json:"id"`
	Kind           string   `json:"kind"`
	LastCheck      int64    `json:"last_check"`
	Masters        []string `json:"masters"`
	Name           string   `json:"name"`
	NotifiedSerial int64    `json:"notified_serial"`
	Serial         int64    `json:"serial"`
	URL            string   `json:"url"`
}

// zoneDetail is what a read of one zone shows.
type zoneDetail struct {
	zoneBody
	APIRectify       bool     `json:"api_rectify"`
	MasterTSIGKeyIDs []string `json:"master_tsig_key_ids"`
	NSEC3Narrow      bool     `json:"nsec3narrow"`
	NSEC3Param       string   `json:"nsec3param"`
	RRsets           *[]rrset `json:"rrsets,omitempty"`
	SlaveTSIGKeyIDs  []string `json:"slave_tsig_key_ids"`
	SOAEdit          string   `json:"soa_edit"`
	SOAEditAPI       string   `json:"soa_edit_api"`
}

type rrset struct {
	Comments []comment `json:"comments"`
	Name     string    `json:"name"`
	Records  []record  `json:"records"`
	TTL      uint32    `json:"ttl"`
	Type     string    `json:"type"`
}

type record struct {
	Content  string `json:"content"`
	Disabled bool   `json:"disabled"`
}

type comment struct {
	Account    string `json:"account"`
	Content    string `json:"content"`
	ModifiedAt int64  `json:"modified_at"`
}

// Seed makes a zone with SOA and NS unless it exists. The name needs no final
// dot.
func Seed(tx *state.Tx, name string, now time.Time) error {
	name = strings.ToLower(absolute(name))
	if _, found, err := loadZone(tx, name); err != nil || found {
		return err
	}
	z := zoneBody{ID: name, Name: name, Kind: "Native", Masters: []string{}, URL: "/api/v1/servers/localhost/zones/" + name}
	z.advance(now)
	soa := rrset{Name: name, Type: "SOA", TTL: 3600, Comments: []comment{}, Records: []record{{Content: soaContent(name, z.Serial)}}}
	ns := rrset{Name: name, Type: "NS", TTL: 3600, Comments: []comment{}, Records: []record{{Content: "ns1." + name}}}
	for _, set := range []rrset{soa, ns} {
		if err := saveRRset(tx, name, set); err != nil {
			return err
		}
	}
	return saveZone(tx, z)
}

func soaContent(zone string, serial int64) string {
	return fmt.Sprintf("a.misconfigured.dns.server.invalid. hostmaster.%s %d 10800 3600 604800 3600", zone, serial)
}

// advance counts the serial up, in the form YYYYMMDDnn (SOA-EDIT-API DEFAULT).
func (z *zoneBody) advance(now time.Time) {
	today, err := strconv.ParseInt(now.UTC().Format("20060102")+"01", 10, 64)
	if err != nil {
		panic(fmt.Sprintf("a date is a number: %v", err))
	}
	z.Serial = max(z.Serial+1, today)
	z.EditedSerial = z.Serial
}

func loadZone(tx *state.Tx, name string) (zoneBody, bool, error) {
	var z zoneBody
	o, found, err := tx.Get(Name, kindZone, name)
	if err != nil || !found {
		return z, false, err
	}
	if err := json.Unmarshal(o.Body, &z); err != nil {
		return z, false, fmt.Errorf("decode zone %s: %w", name, err)
	}
	return z, true, nil
}

func saveZone(tx *state.Tx, z zoneBody) error {
	body, err := json.Marshal(z)
	if err != nil {
		return fmt.Errorf("encode zone %s: %w", z.Name, err)
	}
	return tx.Put(state.Object{System: Name, Kind: kindZone, ID: z.Name, Name: z.Name, Live: true, Fixture: true, Body: body})
}

func rrsetID(zone, owner, kind string) string { return zone + "/" + owner + "/" + kind }

func saveRRset(tx *state.Tx, zone string, set rrset) error {
	body, err := json.Marshal(set)
	if err != nil {
		return fmt.Errorf("encode rrset %s: %w", set.Name, err)
	}
	return tx.Put(state.Object{
		System: Name, Kind: kindRRset, ID: rrsetID(zone, set.Name, set.Type), Name: set.Name + " " + set.Type,
		Marker: markerOf(set.Comments), Live: len(set.Records) > 0,
		Fixture: set.Name == zone && (set.Type == "SOA" || set.Type == "NS"), Body: body,
		Index: map[string][]string{"zone": {zone}, "owner": {zone + "/" + set.Name}},
	})
}

func markerOf(comments []comment) tenant.Marker {
	for _, c := range comments {
		if m := tenant.ParseMarker(c.Content); !m.IsZero() {
			return m
		}
	}
	return tenant.Marker{}
}

// rrsets returns the rrsets that a field finds; reads leave out what is still
// hidden at now, writes pass the zero time and see everything.
func rrsets(tx *state.Tx, field, value string, now time.Time) ([]rrset, error) {
	found, err := tx.Find(Name, kindRRset, field, value)
	if err != nil {
		return nil, err
	}
	sets := make([]rrset, 0, len(found))
	for _, o := range found {
		if !now.IsZero() && o.HiddenAt(now) {
			continue
		}
		var set rrset
		if err := json.Unmarshal(o.Body, &set); err != nil {
			return nil, fmt.Errorf("decode rrset %s: %w", o.ID, err)
		}
		sets = append(sets, set)
	}
	return sets, nil
}

func listZones(tx *state.Tx, call *gate.Call) (gate.Answer, error) {
	objects, err := tx.List(Name, kindZone)
	if err != nil {
		return gate.Answer{}, err
	}
	zones := []zoneBody{}
	for _, o := range objects {
		var z zoneBody
		if err := json.Unmarshal(o.Body, &z); err != nil {
			return gate.Answer{}, fmt.Errorf("decode zone %s: %w", o.ID, err)
		}
		if wanted := call.Query.Get("zone"); wanted == "" || strings.EqualFold(absolute(wanted), z.Name) {
			zones = append(zones, z)
		}
	}
	return gate.JSON(http.StatusOK, zones), nil
}

func readZone(tx *state.Tx, call *gate.Call, z zoneBody) (gate.Answer, error) {
	detail := zoneDetail{zoneBody: z, MasterTSIGKeyIDs: []string{}, SlaveTSIGKeyIDs: []string{}, SOAEditAPI: "DEFAULT"}
	if call.Query.Get("rrsets") != "false" {
		sets, err := rrsets(tx, "zone", z.Name, call.Now)
		if err != nil {
			return gate.Answer{}, err
		}
		sets = filter(sets, call.Query.Get("rrset_name"), call.Query.Get("rrset_type"))
		slices.SortStableFunc(sets, func(a, b rrset) int { return -compareOwner(a, b) })
		detail.RRsets = &sets
	}
	return gate.JSON(http.StatusOK, detail), nil
}

// filter keeps the rrset that is asked for. Like 4.7.3 it leaves behind the
// comments of every other one.
func filter(sets []rrset, name, kind string) []rrset {
	if name == "" && kind == "" {
		return sets
	}
	kept := []rrset{}
	for _, set := range sets {
		switch {
		case strings.EqualFold(absolute(name), set.Name) && (kind == "" || strings.EqualFold(kind, set.Type)):
			set.Name = absolute(name)
			kept = append(kept, set)
		case len(set.Comments) > 0:
			set.Records, set.TTL = []record{}, 0
			kept = append(kept, set)
		}
	}
	return kept
}

// compareOwner orders by the owner's name read backwards, then by type.
func compareOwner(a, b rrset) int {
	if order := strings.Compare(backwards(a.Name), backwards(b.Name)); order != 0 {
		return order
	}
	return strings.Compare(a.Type, b.Type)
}

func backwards(s string) string {
	raw := []byte(s)
	slices.Reverse(raw)
	return string(raw)
}
