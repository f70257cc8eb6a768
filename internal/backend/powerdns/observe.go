package powerdns

import (
	"context"
	"fmt"
	"slices"

	"github.com/tenantplane/terraform-provider-tenant/internal/backend"
	"github.com/tenantplane/terraform-provider-tenant/internal/component/domain"
	"github.com/tenantplane/terraform-provider-tenant/internal/fault"
)

// survey is everything the server holds where an object is or should be.
type survey struct {
	// zone is the zone of the target's name.
	zone zone
	// here are the sets at the target's name, of all types.
	here []held
	// there are the sets at the recorded name, when that is another one.
	there []held
	// recorded is the recorded id, "" for none.
	recorded string
}

// look reads the target's name and, when the object was last seen elsewhere,
// that place too. A recorded zone that PowerDNS no longer serves holds
// nothing; the zone of the target's name has to be there.
func (b *powerDNS) look(ctx context.Context, target backend.Target) (survey, error) {
	z, err := b.zones.of(ctx, target.Name)
	if err != nil {
		return survey{}, err
	}
	s := survey{zone: z, recorded: target.ExternalID}
	s.here, err = b.read(ctx, z, target.Name)
	if err != nil || target.ExternalID == "" {
		return s, err
	}
	at, err := parseLocation(target.ExternalID)
	if err != nil || at.zone == z.name && at.name == target.Name {
		return s, err
	}
	s.there, err = b.read(ctx, zone{id: at.zone, name: at.zone}, at.name)
	if err != nil && fault.From(err).Code != codeZoneUnknown {
		return survey{}, err
	}
	return s, nil
}

// read returns the record sets of one name.
func (b *powerDNS) read(ctx context.Context, z zone, name string) ([]held, error) {
	answer, err := b.api.readZone(ctx, z.id, name)
	if err != nil {
		return nil, b.unserved(z, name, err)
	}
	if got := domain.Served(answer.Name); got != z.name {
		return nil, fault.NewRetryable("backend.malformed", fmt.Sprintf("asked for zone %s, PowerDNS answered with %s", z.name, got), nil)
	}
	return heldSets(z, name, answer.RRSets), nil
}

// Observe implements backend.Backend.
func (b *powerDNS) Observe(ctx context.Context, target backend.Target) (backend.Observation, error) {
	s, err := b.look(ctx, target)
	if err != nil {
		return backend.Observation{}, wrap("observe", target, err)
	}
	found := s.object(target)
	if found == nil {
		return backend.Observation{}, wrap("observe", target, absent(target))
	}
	return found.observation(), nil
}

// object picks the set that is the object: the recorded one; else one with our
// marker, where it was first, since a move writes the new one before it
// removes the old; else whatever stands in its place.
func (s survey) object(target backend.Target) *held {
	types := domain.Types(target.Object)
	all := slices.Concat(s.there, s.here)
	for _, fits := range []func(held) bool{
		func(h held) bool { return h.externalID() == s.recorded },
		func(h held) bool { return h.marker == target.Marker() && slices.Contains(types, h.set.Type) },
		func(h held) bool { return h.set.Name == target.Name && slices.Contains(types, h.set.Type) },
	} {
		if i := slices.IndexFunc(all, fits); i >= 0 {
			return &all[i]
		}
	}
	return nil
}

func absent(target backend.Target) *fault.Fault {
	return fault.NewNotFound("domain.absent", fmt.Sprintf("PowerDNS holds no %v record set for %s", domain.Types(target.Object), target.Name))
}

// wrap puts the call and the object before an error.
func wrap(verb string, target backend.Target, err error) error {
	if err == nil {
		return nil
	}
	return fmt.Errorf("powerdns: %s %s.%s: %w", verb, target.Component, target.Object, err)
}
