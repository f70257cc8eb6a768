package provider

import (
	"context"
	"fmt"
	"maps"
	"os"
	"slices"
	"strings"

	"github.com/hashicorp/terraform-plugin-framework/attr"
	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/tfsdk"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/tenantplane/terraform-provider-tenant/internal/backend"
	"github.com/tenantplane/terraform-provider-tenant/internal/surface"
)

// Config is the provider block in plain values. The command line builds one
// without Terraform.
type Config struct {
	Installation string
	Workspace    string
	Ledger       LedgerConfig
	Events       EventsConfig
	// Sandbox is nil when the sandbox is not used.
	Sandbox *SandboxConfig
	// Backends holds the configured backend of each place.
	Backends map[Place]Choice
	// Regions lists the regions that have a block; none in a pure sandbox.
	Regions []string
	// Deferred lists places whose options are not known yet, as happens in a
	// plan when they come from resources that do not exist.
	Deferred map[Place]bool
}

// SandboxConfig is the sandbox block.
type SandboxConfig struct {
	Path  string
	Zones []string
	Plans []string
}

// Place is where a backend serves: a component, in a region if the component
// is regional, "" otherwise.
type Place struct{ Component, Region string }

// Choice is a vendor with its options.
type Choice struct {
	Vendor  string
	Options map[string]string
	Path    string
}

// readConfig reads the provider block.
func readConfig(ctx context.Context, source tfsdk.Config) (Config, diag.Diagnostics) {
	c := Config{Backends: map[Place]Choice{}, Deferred: map[Place]bool{}}
	var diags diag.Diagnostics
	var installation, workspace types.String
	var ledger, sandbox, events types.Object
	var regions types.Map
	diags.Append(source.GetAttribute(ctx, path.Root("installation"), &installation)...)
	diags.Append(source.GetAttribute(ctx, path.Root("workspace"), &workspace)...)
	diags.Append(source.GetAttribute(ctx, path.Root("ledger"), &ledger)...)
	diags.Append(source.GetAttribute(ctx, path.Root("sandbox"), &sandbox)...)
	diags.Append(source.GetAttribute(ctx, path.Root("regions"), &regions)...)
	diags.Append(source.GetAttribute(ctx, path.Root("events"), &events)...)
	diags.Append(refuseUnknown(map[string]attr.Value{
		"installation": installation, "workspace": workspace, "ledger": ledger, "sandbox": sandbox, "regions": regions,
	})...)
	diags.Append(c.readEvents(ctx, events)...)
	c.Installation, c.Workspace = installation.ValueString(), workspace.ValueString()
	c.Ledger = LedgerConfig{Path: stringIn(ledger.Attributes(), "path"), URL: stringIn(ledger.Attributes(), "url")}
	if c.Ledger == (LedgerConfig{}) {
		c.Ledger.URL = os.Getenv(LedgerURLVariable)
	}
	if !sandbox.IsNull() {
		c.Sandbox = &SandboxConfig{
			Path:  stringIn(sandbox.Attributes(), "path"),
			Zones: stringsIn(sandbox.Attributes(), "zones"),
			Plans: stringsIn(sandbox.Attributes(), "plans"),
		}
	}
	for _, component := range componentsWith(false) {
		var block types.Object
		diags.Append(source.GetAttribute(ctx, path.Root(component), &block)...)
		diags.Append(c.choose(Place{Component: component}, component, block)...)
	}
	for _, region := range slices.Sorted(maps.Keys(regions.Elements())) {
		c.Regions = append(c.Regions, region)
		blocks, isObject := regions.Elements()[region].(types.Object)
		if !isObject {
			continue
		}
		for _, component := range componentsWith(true) {
			block, isObject := blocks.Attributes()[component].(types.Object)
			if isObject {
				where := fmt.Sprintf("regions[%q].%s", region, component)
				diags.Append(c.choose(Place{Component: component, Region: region}, where, block)...)
			}
		}
	}
	return c, diags
}

// readEvents reads the events block. What is not known yet is read by a later
// run: an apply sends no events.
func (c *Config) readEvents(ctx context.Context, block types.Object) diag.Diagnostics {
	var diags diag.Diagnostics
	raw, err := block.ToTerraformValue(ctx)
	if err != nil || !raw.IsFullyKnown() {
		return diags
	}
	if c.Events, err = readEvents(block); err != nil {
		diags.AddAttributeError(path.Root("events"), "Invalid sink", err.Error()+".")
	}
	return diags
}

// offers tells whether a region may be used: any, until the first is named.
func (c Config) offers(region string) bool {
	return len(c.Regions) == 0 || slices.Contains(c.Regions, region)
}

// refuseUnknown refuses what must be known before anything can be planned: a
// default in its place would plan for another ledger or another owner.
func refuseUnknown(attributes map[string]attr.Value) diag.Diagnostics {
	var diags diag.Diagnostics
	for _, name := range slices.Sorted(maps.Keys(attributes)) {
		unknown := attributes[name].IsUnknown()
		if object, isObject := attributes[name].(types.Object); isObject {
			for _, leaf := range object.Attributes() {
				unknown = unknown || leaf.IsUnknown()
			}
		}
		if unknown {
			diags.AddAttributeError(path.Root(name), "Not known at plan",
				name+": depends on something that only an apply will know. Apply that first, with -target, or write the value out.")
		}
	}
	return diags
}

// choose reads one component's block: exactly one vendor.
func (c *Config) choose(place Place, where string, block types.Object) diag.Diagnostics {
	var diags diag.Diagnostics
	if block.IsNull() {
		return diags
	}
	if block.IsUnknown() {
		c.Deferred[place] = true
		return diags
	}
	var chosen []string
	for _, d := range driversFor(place) {
		options, isObject := block.Attributes()[d.Vendor].(types.Object)
		if !isObject || options.IsNull() {
			continue
		}
		chosen = append(chosen, d.Vendor)
		values, known := optionValues(d, options)
		if !known {
			c.Deferred[place] = true
		}
		c.Backends[place] = Choice{Vendor: d.Vendor, Options: values, Path: where + "." + d.Vendor}
	}
	if len(chosen) != 1 {
		diags.AddAttributeError(path.Root(strings.SplitN(where, "[", 2)[0]), "Choose one backend",
			fmt.Sprintf("%s has %d backends %v. Set exactly one of its attributes.", where, len(chosen), chosen))
	}
	return diags
}

// optionValues reads a driver's options, with the environment for those not
// set; known is false when one is not known yet.
func optionValues(d backend.Driver, block types.Object) (values map[string]string, known bool) {
	values, known = map[string]string{}, true
	for _, o := range optionsOf(d) {
		value, isString := block.Attributes()[o.Name].(types.String)
		switch {
		case isString && value.IsUnknown():
			known = false
		case isString && value.ValueString() != "":
			values[o.Name] = value.ValueString()
		case o.Env != "" && os.Getenv(o.Env) != "":
			values[o.Name] = os.Getenv(o.Env)
		}
	}
	return values, known && !block.IsUnknown()
}

// driversFor lists the drivers that can serve a place.
func driversFor(place Place) []backend.Driver {
	var out []backend.Driver
	for _, d := range Drivers() {
		if d.Component == place.Component && d.Regional == (place.Region != "") {
			out = append(out, d)
		}
	}
	return out
}

// componentsWith lists the components whose drivers are, or are not, regional.
func componentsWith(regional bool) []string {
	return slices.Sorted(maps.Keys(componentBlocks(regional)))
}

func stringIn(attributes map[string]attr.Value, name string) string {
	value, _ := attributes[name].(types.String)
	return value.ValueString()
}

func stringsIn(attributes map[string]attr.Value, name string) []string {
	list, _ := attributes[name].(types.List)
	return surface.Strings(list.Elements())
}
