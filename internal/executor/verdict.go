package executor

import (
	"strings"

	"github.com/tenantplane/terraform-provider-tenant/internal/engine"
	"github.com/tenantplane/terraform-provider-tenant/internal/fault"
	"github.com/tenantplane/terraform-provider-tenant/internal/ledger"
)

// Codes by which a backend says that an idempotency key is used up: it replays
// a stored failure, or knows the key with other parameters.
const (
	storedFailure = ".stored_failure"
	keyMismatch   = ".key_mismatch"
)

// keySpent tells whether only a new key can succeed.
func keySpent(f *fault.Fault) bool {
	return strings.HasSuffix(f.Code, storedFailure) || strings.HasSuffix(f.Code, keyMismatch)
}

// lifeOver tells whether a backend answered a creation with an object that was
// made under the key and is known to be gone: that life is over, and what comes
// next is another one.
func lifeOver(f *fault.Fault) bool { return keySpent(f) && fault.Is(f.Err, fault.NotFound) }

// conditionOf is the condition a fault leaves an object in.
func conditionOf(f *fault.Fault) ledger.Condition {
	switch {
	case f.Kind == fault.Conflict, strings.HasSuffix(f.Code, ".needs_human"):
		return ledger.ConditionBlocked
	case f.Kind == fault.Terminal && !keySpent(f):
		return ledger.ConditionFailed
	default:
		return ledger.ConditionProgressing
	}
}

// final tells whether repeating a pass cannot help.
func final(f *fault.Fault) bool {
	c := conditionOf(f)
	return c == ledger.ConditionBlocked || c == ledger.ConditionFailed
}

// statusOf sums up the faults that a pass left. Blocked outranks Failed, since
// it asks for a person; what may go away by itself is Reconciling.
func statusOf(faults []engine.ObjectFault) ledger.Status {
	status := ledger.Ready
	for _, f := range faults {
		switch conditionOf(f.Fault) {
		case ledger.ConditionBlocked:
			return ledger.Blocked
		case ledger.ConditionFailed:
			status = ledger.Failed
		default:
			if status == ledger.Ready {
				status = ledger.Reconciling
			}
		}
	}
	return status
}

// allFinal tells whether every fault is final, so that no wait can help.
func allFinal(faults []engine.ObjectFault) bool {
	for _, f := range faults {
		if !final(f.Fault) {
			return false
		}
	}
	return len(faults) > 0
}

// allBackendWide tells whether every fault that may go away by itself is one
// of a whole backend.
func allBackendWide(faults []engine.ObjectFault) bool {
	for _, f := range faults {
		if !final(f.Fault) && !f.Fault.BackendWide {
			return false
		}
	}
	return true
}
