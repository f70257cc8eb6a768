package tenant

import "strings"

// DriftPolicy says what a sweep does about drift.
type DriftPolicy string

// The drift policies.
const (
	ReportDrift DriftPolicy = "report"
	RepairDrift DriftPolicy = "repair"
)

// Drift is the tenant's policy for changes made behind Terraform's back. It
// binds sweeps; an apply always does what its plan says.
type Drift struct {
	// Policy is what sweeps do; "" means ReportDrift.
	Policy DriftPolicy `json:"policy,omitempty"`
	// Components has the policies of single components that differ from Policy.
	Components map[string]DriftPolicy `json:"components,omitempty"`
	// Ignore lists what is no drift: "component", "component.object" or
	// "component.object.field".
	Ignore []string `json:"ignore,omitempty"`
}

// PolicyFor is the policy for a component.
func (d Drift) PolicyFor(component string) DriftPolicy {
	if p := d.Components[component]; p != "" {
		return p
	}
	if d.Policy != "" {
		return d.Policy
	}
	return ReportDrift
}

// Ignores tells whether a difference is no drift. field is "" for a difference
// of the object as a whole, such as its absence.
func (d Drift) Ignores(component, object, field string) bool {
	path := component + "." + object
	if field != "" {
		path += "." + field
	}
	for _, ignored := range d.Ignore {
		if path == ignored || strings.HasPrefix(path, ignored+".") {
			return true
		}
	}
	return false
}

// Relevant is changes without those that are ignored.
func (d Drift) Relevant(component, object string, changes []Change) []Change {
	var out []Change
	for _, c := range changes {
		if !d.Ignores(component, object, c.Field) {
			out = append(out, c)
		}
	}
	return out
}
