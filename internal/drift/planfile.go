package drift

import (
	"encoding/json"
	"fmt"
	"reflect"
	"slices"
	"strings"
)

// terraformPlan is what of `terraform show -json` matters here
// (developer.hashicorp.com/terraform/internals/json-format).
type terraformPlan struct {
	FormatVersion   string           `json:"format_version"`
	Complete        *bool            `json:"complete"`
	Errored         bool             `json:"errored"`
	ResourceDrift   []resourceChange `json:"resource_drift"`
	ResourceChanges []resourceChange `json:"resource_changes"`
	Checks          []check          `json:"checks"`
}

type resourceChange struct {
	Address string `json:"address"`
	Mode    string `json:"mode"`
	Change  struct {
		Actions      []string       `json:"actions"`
		Before       map[string]any `json:"before"`
		After        map[string]any `json:"after"`
		AfterUnknown map[string]any `json:"after_unknown"`
	} `json:"change"`
}

type check struct {
	Address struct {
		ToDisplay string `json:"to_display"`
	} `json:"address"`
	Status    string `json:"status"`
	Instances []struct {
		Problems []struct{ Message string } `json:"problems"`
	} `json:"instances"`
}

// ReadPlan reads a Terraform plan as JSON into tenants. Terraform's exit code
// says less than the plan (field cases C67, C68): a changed output is no drift,
// an entry whose before equals its after is none either, and a failed check is
// unhealthy although the exit code is 0. A plan that errored or was cut short
// gives an unread tenant, so that the verdict is incomplete.
func ReadPlan(content []byte) ([]Tenant, error) {
	var plan terraformPlan
	if err := json.Unmarshal(content, &plan); err != nil {
		return nil, fmt.Errorf("read the plan: %w; make it with terraform show -json PLANFILE", err)
	}
	if major, _, _ := strings.Cut(plan.FormatVersion, "."); major != "1" {
		return nil, fmt.Errorf("read the plan: format_version is %q, want 1.x; make it with terraform show -json PLANFILE", plan.FormatVersion)
	}
	found := map[string]*Tenant{}
	at := func(address string) *Tenant {
		if found[address] == nil {
			found[address] = &Tenant{Tenant: address}
		}
		return found[address]
	}
	for _, change := range append(slices.Clone(plan.ResourceDrift), plan.ResourceChanges...) {
		for _, d := range change.drifts() {
			if t := at(change.Address); !slices.ContainsFunc(t.Drifts, func(o Drift) bool { return o.Field == d.Field }) {
				t.Drifts = append(t.Drifts, d)
			}
		}
	}
	for _, c := range plan.Checks {
		c.judge(at(c.Address.ToDisplay))
	}
	if plan.Errored || plan.Complete != nil && !*plan.Complete {
		t := at("(plan)")
		t.Unread = append(t.Unread, "the plan is not complete: Terraform ended with an error or deferred something")
	}
	return sorted(found), nil
}

// sorted drops what has nothing to say.
func sorted(found map[string]*Tenant) []Tenant {
	out := []Tenant{}
	for _, t := range found {
		if len(t.Drifts)+len(t.Unhealthy)+len(t.Unread) > 0 {
			out = append(out, *t)
		}
	}
	slices.SortFunc(out, func(a, b Tenant) int { return strings.Compare(a.Tenant, b.Tenant) })
	return out
}

// drifts lists what a change would change, attribute by attribute. Values are
// not repeated: some are secrets.
func (r resourceChange) drifts() []Drift {
	if r.Mode == "data" || len(r.Change.Actions) == 1 && (r.Change.Actions[0] == "no-op" || r.Change.Actions[0] == "read") {
		return nil
	}
	if r.Change.Before == nil || r.Change.After == nil {
		return []Drift{{Reason: strings.Join(r.Change.Actions, ", then ") + " " + r.Address, Severity: Critical}}
	}
	var out []Drift
	for name, after := range r.Change.After {
		if reflect.DeepEqual(r.Change.Before[name], after) && !partlyUnknown(r.Change.AfterUnknown[name]) {
			continue
		}
		out = append(out, Drift{Field: name, Reason: name + " differs", Severity: Warning})
	}
	for name := range r.Change.Before {
		if _, stays := r.Change.After[name]; !stays {
			out = append(out, Drift{Field: name, Reason: name + " differs", Severity: Warning})
		}
	}
	slices.SortFunc(out, func(a, b Drift) int { return strings.Compare(a.Field, b.Field) })
	return out
}

// partlyUnknown tells whether anything below a value is unknown.
func partlyUnknown(mark any) bool {
	switch m := mark.(type) {
	case bool:
		return m
	case map[string]any:
		for _, inner := range m {
			if partlyUnknown(inner) {
				return true
			}
		}
	case []any:
		return slices.ContainsFunc(m, partlyUnknown)
	}
	return false
}

// judge adds a failed check. One whose data is not known yet says nothing.
func (c check) judge(t *Tenant) {
	if c.Status != "fail" && c.Status != "error" {
		return
	}
	messages := []string{}
	for _, i := range c.Instances {
		for _, p := range i.Problems {
			messages = append(messages, p.Message)
		}
	}
	t.Unhealthy = append(t.Unhealthy, fmt.Sprintf("check %s: %s", c.Status, strings.Join(messages, "; ")))
}
