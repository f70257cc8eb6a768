package ledger

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"maps"
	"slices"
	"time"

	"github.com/tenantplane/terraform-provider-tenant/internal/tenant"
)

// Chain returns e as the successor of an entry with the given sequence and
// hash (0 and "" for the first), with Sequence, Previous and Hash filled in.
// Drivers call it inside the transaction that appends.
func Chain(id tenant.ID, lastSequence int64, lastHash string, e Evidence) Evidence {
	e.Sequence = lastSequence + 1
	e.Previous = lastHash
	e.Time = e.Time.UTC().Truncate(time.Microsecond)
	h := sha256.New()
	fmt.Fprintf(h, "%q %d %d %q %q %q %q", id, e.Sequence, e.Time.UnixMicro(), e.Actor, e.Step, e.Outcome, e.Previous)
	for _, key := range slices.Sorted(maps.Keys(e.Details)) {
		fmt.Fprintf(h, " %q=%q", key, e.Details[key])
	}
	e.Hash = hex.EncodeToString(h.Sum(nil))
	return e
}

// VerifyChain checks that entries form an unbroken chain of one tenant and
// returns an error that names the first entry that does not fit.
func VerifyChain(id tenant.ID, entries []Evidence) error {
	var sequence int64
	var hash string
	for _, e := range entries {
		want := Chain(id, sequence, hash, e)
		if want.Hash != e.Hash || want.Sequence != e.Sequence || want.Previous != e.Previous {
			return fmt.Errorf("evidence of tenant %s: entry %d does not fit the chain", id, e.Sequence)
		}
		sequence, hash = e.Sequence, e.Hash
	}
	return nil
}
