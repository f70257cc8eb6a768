package executor_test

import (
	"context"

	"github.com/tenantplane/terraform-provider-tenant/internal/backend"
)

// between stands between the executor and a real backend. nil functions do
// nothing.
type between struct {
	backend.Backend
	// look hears of a look, and may refuse it.
	look func(object string) error
	// before may refuse a changing call.
	before func(key string) error
	// after hears of a changing call that was answered.
	after func()
	// stored changes what Ensure says is stored.
	stored func(*backend.Observation)
}

func (b between) do(key string, call func() error) error {
	if b.before != nil {
		if err := b.before(key); err != nil {
			return err
		}
	}
	err := call()
	if b.after != nil {
		b.after()
	}
	return err
}

// Observe implements backend.Backend.
func (b between) Observe(ctx context.Context, target backend.Target) (backend.Observation, error) {
	if b.look != nil {
		if err := b.look(target.Component + "." + target.Object); err != nil {
			return backend.Observation{}, err
		}
	}
	return b.Backend.Observe(ctx, target)
}

// Ensure implements backend.Backend.
func (b between) Ensure(ctx context.Context, want backend.Want) (got backend.Observation, err error) {
	err = b.do(want.Key, func() error {
		got, err = b.Backend.Ensure(ctx, want)
		if err == nil && b.stored != nil {
			b.stored(&got)
		}
		return err
	})
	return got, err
}

// Remove implements backend.Backend.
func (b between) Remove(ctx context.Context, removal backend.Removal) (receipt backend.Receipt, err error) {
	err = b.do(removal.Key, func() error {
		receipt, err = b.Backend.Remove(ctx, removal)
		return err
	})
	return receipt, err
}

// Disable implements backend.Disabler where the real backend does.
func (b between) Disable(ctx context.Context, target backend.Target, key string) (receipt backend.Receipt, err error) {
	disabler, offered := b.Backend.(backend.Disabler)
	if !offered {
		return backend.Receipt{Outcome: "nothing to disable"}, nil
	}
	err = b.do(key, func() error {
		receipt, err = disabler.Disable(ctx, target, key)
		return err
	})
	return receipt, err
}

// Archive implements backend.Archiver for the backends that do.
func (b between) Archive(ctx context.Context, removal backend.Removal) (receipt backend.Receipt, err error) {
	err = b.do(removal.Key, func() error {
		receipt, err = b.Backend.(backend.Archiver).Archive(ctx, removal)
		return err
	})
	return receipt, err
}

// Purge implements backend.Purger for the backends that do.
func (b between) Purge(ctx context.Context, removal backend.Removal) (receipt backend.Receipt, err error) {
	err = b.do(removal.Key, func() error {
		receipt, err = b.Backend.(backend.Purger).Purge(ctx, removal)
		return err
	})
	return receipt, err
}

// place puts between in front of a component's backend.
func (s *stage) place(component string, b between) {
	s.through[component] = func(real backend.Backend) backend.Backend {
		b.Backend = real
		return b
	}
}

// placeAll puts between in front of every backend.
func (s *stage) placeAll(b between) {
	for _, component := range []string{"billing", "identity", "database", "storage", "domain"} {
		s.place(component, b)
	}
}
