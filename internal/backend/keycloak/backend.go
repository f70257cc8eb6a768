package keycloak

import (
	"context"
	"fmt"

	"github.com/tenantplane/terraform-provider-tenant/internal/backend"
	"github.com/tenantplane/terraform-provider-tenant/internal/fault"
)

// Backend keeps organizations in one realm. It also is a backend.Disabler and
// a backend.Checker.
type Backend struct {
	client *client
}

var (
	_ backend.Backend  = (*Backend)(nil)
	_ backend.Disabler = (*Backend)(nil)
	_ backend.Checker  = (*Backend)(nil)
)

// Capabilities implements backend.Backend: no keys, but exact lookups by
// marker and alias.
func (*Backend) Capabilities() backend.Capabilities {
	return backend.Capabilities{ExactLookup: true}
}

// Observe implements backend.Backend.
func (b *Backend) Observe(ctx context.Context, t backend.Target) (backend.Observation, error) {
	found, f := b.client.locate(ctx, t)
	if f != nil {
		return backend.Observation{}, failed("observe", t, f)
	}
	return found.observation(), nil
}

// Ensure implements backend.Backend.
func (b *Backend) Ensure(ctx context.Context, want backend.Want) (backend.Observation, error) {
	stored, f := b.ensure(ctx, want)
	if f != nil {
		return backend.Observation{}, failed("ensure", want.Target, f)
	}
	return stored.observation(), nil
}

// failed wraps a fault in the words of the contract. Terminal faults of the
// object that blame no attribute blame the object's.
func failed(verb string, t backend.Target, f *fault.Fault) error {
	if f.Path == "" && f.Kind == fault.Terminal {
		f.Path = t.Path
	}
	return fmt.Errorf("%s: %s organization: %w", vendor, verb, f)
}
