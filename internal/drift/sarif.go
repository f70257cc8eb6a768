package drift

import (
	"encoding/json"
	"fmt"
)

// The part of SARIF 2.1.0 that code scanning reads
// (docs.oasis-open.org/sarif/sarif/v2.1.0).
type (
	sarifLog struct {
		Schema  string     `json:"$schema"`
		Version string     `json:"version"`
		Runs    []sarifRun `json:"runs"`
	}
	sarifRun struct {
		Tool        sarifTool         `json:"tool"`
		Invocations []sarifInvocation `json:"invocations"`
		Results     []sarifResult     `json:"results"`
	}
	sarifTool struct {
		Driver sarifDriver `json:"driver"`
	}
	sarifDriver struct {
		Name  string      `json:"name"`
		Rules []sarifRule `json:"rules"`
	}
	sarifRule struct {
		ID               string    `json:"id"`
		ShortDescription sarifText `json:"shortDescription"`
	}
	sarifInvocation struct {
		Successful bool `json:"executionSuccessful"`
	}
	sarifResult struct {
		RuleID    string          `json:"ruleId"`
		Level     string          `json:"level"`
		Message   sarifText       `json:"message"`
		Locations []sarifLocation `json:"locations"`
	}
	sarifText struct {
		Text string `json:"text"`
	}
	sarifLocation struct {
		Logical []sarifLogical `json:"logicalLocations"`
	}
	sarifLogical struct {
		Name string `json:"fullyQualifiedName"`
	}
)

// The rules of the SARIF form.
const (
	ruleDrift     = "tenant-drift"
	ruleUnhealthy = "tenant-unhealthy"
	ruleUnread    = "tenant-unread"
)

// SARIF renders a verdict. An incomplete one says that the run was not
// successful.
func (v Verdict) SARIF() ([]byte, error) {
	run := sarifRun{
		Tool: sarifTool{Driver: sarifDriver{Name: "terraform-provider-tenant", Rules: []sarifRule{
			{ruleDrift, sarifText{"A tenant differs from what is declared"}},
			{ruleUnhealthy, sarifText{"A tenant cannot be as declared"}},
			{ruleUnread, sarifText{"A tenant could not be looked at"}},
		}}},
		Invocations: []sarifInvocation{{Successful: v.Complete}},
		Results:     []sarifResult{},
	}
	levels := map[Severity]string{Critical: "error", Warning: "warning", Notice: "note"}
	for _, t := range v.Tenants {
		for _, d := range t.Drifts {
			run.add(t, ruleDrift, levels[d.Severity], d.String())
		}
		for _, line := range t.Unhealthy {
			run.add(t, ruleUnhealthy, "error", line)
		}
		for _, line := range t.Unread {
			run.add(t, ruleUnread, "error", line)
		}
	}
	log := sarifLog{Schema: "https://json.schemastore.org/sarif-2.1.0.json", Version: "2.1.0", Runs: []sarifRun{run}}
	content, err := json.MarshalIndent(log, "", "  ")
	if err != nil {
		return nil, fmt.Errorf("render SARIF: %w", err)
	}
	return append(content, '\n'), nil
}

func (r *sarifRun) add(t Tenant, rule, level, text string) {
	r.Results = append(r.Results, sarifResult{
		RuleID: rule, Level: level, Message: sarifText{t.Tenant + ": " + text},
		Locations: []sarifLocation{{Logical: []sarifLogical{{Name: t.Tenant}}}},
	})
}
