// Package executor turns plans into facts, one pass at a time: it takes the
// tenant's lease, looks at every object, lets the engine plan, and carries out
// the actions, each one between an intent and its settlement in the ledger.
//
// One action:
//
//	OpenIntent ──► call backend with the key ──┬─ answered ──► Settle: id, epoch, condition
//	    │                                      ├─ refused ───► Settle: condition Failed or Blocked
//	    │                                      └─ unknown ───► look: ours? Settle : intent stays open
//	    └ killed anywhere: the intent is open, the next pass looks first
//
// Ledger writes after a call do not end with the caller's context: a Ctrl-C
// may stop the next action, never the memory of the last one.
package executor
