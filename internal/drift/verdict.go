package drift

import (
	"fmt"
	"strings"
	"time"
)

// SchemaVersion is the version of the verdict's JSON form. It rises when a
// field changes its meaning or goes; new fields do not raise it.
const SchemaVersion = 1

// Verdict is what was found.
type Verdict struct {
	SchemaVersion int `json:"schema_version"`
	// Complete: everything was looked at. Only then is the absence of drift
	// worth anything.
	Complete     bool      `json:"complete"`
	Installation string    `json:"installation,omitempty"`
	StartedAt    time.Time `json:"started_at"`
	// FinishedAt is zero while the verdict is incomplete.
	FinishedAt time.Time `json:"finished_at,omitzero"`
	Counts     Counts    `json:"counts"`
	Tenants    []Tenant  `json:"tenants"`
}

// Counts sum a verdict up.
type Counts struct {
	// Tenants were looked at, or should have been.
	Tenants int `json:"tenants"`
	// Drifted tenants have at least one drift; Drifts are all of them.
	Drifted int `json:"drifted"`
	Drifts  int `json:"drifts"`
	// Noise are drifts that are listed as expected.
	Noise int `json:"noise"`
	// Unhealthy are failed checks and tenants that cannot be as declared.
	Unhealthy int `json:"unhealthy"`
	// Unread tenants could not be looked at in full.
	Unread int `json:"unread"`
}

// Tenant is one tenant in a verdict.
type Tenant struct {
	// Tenant is the tenant id, or a resource's address in a Terraform plan.
	Tenant string `json:"tenant"`
	// Status is the ledger's; "" in a Terraform plan.
	Status string  `json:"status,omitempty"`
	Drifts []Drift `json:"drifts,omitempty"`
	Noise  []Drift `json:"noise,omitempty"`
	// Unhealthy says what keeps the tenant from being as declared.
	Unhealthy []string `json:"unhealthy,omitempty"`
	// Unread says what could not be looked at, and why.
	Unread []string `json:"unread,omitempty"`
}

// Severity is how bad a drift is.
type Severity string

// The severities. An object that is missing or shut off hurts the customer
// now; changed content may; a lost mark or a leftover does not.
const (
	Critical Severity = "critical"
	Warning  Severity = "warning"
	Notice   Severity = "notice"
)

// Drift is one difference.
type Drift struct {
	// Object is "‹component›.‹object›", or "" in a Terraform plan.
	Object string `json:"object,omitempty"`
	// Field is what differs; "" when it is the object as a whole.
	Field    string   `json:"field,omitempty"`
	Observed []string `json:"observed,omitempty"`
	Desired  []string `json:"desired,omitempty"`
	// Reason says in words what is wrong.
	Reason   string   `json:"reason"`
	Severity Severity `json:"severity"`
	// Since is when it was first seen; zero when that was now.
	Since time.Time `json:"since,omitzero"`
}

// Begin is a verdict before anything was looked at.
func Begin(installation string, now time.Time) Verdict {
	return Verdict{SchemaVersion: SchemaVersion, Installation: installation, StartedAt: now.UTC().Truncate(time.Second), Tenants: []Tenant{}}
}

// Finish sums up. It is complete when every tenant could be read.
func (v Verdict) Finish(now time.Time) Verdict {
	v.Counts = Counts{Tenants: len(v.Tenants)}
	for _, t := range v.Tenants {
		v.Counts.Drifts += len(t.Drifts)
		v.Counts.Noise += len(t.Noise)
		v.Counts.Unhealthy += len(t.Unhealthy)
		if len(t.Drifts) > 0 {
			v.Counts.Drifted++
		}
		if len(t.Unread) > 0 {
			v.Counts.Unread++
		}
	}
	v.Complete = v.Counts.Unread == 0
	v.FinishedAt = now.UTC().Truncate(time.Second)
	return v
}

// The exit codes of a verdict, which are those of terraform plan
// -detailed-exitcode.
const (
	ExitNone       = 0
	ExitIncomplete = 1
	ExitDrift      = 2
)

// ExitCode tells a verdict in a number. What is incomplete is never "none",
// and drift that was found counts more than what could not be read.
func (v Verdict) ExitCode() int {
	switch {
	case v.Counts.Drifts+v.Counts.Unhealthy > 0:
		return ExitDrift
	case !v.Complete:
		return ExitIncomplete
	}
	return ExitNone
}

// String says a drift in one line, with its age.
func (d Drift) String() string {
	if d.Since.IsZero() {
		return d.Line()
	}
	return d.Line() + " (since " + d.Since.UTC().Format("2006-01-02 15:04 UTC") + ")"
}

// Line says a drift in one line.
func (d Drift) Line() string {
	where := strings.TrimPrefix(strings.TrimSuffix(d.Object+"."+d.Field, "."), ".")
	line := d.Reason
	if d.Field != "" && (len(d.Observed) > 0 || len(d.Desired) > 0) {
		line = fmt.Sprintf("is %s, wanted %s", listed(d.Observed), listed(d.Desired))
	}
	if where == "" {
		return line
	}
	return where + ": " + line
}

func listed(values []string) string {
	if len(values) == 0 {
		return "not set"
	}
	return strings.Join(values, ", ")
}
