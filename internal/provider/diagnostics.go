package provider

import (
	"errors"
	"fmt"
	"strings"

	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/path"

	"github.com/tenantplane/terraform-provider-tenant/internal/engine"
	"github.com/tenantplane/terraform-provider-tenant/internal/executor"
	"github.com/tenantplane/terraform-provider-tenant/internal/fault"
	"github.com/tenantplane/terraform-provider-tenant/internal/ledger"
)

// titles are the headings of faults by kind.
var titles = map[fault.Kind]string{
	fault.Retryable: "Backend not available",
	fault.Terminal:  "Cannot be done as declared",
	fault.Ambiguous: "Outcome of a call unknown",
	fault.NotFound:  "Object not found",
	fault.Conflict:  "Object belongs to somebody else",
}

// diagnostic renders a fault. A fault with a path that the schema has points
// at the attribute.
func diagnostic(f *fault.Fault) diag.Diagnostic {
	detail := f.Error()
	if f.Err != nil && !strings.Contains(f.Err.Error(), f.Found) {
		detail += "\n\nCause: " + f.Err.Error()
	}
	if p, ok := attributePath(f.Path); ok {
		return diag.NewAttributeErrorDiagnostic(p, titles[f.Kind], detail)
	}
	return diag.NewErrorDiagnostic(titles[f.Kind], detail)
}

// attributePath turns "domain.hostname" into a path. Indices and names the
// schema may not have end it early: pointing at the block is better than at
// nothing.
func attributePath(text string) (path.Path, bool) {
	if text == "" {
		return path.Empty(), false
	}
	parts := strings.Split(text, ".")
	p := path.Root(parts[0])
	if len(parts) > 1 && !strings.ContainsAny(parts[1], "[]") {
		p = p.AtName(parts[1])
	}
	return p, true
}

// faultDiagnostics renders faults, but not those of a backend whose options
// only the apply will know.
func faultDiagnostics(faults []*fault.Fault) diag.Diagnostics {
	var diags diag.Diagnostics
	for _, f := range faults {
		if f.Code != codeDeferred {
			diags.Append(diagnostic(f))
		}
	}
	return diags
}

func faultsOf(list []engine.ObjectFault) []*fault.Fault {
	var out []*fault.Fault
	for _, f := range list {
		out = append(out, f.Fault)
	}
	return out
}

// errorDiagnostics renders an error of the executor or the ledger.
func errorDiagnostics(err error) diag.Diagnostics {
	var diags diag.Diagnostics
	var spec *executor.SpecFaults
	var claimed *ledger.ClaimError
	switch {
	case errors.As(err, &spec):
		return faultDiagnostics(spec.Faults)
	case errors.As(err, &claimed):
		diags.AddAttributeError(path.Root("tenant_id"), "Tenant belongs to another state",
			fmt.Sprintf("tenant_id: tenant %q is owned by %s. Use another id; or remove it there (terraform state rm) and import it here.", claimed.Tenant, claimed.Owner))
	case errors.Is(err, ledger.ErrLeased):
		diags.AddError("Tenant is being worked on", err.Error()+". Wait for the other run to end, then apply again.")
	default:
		diags.AddError("Run could not go on", err.Error()+". What exists is recorded; apply again when the cause is mended.")
	}
	return diags
}
