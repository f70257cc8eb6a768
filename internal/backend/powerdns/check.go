package powerdns

import (
	"context"
	"slices"

	"github.com/tenantplane/terraform-provider-tenant/internal/backend"
	"github.com/tenantplane/terraform-provider-tenant/internal/component/domain"
	"github.com/tenantplane/terraform-provider-tenant/internal/fault"
)

// Check implements backend.Checker: the zone exists, a CNAME is not asked for
// at its apex, and no stranger's record of another type is in the way. What
// stands in the object's own place is for the engine to judge.
func (b *powerDNS) Check(ctx context.Context, wants []backend.Want) []*fault.Fault {
	var faults []*fault.Fault
	for _, want := range wants {
		f := b.checkOne(ctx, want)
		if f == nil {
			continue
		}
		faults = append(faults, f)
		if f.BackendWide {
			break // the others would say the same
		}
	}
	return faults
}

func (b *powerDNS) checkOne(ctx context.Context, want backend.Want) *fault.Fault {
	set, err := domain.ParseFields(want.Fields)
	if err != nil {
		return fault.From(err)
	}
	want.Name, want.ExternalID = set.Name, ""
	s, err := b.look(ctx, want.Target)
	if err != nil {
		return fault.From(err)
	}
	if f := apexFault(set, s.zone); f != nil {
		return f
	}
	for _, h := range s.here {
		stranger := h.marker != want.Marker() && !slices.Contains(domain.Types(want.Object), h.set.Type)
		if stranger && clash(h.set.Type, set.Type) {
			return conflict(want.Target, set, h)
		}
	}
	return nil
}
