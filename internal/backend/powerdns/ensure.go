package powerdns

import (
	"context"
	"fmt"

	"github.com/tenantplane/terraform-provider-tenant/internal/backend"
	"github.com/tenantplane/terraform-provider-tenant/internal/component/domain"
	"github.com/tenantplane/terraform-provider-tenant/internal/fault"
)

// Ensure implements backend.Backend. A change of the type is one transaction;
// a change of the name writes the new record before it removes the old one, so
// that users always find one of them.
func (b *powerDNS) Ensure(ctx context.Context, want backend.Want) (backend.Observation, error) {
	if want.ExternalID == "" && want.Observed != nil {
		want.ExternalID = want.Observed.ExternalID
	}
	got, err := b.ensure(ctx, want)
	return got, wrap("ensure", want.Target, err)
}

func (b *powerDNS) ensure(ctx context.Context, want backend.Want) (backend.Observation, error) {
	set, err := domain.ParseFields(want.Fields)
	if err != nil {
		return backend.Observation{}, fault.NewTerminal("domain.spec_invalid", "domain", err.Error(), "this is a defect of the provider; please report it")
	}
	want.Name = set.Name
	s, err := b.look(ctx, want.Target)
	if err != nil {
		return backend.Observation{}, err
	}
	w, err := newWrite(want, set, s)
	if err != nil {
		return backend.Observation{}, err
	}
	if want.Observed != nil && w.foundNothing() {
		return backend.Observation{}, absent(want.Target)
	}
	if w.current == nil {
		if err := b.hiddenStranger(ctx, want.Target, set, s.zone); err != nil {
			return backend.Observation{}, err
		}
	}
	if len(w.changes) > 0 {
		if _, err := b.patch(ctx, want.Target, s.zone, w.changes...); err != nil {
			return backend.Observation{}, err
		}
	}
	for _, former := range w.formers {
		if _, err := b.patch(ctx, want.Target, former.zone, former.deletion()); err != nil {
			return backend.Observation{}, err
		}
	}
	if len(w.changes) == 0 {
		return w.current.observation(), nil
	}
	return b.confirm(ctx, want, set, s.zone)
}

// patch applies changes and returns the zone's new serial.
func (b *powerDNS) patch(ctx context.Context, target backend.Target, z zone, changes ...wireSet) (string, error) {
	serial, err := b.api.patchZone(ctx, z.id, changes...)
	if f := fault.From(err); f != nil && f.Code == codeRefused {
		f.Path = target.Path
	}
	return serial, b.unserved(z, target.Name, err)
}

// hiddenStranger looks for records of the wanted name and type that a person
// switched off: PowerDNS 4.7 does not show them, and a write would destroy
// them. Ours are known by their comment, which it does show.
func (b *powerDNS) hiddenStranger(ctx context.Context, target backend.Target, set domain.RRSet, z zone) error {
	found, err := b.api.search(ctx, set.Name)
	if err != nil {
		return b.unserved(z, set.Name, err)
	}
	for _, record := range found {
		if record.Disabled && record.Type == set.Type && domain.Served(record.Name) == set.Name && domain.Served(record.Zone) == z.name {
			return fault.NewConflict("domain.conflict", target.Path,
				fmt.Sprintf("%s %s %q exists already without a marker of ours, and is disabled", set.Name, set.Type, record.Content),
				"remove it from PowerDNS, or choose another hostname")
		}
	}
	return nil
}

// confirm reads what is stored now. Another writer may have come between the
// read and the write, which PowerDNS cannot prevent, so the marker is checked.
func (b *powerDNS) confirm(ctx context.Context, want backend.Want, set domain.RRSet, z zone) (backend.Observation, error) {
	sets, err := b.read(ctx, z, set.Name)
	if err != nil {
		return backend.Observation{}, err
	}
	for _, h := range sets {
		if h.set.Type != set.Type {
			continue
		}
		if h.marker != want.Marker() {
			return backend.Observation{}, conflict(want.Target, set, h)
		}
		return h.observation(), nil
	}
	return backend.Observation{}, fault.NewRetryable("domain.changed_meanwhile",
		fmt.Sprintf("%s %s was written and is gone again", set.Name, set.Type), nil)
}
