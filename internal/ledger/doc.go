// Package ledger is the contract of the database that remembers every tenant:
// its spec and generations, the external objects with their ids and epochs,
// the intents written before mutating calls, the outbox, the evidence of
// deletions, claims and leases.
//
// Drivers live below it (sqlite, postgres) and are held to the conformance
// suite ledgertest. Time is the ledger's own clock, given to the driver when
// it is opened, and stored in whole microseconds, UTC.
//
// The life of a tenant row:
//
//	          Declare                Status                  Status
//	(none) ──────────► pending ──► reconciling ─┬─► ready ◄──► degraded
//	   ▲                              ▲   │     ├─► waiting
//	   │ Declare after Tombstone      └───┘     ├─► failed
//	   │                                        └─► blocked
//	   │                    Status        Tombstone
//	   └──── deleted ◄────────── deleting ◄── any of the above
//
// The life of an intent:
//
//	          OpenIntent           Settle (outcome recorded)
//	(none) ─────────────► open ───────────────────────────► closed
//	                        │ crash: stays open, the next pass probes
//	                        └ OpenIntent again with the same key: same row,
//	                          first-use time kept, tries counted
package ledger
