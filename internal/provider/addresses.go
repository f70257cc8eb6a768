package provider

import (
	"sync"

	"github.com/tenantplane/terraform-provider-tenant/internal/tenant"
)

// role is what one resource address is about to do with a tenant.
type role int

const (
	creating role = iota
	keeping
	replacing
	destroying
)

// addresses notices when two addresses of one walk want the same tenant. The
// protocol does not tell a provider the addresses, but each one's planning
// calls come as kept, replaced or destroyed with a prior state, and as created
// without one; a creation beside any of the others is a second address, unless
// it is the second half of a replacement.
type addresses struct {
	mu       sync.Mutex
	created  map[tenant.ID]bool
	managed  map[tenant.ID]bool
	replaced map[tenant.ID]bool
	applied  map[tenant.ID]bool
	names    map[objectName]tenant.ID
}

// objectName is the name of an external object of some component.
type objectName struct{ component, name string }

func newAddresses() *addresses {
	return &addresses{
		created: map[tenant.ID]bool{}, managed: map[tenant.ID]bool{}, replaced: map[tenant.ID]bool{}, applied: map[tenant.ID]bool{},
		names: map[objectName]tenant.ID{},
	}
}

// plan records a planning call and tells whether it is the only address that
// wants the tenant.
func (a *addresses) plan(id tenant.ID, r role) bool {
	a.mu.Lock()
	defer a.mu.Unlock()
	if r != creating {
		a.managed[id] = true
		a.replaced[id] = a.replaced[id] || r == replacing
		return !a.created[id] || a.replaced[id]
	}
	alone := !a.created[id] && (!a.managed[id] || a.replaced[id])
	a.created[id] = true
	return alone
}

// name records the wish for an external name and returns the tenant that had
// it first: two tenants of one walk with one host name would both find it free.
func (a *addresses) name(component, name string, id tenant.ID) tenant.ID {
	a.mu.Lock()
	defer a.mu.Unlock()
	key := objectName{component, name}
	if _, taken := a.names[key]; !taken {
		a.names[key] = id
	}
	return a.names[key]
}

// isReplaced tells whether the tenant is being replaced in this walk.
func (a *addresses) isReplaced(id tenant.ID) bool {
	a.mu.Lock()
	defer a.mu.Unlock()
	return a.replaced[id]
}

// apply records a create and tells whether it is the first for the tenant.
func (a *addresses) apply(id tenant.ID) bool {
	a.mu.Lock()
	defer a.mu.Unlock()
	first := !a.applied[id]
	a.applied[id] = true
	return first
}
