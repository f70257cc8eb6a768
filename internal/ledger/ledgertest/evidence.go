package ledgertest

import (
	"time"

	"github.com/tenantplane/terraform-provider-tenant/internal/ledger"
	"github.com/tenantplane/terraform-provider-tenant/internal/tenant"
)

var evidenceTests = []sentence{
	{"entries form a chain across writes and lives", func(w *world) {
		for range 2 {
			w.declare(acme, 1)
			for range 3 {
				w.witness(acme, ledger.Evidence{Actor: owner, Step: "delete domain.record", Outcome: "already absent", Details: map[string]string{"status": "404"}})
			}
			w.bury(acme)
		}
		chain := w.evidence(acme)
		w.equal("entries", len(chain), 6)
		w.must(ledger.VerifyChain(acme, chain))
		w.equal("first", [2]any{chain[0].Sequence, chain[0].Previous}, [2]any{int64(1), ""})
		w.equal("last", [2]any{chain[5].Sequence, chain[5].Previous}, [2]any{int64(6), chain[4].Hash})
	}},
	{"an entry keeps its time; one without gets the ledger's", func(w *world) {
		w.declare(acme, 1)
		given := start.Add(-time.Hour + 1234567*time.Nanosecond)
		w.witness(acme, ledger.Evidence{Step: "a", Time: given}, ledger.Evidence{Step: "b"})
		chain := w.evidence(acme)
		w.equal("times", []time.Time{chain[0].Time, chain[1].Time}, []time.Time{given.Truncate(time.Microsecond), start})
		w.must(ledger.VerifyChain(acme, chain))
	}},
	{"what a backend said in bytes that are no text still verifies", func(w *world) {
		w.declare(acme, 1)
		w.witness(acme, ledger.Evidence{Actor: "a\xff", Step: "s\x00", Outcome: "o\xfe", Details: map[string]string{"k\xff": "v\x00\xff"}})
		w.must(ledger.VerifyChain(acme, w.evidence(acme)))
	}},
	{"tenants have chains of their own", func(w *world) {
		for _, id := range []tenant.ID{"a", "b"} {
			w.declare(id, 1)
			w.witness(id, ledger.Evidence{Step: "x"})
		}
		for _, id := range []tenant.ID{"a", "b"} {
			w.equal("entries", len(w.evidence(id)), 1)
			w.must(ledger.VerifyChain(id, w.evidence(id)))
		}
	}},
	{"a tenant without evidence has an empty chain", func(w *world) {
		w.equal("entries", len(w.evidence("nobody")), 0)
	}},
}

// witness appends evidence in one write.
func (w *world) witness(id tenant.ID, entries ...ledger.Evidence) {
	w.Helper()
	t := w.tenant(id)
	w.must(w.store.Advance(w.ctx, w.acquire(id), ledger.Progress{Generation: t.DesiredGeneration, Status: t.Status, Evidence: entries}))
}
