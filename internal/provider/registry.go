package provider

import (
	"github.com/tenantplane/terraform-provider-tenant/internal/backend"
	"github.com/tenantplane/terraform-provider-tenant/internal/backend/keycloak"
	"github.com/tenantplane/terraform-provider-tenant/internal/backend/localdir"
	"github.com/tenantplane/terraform-provider-tenant/internal/backend/postgres"
	"github.com/tenantplane/terraform-provider-tenant/internal/backend/powerdns"
	"github.com/tenantplane/terraform-provider-tenant/internal/backend/s3"
	"github.com/tenantplane/terraform-provider-tenant/internal/backend/sqlite"
	"github.com/tenantplane/terraform-provider-tenant/internal/backend/stripe"
	"github.com/tenantplane/terraform-provider-tenant/internal/component/billing"
	"github.com/tenantplane/terraform-provider-tenant/internal/component/billing/billingtf"
	"github.com/tenantplane/terraform-provider-tenant/internal/component/database"
	"github.com/tenantplane/terraform-provider-tenant/internal/component/database/databasetf"
	"github.com/tenantplane/terraform-provider-tenant/internal/component/domain"
	"github.com/tenantplane/terraform-provider-tenant/internal/component/domain/domaintf"
	"github.com/tenantplane/terraform-provider-tenant/internal/component/identity"
	"github.com/tenantplane/terraform-provider-tenant/internal/component/identity/identitytf"
	"github.com/tenantplane/terraform-provider-tenant/internal/component/storage"
	"github.com/tenantplane/terraform-provider-tenant/internal/component/storage/storagetf"
	"github.com/tenantplane/terraform-provider-tenant/internal/engine"
	"github.com/tenantplane/terraform-provider-tenant/internal/surface"
)

// Components lists the pure halves of all components. A new component is one
// folder and a line here and in surfaces.
func Components() []engine.Component {
	return []engine.Component{
		billing.Component{},
		identity.Component{},
		database.Component{},
		storage.Component{},
		domain.Component{},
	}
}

// surfaces lists the Terraform halves, in the order of the documentation.
func surfaces() []surface.Component {
	return []surface.Component{
		identitytf.Component(),
		billingtf.Component(),
		databasetf.Component(),
		storagetf.Component(),
		domaintf.Component(),
	}
}

// critical lists the components that decide who gets in and where users are
// sent; sweeps look at them more often.
func critical() []string { return []string{"identity", "domain"} }

// surfaceNames lists the components by name.
func surfaceNames() []string {
	var names []string
	for _, s := range surfaces() {
		names = append(names, s.Name())
	}
	return names
}

// Drivers lists the backends. A new backend is one folder and a line here.
func Drivers() []backend.Driver {
	return []backend.Driver{
		keycloak.Driver(),
		stripe.Driver(),
		postgres.Driver(),
		sqlite.Driver(),
		s3.Driver(),
		localdir.Driver(),
		powerdns.Driver(),
	}
}
