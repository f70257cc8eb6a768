// Package announce tells the crash harness, from inside a provider built with
// the tag crash, when a write of the ledger begins and when it is done. It is
// the only part of the harness that is linked into a provider, and only there.
package announce
