package soak

import (
	"bufio"
	"encoding/json"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/tenantplane/terraform-provider-tenant/internal/ledger"
	"github.com/tenantplane/terraform-provider-tenant/internal/sandbox"
	"github.com/tenantplane/terraform-provider-tenant/internal/tenant"
)

// unsettled lists the tenants that are not as declared.
func (f *fleet) unsettled() []ledger.Tenant {
	f.t.Helper()
	rows, err := f.store.Tenants(f.t.Context(), ledger.Filter{IncludeDeleted: true})
	f.must(err)
	return slices.DeleteFunc(rows, func(row ledger.Tenant) bool {
		switch {
		case f.deleted[row.ID]:
			return row.Status == ledger.Deleted
		case f.off[row.ID]:
			return row.Status == ledger.Suspended && row.ObservedGeneration == row.DesiredGeneration
		}
		return row.Status == ledger.Ready && row.ObservedGeneration == row.DesiredGeneration
	})
}

func (f *fleet) awaitCalm(patience time.Duration) {
	f.t.Helper()
	for end := time.Now().Add(patience); ; time.Sleep(3 * time.Second) {
		left := f.unsettled()
		if len(left) == 0 {
			return
		}
		if time.Now().After(end) {
			for _, row := range left[:min(len(left), 10)] {
				f.t.Errorf("%s is %s at generation %d of %d after %d failures, due %s: %s", row.ID, row.Status, row.ObservedGeneration,
					row.DesiredGeneration, row.FailureCount, time.Until(row.NextReconcileAt).Round(time.Second), row.LastError)
			}
			f.t.Fatalf("%d tenants are not as declared", len(left))
		}
	}
}

func (f *fleet) awaitEvents(patience time.Duration) {
	f.t.Helper()
	for end := time.Now().Add(patience); ; time.Sleep(time.Second) {
		sinks, err := f.store.Sinks(f.t.Context())
		f.must(err)
		if sinks[0].Pending == 0 && sinks[0].Dead == 0 {
			return
		}
		if time.Now().After(end) {
			f.t.Fatalf("the sink is still owed events: %+v", sinks[0])
		}
	}
}

// wantOneOfEach counts in the systems themselves.
func (f *fleet) wantOneOfEach() {
	f.t.Helper()
	inventory, err := f.admin.Objects(f.t.Context(), sandbox.Filter{})
	f.must(err)
	found := map[tenant.ID]map[string]int{}
	for _, o := range inventory.Objects {
		if found[tenant.ID(o.Tenant)] == nil {
			found[tenant.ID(o.Tenant)] = map[string]int{}
		}
		found[tenant.ID(o.Tenant)][o.Kind]++
	}
	folders, err := filepath.Glob(filepath.Join(f.folder, "storage", "tnt-*"))
	f.must(err)
	for _, folder := range folders {
		one := tenant.ID(strings.Split(filepath.Base(folder), "-")[1])
		if found[one] == nil {
			found[one] = map[string]int{}
		}
		found[one]["bucket"]++
	}
	wrong := 0
	for n := range f.size {
		want := map[string]int{"organization": 1, "rrset": 1, "bucket": 1}
		if isBilled(n) {
			want["customer"], want["subscription"] = 1, 1
		}
		if f.deleted[id(n)] {
			want = nil
		}
		if got := found[id(n)]; !maps.Equal(got, want) {
			wrong++
			if wrong <= 10 {
				f.t.Errorf("%s has %v, want %v", id(n), got, want)
			}
		}
		delete(found, id(n))
	}
	if wrong > 0 || len(found) > 0 {
		f.t.Errorf("%d tenants have too much or too little, and %d are nobody's: %v", wrong, len(found), found)
	}
}

// wantNobodyStarved wants every living tenant to have been looked after not long
// ago.
func (f *fleet) wantNobodyStarved(interval time.Duration) {
	f.t.Helper()
	rows, err := f.store.Tenants(f.t.Context(), ledger.Filter{})
	f.must(err)
	var longest time.Duration
	for _, row := range rows {
		late := time.Since(row.LastReconciledAt)
		longest = max(longest, late)
		if late > 3*interval+30*time.Second {
			f.t.Errorf("nobody has looked at %s for %s", row.ID, late.Round(time.Second))
		}
	}
	f.t.Logf("the interval is %s; the longest anybody waited for a look is %s", interval, longest.Round(time.Second))
}

// wantEventsInOrder reads what the sink received: each event of each tenant at
// least once, and first in order.
func (f *fleet) wantEventsInOrder() {
	f.t.Helper()
	file, err := os.Open(filepath.Join(f.folder, "events.ndjson"))
	f.must(err)
	defer file.Close()
	last, seen, again := map[string]string{}, map[string]bool{}, 0
	lines := bufio.NewScanner(file)
	for lines.Scan() {
		var e struct{ ID, Subject, Sequence, Type string }
		f.must(json.Unmarshal(lines.Bytes(), &e))
		if seen[e.ID] {
			again++
			continue
		}
		seen[e.ID] = true
		if e.Sequence <= last[e.Subject] {
			f.t.Errorf("%s of %s came after a later one", e.Type, e.Subject)
		}
		last[e.Subject] = e.Sequence
	}
	f.must(lines.Err())
	events, err := f.store.Events(f.t.Context(), ledger.EventFilter{})
	f.must(err)
	for _, e := range events {
		if !seen[e.ID] {
			f.t.Errorf("%s of %s never arrived", e.Type, e.Tenant)
		}
	}
	f.t.Logf("%d events arrived, %d of them more than once", len(seen), again)
}
