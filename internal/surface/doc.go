// Package surface renders a component's declaration into Terraform: today as a
// nested attribute of the resource "tenant". A component declares its
// attributes and mappings once, as a Definition over its own model; the
// generic half here turns that into what the provider loops over.
package surface
