// Package configfile reads the provider block of a Terraform configuration
// without Terraform, for the command line.
//
// It evaluates what such a block is made of in practice: literals, variables
// with their defaults and values, locals, path.*, terraform.workspace, and
// Terraform's functions on strings, collections and JSON. What only an apply
// can know, an attribute of a resource for instance, is an error that names
// the attribute: a default in its place would look at another ledger.
package configfile
