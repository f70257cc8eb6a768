package cli

import (
	"fmt"
	"io"

	"github.com/jedib0t/go-pretty/v6/text"

	"github.com/tenantplane/terraform-provider-tenant/internal/drift"
)

// severityColours colour a severity on a terminal.
var severityColours = map[drift.Severity]text.Color{
	drift.Critical: text.FgRed, drift.Warning: text.FgYellow, drift.Notice: text.FgHiBlack,
}

// printVerdict prints a verdict in one of the forms of drift.
func printVerdict(out io.Writer, form string, v drift.Verdict) error {
	render := map[string]func() ([]byte, error){"junit": v.JUnit, "sarif": v.SARIF}[form]
	switch {
	case form == "json":
		return printJSON(out, v)
	case render == nil:
		return printVerdictTable(out, v)
	}
	content, err := render()
	if err != nil {
		return err
	}
	_, err = out.Write(content)
	return err
}

func printVerdictTable(out io.Writer, v drift.Verdict) error {
	t := newTable(out, "Tenant", "Severity", "What", "Since")
	rows := 0
	add := func(tenant, severity string, colour text.Color, what, since string) {
		rows++
		t.AppendRow([]any{tenant, coloured(out, severity, colour), what, since})
	}
	for _, tenant := range v.Tenants {
		for _, d := range tenant.Drifts {
			add(tenant.Tenant, string(d.Severity), severityColours[d.Severity], d.Line(), moment(d.Since))
		}
		for _, line := range tenant.Unhealthy {
			add(tenant.Tenant, "unhealthy", text.FgRed, line, "-")
		}
		for _, line := range tenant.Unread {
			add(tenant.Tenant, "unread", text.FgRed, line, "-")
		}
	}
	if rows > 0 {
		t.Render()
	}
	c := v.Counts
	summary := fmt.Sprintf("%d tenants looked at: %d drifted with %d differences, %d unhealthy", c.Tenants, c.Drifted, c.Drifts, c.Unhealthy)
	if c.Noise > 0 {
		summary += fmt.Sprintf(", %d expected differences", c.Noise)
	}
	if !v.Complete {
		summary += fmt.Sprintf("; INCOMPLETE: %d could not be read", c.Unread)
	}
	_, err := fmt.Fprintln(out, summary)
	return err
}
