package billing

import (
	"strings"

	"github.com/tenantplane/terraform-provider-tenant/internal/tenant"
)

// The fields of a customer.
const (
	// FieldName is the name on invoices: the tenant's display name.
	FieldName = "name"
	// FieldEmail is where invoices go, canonical.
	FieldEmail = "email"
)

// The fields of a subscription.
const (
	// FieldPlan is the plan subscribed to.
	FieldPlan = "plan"
	// FieldSeats is the absolute number of seats.
	FieldSeats = "seats"
	// FieldItems counts the lines of the subscription. It is 1; a second line
	// was added by hand and is drift that a person has to resolve.
	FieldItems = "items"
)

// CustomerContent builds the Fields of a customer. The component and every
// backend build theirs here, so that equal customers have equal Fields. An
// e-mail that cannot be made canonical, which only a stranger writes, stands
// as it is.
func CustomerContent(name, email string) tenant.Fields {
	if canonical, err := CanonicalEmail(email); err == nil {
		email = canonical
	}
	return tenant.Fields{FieldName: {strings.TrimSpace(name)}, FieldEmail: {email}}
}

// SubscriptionContent builds the Fields of a subscription; see CustomerContent.
func SubscriptionContent(plan string, seats, items int64) tenant.Fields {
	fields := tenant.Fields{FieldPlan: {plan}}
	fields.SetInt(FieldSeats, seats)
	fields.SetInt(FieldItems, items)
	return fields
}
