package crash_test

import (
	"fmt"
	"slices"

	"github.com/tenantplane/terraform-provider-tenant/internal/ledger"
)

// findings are the defects of one operation. The target of each is 0.
type findings struct {
	duplicates, orphans, lost, tainted, stuck, leftBehind int
	// notes say what was found.
	notes []string
}

func (f *findings) note(n *int, format string, args ...any) {
	*n++
	f.notes = append(f.notes, fmt.Sprintf(format, args...))
}

func (f findings) any() bool {
	return f.duplicates+f.orphans+f.lost+f.tainted+f.stuck+f.leftBehind > 0
}

// knowledge is what the ledger knows of a tenant.
type knowledge struct {
	objects []ledger.Object
	intents []ledger.Intent
}

// intends tells whether an outcome of a kind is unknown and is known to be.
func (k knowledge) intends(wanted kind) bool {
	return slices.ContainsFunc(k.intents, func(i ledger.Intent) bool { return ofComponent[i.Component+"."+i.Object] == wanted })
}

func (k knowledge) knows(id string) bool {
	return slices.ContainsFunc(k.objects, func(o ledger.Object) bool { return o.ExternalID == id })
}

// countDuplicates holds at every moment: no kind has more than it should.
func (f *findings) countDuplicates(h holdings) {
	for kind, ids := range h {
		for range len(ids) - wanted[kind] {
			f.note(&f.duplicates, "more than %d of the kind %s: %v", wanted[kind], kind, ids)
		}
	}
}

// countLost holds at every moment: what exists is known or intended, and what
// is known exists, unless an intent says that this is being changed.
func (f *findings) countLost(h holdings, k knowledge) {
	for kind, ids := range h {
		if kind == roles {
			continue // parts of the database, without an id of their own
		}
		for _, id := range ids {
			if !k.knows(id) && !k.intends(kind) {
				f.note(&f.lost, "%s %s exists, but the ledger neither knows nor intends it", kind, id)
			}
		}
	}
	for _, o := range k.objects {
		kind := ofComponent[o.Component+"."+o.Object]
		if o.ExternalID != "" && !slices.Contains(h[kind], o.ExternalID) && !k.intends(kind) {
			f.note(&f.lost, "the ledger's %s.%s is %s, which does not exist", o.Component, o.Object, o.ExternalID)
		}
	}
}

// countIncomplete holds after convergence: everything is there, nothing is
// open, and state names what exists.
func (f *findings) countIncomplete(h holdings, k knowledge, s state) {
	for kind, n := range wanted {
		if len(h[kind]) < n {
			f.note(&f.lost, "of the kind %s there is %v, want %d", kind, h[kind], n)
		}
	}
	for _, i := range k.intents {
		f.note(&f.lost, "the intent to %s %s.%s is still open", i.Verb, i.Component, i.Object)
	}
	for _, kind := range []kind{organizations, customers, subscriptions, buckets} {
		for _, id := range h[kind] {
			if !s.mentions(id) {
				f.note(&f.lost, "%s %s is not in Terraform's state", kind, id)
			}
		}
	}
}

// countOrphans holds after a destruction: nothing is left, in no system and in
// no ledger.
func (f *findings) countOrphans(h holdings, k knowledge, s state) {
	for kind, ids := range h {
		for _, id := range ids {
			f.note(&f.orphans, "%s %s is left", kind, id)
		}
	}
	for _, o := range k.objects {
		f.note(&f.lost, "the ledger still has %s.%s %s", o.Component, o.Object, o.ExternalID)
	}
	if n := len(s.Resources); n > 0 {
		f.note(&f.lost, "Terraform's state still has %d resources", n)
	}
}
