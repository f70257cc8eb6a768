package powerdns

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/tenantplane/terraform-provider-tenant/internal/backend"
	"github.com/tenantplane/terraform-provider-tenant/internal/component/domain"
	"github.com/tenantplane/terraform-provider-tenant/internal/fault"
)

// Remove implements backend.Backend. It takes away every set of the object
// that carries our marker: the recorded one and what an interrupted change of
// name or type may have left.
func (b *powerDNS) Remove(ctx context.Context, removal backend.Removal) (backend.Receipt, error) {
	receipt, err := b.remove(ctx, removal)
	return receipt, wrap("remove", removal.Target, err)
}

func (b *powerDNS) remove(ctx context.Context, removal backend.Removal) (backend.Receipt, error) {
	s, err := b.look(ctx, removal.Target)
	if err != nil {
		return backend.Receipt{}, err
	}
	doomed, f := s.doomed(removal)
	if f != nil {
		return backend.Receipt{}, f
	}
	if len(doomed) == 0 {
		return backend.Receipt{Outcome: "already absent"}, nil
	}
	receipt := backend.Receipt{Outcome: "deleted", Details: map[string]string{}}
	for _, h := range doomed {
		serial, err := b.patch(ctx, removal.Target, h.zone, h.deletion())
		if err != nil {
			return backend.Receipt{}, err
		}
		receipt.Details[h.externalID()] = fmt.Sprintf("%s, ttl %d; zone serial %s", strings.Join(h.set.Values, " "), h.set.TTL, serial)
	}
	return receipt, nil
}

// doomed picks the sets to delete. Strangers are a conflict only where the
// object itself has to be: at its recorded id or, without one, at its name.
func (s survey) doomed(removal backend.Removal) ([]held, *fault.Fault) {
	var doomed []held
	for _, h := range slices.Concat(s.there, s.here) {
		if !slices.Contains(domain.Types(removal.Object), h.set.Type) {
			continue
		}
		isObject := h.externalID() == s.recorded || s.recorded == ""
		switch {
		case h.marker == removal.Marker():
			doomed = append(doomed, h)
		case isObject && h.marker.IsZero() && removal.TakeUnmarked:
			doomed = append(doomed, h)
		case isObject:
			return nil, fault.NewConflict("domain.conflict", removal.Path,
				fmt.Sprintf("%s exists %s and was left alone", h, owner(h)),
				"remove it by hand if nobody needs it")
		}
	}
	return doomed, nil
}
