// Package ledgertest holds every ledger driver to the contract of
// ledger.Store. A driver's test calls Run with a function that makes an empty
// database; the suite does the rest, on a clock of its own.
package ledgertest
