package identity

import (
	"encoding/json"
	"strings"

	"github.com/tenantplane/terraform-provider-tenant/internal/engine"
	"github.com/tenantplane/terraform-provider-tenant/internal/fault"
	"github.com/tenantplane/terraform-provider-tenant/internal/tenant"
)

// Names of the component and of its one object.
const (
	Name         = "identity"
	Organization = "organization"
)

// Attribute paths for messages.
const (
	PathAlias       = "identity.alias"
	PathDomains     = "identity.domains"
	PathRedirectURL = "identity.redirect_url"
)

// Component compiles identity specs. The zero value is ready.
type Component struct{}

var _ engine.Component = Component{}

// Name implements engine.Component.
func (Component) Name() string { return Name }

// DependsOn implements engine.Component: nobody gets to sign in before there
// is somebody to send the bill to.
func (Component) DependsOn() []string { return []string{"billing"} }

// Compile implements engine.Component. It returns one object,
// identity.organization, whose sign-in is switched off before anything of the
// tenant is removed. The deletion policy does not matter: an organization
// holds no data of its own.
func (Component) Compile(subject tenant.Subject, _ tenant.Deletion, raw json.RawMessage) ([]engine.Object, []*fault.Fault) {
	spec, malformed := parseSpec(raw)
	if malformed != nil {
		return nil, []*fault.Fault{malformed}
	}
	alias, name := spec.alias(subject), organizationName(subject)
	domains, faults := spec.canonicalDomains()
	for _, f := range []*fault.Fault{checkAlias(alias), checkName(name), checkRedirectURL(spec.RedirectURL)} {
		if f != nil {
			faults = append(faults, f)
		}
	}
	if len(faults) > 0 {
		return nil, faults
	}
	return []engine.Object{{
		ID:           engine.ObjectID{Component: Name, Object: Organization},
		Name:         alias,
		Path:         Name,
		Fields:       Content(alias, name, domains, spec.RedirectURL),
		Immutable:    []string{FieldAlias},
		Finalization: engine.Finalization{AccessOff: true},
		Spec:         raw,
	}}, nil
}

// organizationName is the display name, or the tenant id where that is blank:
// identity providers refuse an organization without a name.
func organizationName(subject tenant.Subject) string {
	if strings.TrimSpace(subject.DisplayName) == "" {
		return string(subject.ID)
	}
	return subject.DisplayName
}
