package powerdns

import (
	"fmt"

	"github.com/tenantplane/terraform-provider-tenant/internal/backend"
	"github.com/tenantplane/terraform-provider-tenant/internal/component/domain"
	"github.com/tenantplane/terraform-provider-tenant/internal/fault"
)

// conflict is the fault for a set of somebody else's in the way of ours.
func conflict(target backend.Target, set domain.RRSet, h held) *fault.Fault {
	found := fmt.Sprintf("%s exists already %s, wanted %s %q", h, owner(h), set.Type, set.Values)
	action := `remove it, choose another hostname, or set adopt = "overwrite" to take it over`
	if h.set.Type != set.Type {
		found += "; a CNAME stands alone at its name"
		action = "remove it, or choose another hostname or destination"
	}
	return fault.NewConflict("domain.conflict", target.Path, found, action)
}

// owner says whose a set is.
func owner(h held) string {
	if h.marker.IsZero() {
		return "without a marker of ours"
	}
	return fmt.Sprintf("and belongs to tenant %s of installation %s in region %q",
		h.marker.Tenant, h.marker.Installation, h.marker.Region)
}

// apexFault refuses a CNAME where the zone's own SOA and NS stand.
func apexFault(set domain.RRSet, z zone) *fault.Fault {
	if set.Type != domain.CNAME || set.Name != z.name {
		return nil
	}
	return fault.NewTerminal("domain.cname_at_apex", "domain.hostname",
		fmt.Sprintf("%s is the zone itself, where SOA and NS stand, and a CNAME stands alone at its name", set.Name),
		"use addresses instead of target, or a hostname below the zone")
}

// Codes that are told apart inside this package.
const (
	codeRefused     = "domain.refused"
	codeZoneUnknown = "domain.zone_unknown"
)

// unserved turns the API's 404 for a zone into what it means: a mistake in the
// configuration, never the absence of a record.
func (b *powerDNS) unserved(z zone, name string, err error) error {
	if !fault.Is(err, fault.NotFound) {
		return err
	}
	b.zones.forget()
	f := fault.NewTerminal(codeZoneUnknown, "domain.hostname",
		fmt.Sprintf("PowerDNS does not serve the zone %s of %s", z.name, name),
		fmt.Sprintf("create the zone, or correct %s.%s or %s", b.api.path, optionZone, optionServerID))
	f.BackendWide = z.name == b.zones.fixed
	return f
}
