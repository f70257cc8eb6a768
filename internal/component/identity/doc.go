// Package identity is the pure half of the identity component: one
// organization per tenant in an identity provider, known by an alias that
// never changes and by the e-mail domains whose users sign in through it.
//
// The canonical forms live here, so that the plan, the Terraform attributes and
// every backend agree on when two spellings mean the same.
package identity
