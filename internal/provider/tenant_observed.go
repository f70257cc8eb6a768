package provider

import (
	"context"
	"fmt"
	"strings"

	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/types"
	"github.com/hashicorp/terraform-plugin-go/tftypes"

	"github.com/tenantplane/terraform-provider-tenant/internal/engine"
	"github.com/tenantplane/terraform-provider-tenant/internal/executor"
	"github.com/tenantplane/terraform-provider-tenant/internal/surface"
	"github.com/tenantplane/terraform-provider-tenant/internal/tenant"
)

// observed puts what a view saw into the components of prior. Components that
// prior lacks but the recorded spec has are shown too.
func (r *tenantResource) observed(ctx context.Context, prior values, v executor.View) (map[string]types.Object, diag.Diagnostics) {
	var diags diag.Diagnostics
	out := map[string]types.Object{}
	for _, s := range r.surfaces {
		object := prior.Components[s.Name()]
		if object.IsNull() || object.IsUnknown() {
			text, recorded := v.Tenant.Spec.Components[s.Name()]
			if !recorded {
				out[s.Name()] = s.Null()
				continue
			}
			fresh, more := s.FromSpec(ctx, text)
			diags.Append(more...)
			object = fresh
		}
		shown, more := s.Observe(ctx, object, seenOf(v, s.Name()))
		diags.Append(more...)
		out[s.Name()] = shown
	}
	return out, diags
}

// seenOf picks one component's existing objects out of a view. Somebody else's
// object is not the tenant's.
func seenOf(v executor.View, component string) surface.Seen {
	seen := surface.Seen{}
	for id, s := range v.Seen {
		if id.Component != component || !s.Present || s.Owner == engine.Foreign {
			continue
		}
		if s.Owner == engine.Unmarked && !s.Record.Held() {
			continue
		}
		seen[id.Object] = surface.SeenObject{ExternalID: s.ExternalID, Fields: s.Fields, Disabled: s.Disabled}
	}
	return seen
}

// wantedOf picks one component's compiled content out of a view.
func wantedOf(d engine.Desired, component string) surface.Wanted {
	wanted := surface.Wanted{Fields: map[string]tenant.Fields{}, Suspended: d.Suspended}
	for _, o := range d.Objects {
		if o.ID.Component == component {
			wanted.Fields[o.ID.Object] = o.Fields
		}
	}
	return wanted
}

// differences says in one line per action what keeps a view from its spec.
func differences(plan engine.Plan) []string {
	var lines []string
	for _, a := range plan.Actions {
		if len(a.Changes) == 0 {
			lines = append(lines, fmt.Sprintf("%s: %s", a.Object.ID, a.Reason))
		}
		for _, c := range a.Changes {
			lines = append(lines, fmt.Sprintf("%s: %s is %s, wanted %s", a.Object.ID, c.Field, list(c.From), list(c.To)))
		}
	}
	for _, f := range plan.Faults {
		lines = append(lines, fmt.Sprintf("%s: %s", f.Object, f.Fault.Found))
	}
	for _, id := range plan.Held {
		lines = append(lines, fmt.Sprintf("%s: waits for what it depends on", id))
	}
	return lines
}

func list(values []string) string {
	if len(values) == 0 {
		return "not set"
	}
	return strings.Join(values, ", ")
}

// nullValue is the null of a Terraform type.
func nullValue(t tftypes.Type) tftypes.Value { return tftypes.NewValue(t, nil) }
