// Package billing is the pure half of the billing component: a customer and
// its subscription to one plan for a number of seats. It knows no billing
// system; it fixes the canonical form of what they store.
package billing
