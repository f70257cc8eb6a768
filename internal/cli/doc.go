// Package cli is the tool a person starts: the subcommands of the same binary
// that Terraform starts as a provider.
package cli
