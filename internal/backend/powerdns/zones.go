package powerdns

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/tenantplane/terraform-provider-tenant/internal/component/domain"
	"github.com/tenantplane/terraform-provider-tenant/internal/fault"
)

// zonesLifetime is how long the list of zones is believed. It saves one call
// of two per record; a zone cut out of another is noticed this much later.
const zonesLifetime = 30 * time.Second

// shownZones bounds how many zones a message names.
const shownZones = 8

// zones finds the zone of a name. Zones are named by their A-labels, whatever
// the server's spelling.
type zones struct {
	api api
	now func() time.Time
	// fixed is the only zone to use; "" means any.
	fixed string

	mu     sync.Mutex
	known  []wireZone
	listed time.Time
}

// zone is one zone of the server.
type zone struct {
	// id is how the API names the zone in URLs.
	id string
	// name is the canonical name.
	name string
}

// of returns the zone a name belongs to: the longest one that ends it.
func (z *zones) of(ctx context.Context, name string) (zone, error) {
	if z.fixed != "" {
		if !within(name, z.fixed) {
			return zone{}, unknownZone(name, []string{z.fixed})
		}
		return zone{id: z.fixed, name: z.fixed}, nil
	}
	if list := z.cached(); list != nil {
		if found, ok := longest(list, name); ok {
			return found, nil
		}
	}
	list, err := z.api.listZones(ctx)
	if err != nil {
		return zone{}, err
	}
	z.remember(list)
	found, ok := longest(list, name)
	if !ok {
		return zone{}, unknownZone(name, names(list))
	}
	return found, nil
}

// cached returns the list of zones while it may be believed.
func (z *zones) cached() []wireZone {
	z.mu.Lock()
	defer z.mu.Unlock()
	if z.now().Sub(z.listed) >= zonesLifetime {
		return nil
	}
	return z.known
}

func (z *zones) remember(list []wireZone) {
	z.mu.Lock()
	defer z.mu.Unlock()
	z.known, z.listed = list, z.now()
}

// forget makes the next question ask the server again.
func (z *zones) forget() { z.remember(nil) }

func longest(list []wireZone, name string) (zone, bool) {
	var found zone
	for _, candidate := range list {
		canonical := domain.Served(candidate.Name)
		if within(name, canonical) && len(canonical) > len(found.name) {
			found = zone{id: candidate.ID, name: canonical}
		}
	}
	return found, found.name != ""
}

// within tells whether a canonical name is the zone's apex or below it.
func within(name, zone string) bool {
	return zone == "." || name == zone || strings.HasSuffix(name, "."+zone)
}

func names(list []wireZone) []string {
	var out []string
	for _, z := range list {
		out = append(out, domain.Served(z.Name))
	}
	slices.Sort(out)
	return out
}

func unknownZone(name string, known []string) *fault.Fault {
	shown := strings.Join(known[:min(len(known), shownZones)], ", ")
	switch rest := len(known) - shownZones; {
	case len(known) == 0:
		shown = "none at all"
	case rest > 0:
		shown += fmt.Sprintf(" and %d more", rest)
	}
	return fault.NewTerminal(codeZoneUnknown, "domain.hostname",
		fmt.Sprintf("there is no zone for %s; PowerDNS has %s", name, shown),
		"use a hostname in one of these zones, or create the zone")
}
