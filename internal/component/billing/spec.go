package billing

import (
	"encoding/json"
	"fmt"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/tenantplane/terraform-provider-tenant/internal/fault"
)

// Attribute paths for messages.
const (
	PathPlan  = "billing.plan"
	PathEmail = "billing.email"
	PathSeats = "billing.seats"
)

// Limits.
const (
	// MaxPlanLength is in bytes: Stripe's limit on a price's lookup key.
	MaxPlanLength = 200
	// MaxNameLength is in characters: Stripe's limit on a customer's name.
	MaxNameLength = 256
	// MaxSeats is far above any contract and far below any overflow.
	MaxSeats = 1_000_000
	// DefaultSeats is the number of seats when none is given.
	DefaultSeats = 1
)

// Spec is what the user wants of a tenant's billing.
type Spec struct {
	// Plan names what is sold; at Stripe it is the lookup key of a price.
	Plan string `json:"plan"`
	// Email is where invoices go.
	Email string `json:"email"`
	// Seats is the absolute number of seats, 1 to MaxSeats; left out it is
	// DefaultSeats.
	Seats int64 `json:"seats,omitempty"`
}

// parseSpec decodes a component spec; a failure is one Terminal fault.
func parseSpec(raw json.RawMessage) (Spec, *fault.Fault) {
	spec := Spec{Seats: DefaultSeats}
	if err := json.Unmarshal(raw, &spec); err != nil {
		f := fault.NewTerminal("billing.spec_malformed", Name,
			"the spec cannot be read: "+err.Error(), "report this as a bug of the provider")
		f.Err = err
		return Spec{}, f
	}
	return spec, nil
}

// check returns what is wrong with plan and seats.
func (s Spec) check() []*fault.Fault {
	var faults []*fault.Fault
	if problem := planProblem(s.Plan); problem != "" {
		faults = append(faults, fault.NewTerminal("billing.plan_invalid", PathPlan, problem,
			`use the name of a plan, e.g. "pro"`))
	}
	if s.Seats < 1 || s.Seats > MaxSeats {
		faults = append(faults, fault.NewTerminal("billing.seats_invalid", PathSeats,
			fmt.Sprintf("%d is out of range", s.Seats), fmt.Sprintf("use 1 to %d", MaxSeats)))
	}
	return faults
}

func planProblem(plan string) string {
	switch {
	case plan == "":
		return "is empty"
	case len(plan) > MaxPlanLength:
		return fmt.Sprintf("is %d bytes long, %d are allowed", len(plan), MaxPlanLength)
	case !utf8.ValidString(plan):
		return "is not UTF-8 text"
	case strings.TrimSpace(plan) != plan:
		return fmt.Sprintf("%q begins or ends with white space", plan)
	case strings.ContainsFunc(plan, func(r rune) bool { return !unicode.IsPrint(r) }):
		return fmt.Sprintf("%q contains characters that cannot be printed", plan)
	}
	return ""
}

// checkName returns nil or what is wrong with the display name, which becomes
// the customer's name.
func checkName(name string) *fault.Fault {
	n := utf8.RuneCountInString(name)
	if n <= MaxNameLength {
		return nil
	}
	return fault.NewTerminal("billing.name_too_long", Name,
		fmt.Sprintf("the customer takes its name from display_name, which is %d characters long", n),
		fmt.Sprintf("shorten display_name to at most %d characters", MaxNameLength))
}
