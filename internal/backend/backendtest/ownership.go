package backendtest

import (
	"testing"
	"time"

	"github.com/tenantplane/terraform-provider-tenant/internal/backend"
	"github.com/tenantplane/terraform-provider-tenant/internal/fault"
	"github.com/tenantplane/terraform-provider-tenant/internal/tenant"
)

// foreign lets another installation ask for this one's objects. Where names
// decide, the stranger is given our names; where the system gives ids, our id.
func foreign(t *testing.T, s Suite) {
	w := newWorld(t, s, nil)
	for _, want := range w.makeAll() {
		other := w.stranger(nil)
		theirs := want
		theirs.Subject = other.subject
		if want.Name != "" {
			other.refusesToEnsure(theirs)
		}
		other.ids = w.ids
		other.refusesToRemove(theirs)
		w.check("observe", want, w.mustObserve(want))
	}
}

// takeOver ensures another installation's objects as they were seen: the user
// said adopt = "overwrite". Objects without names are found by their marker
// alone, so that no other installation ever sees them.
func takeOver(t *testing.T, s Suite) {
	w := newWorld(t, s, nil)
	for _, want := range w.makeAll() {
		if want.Name == "" {
			continue
		}
		other := w.stranger(nil)
		other.ids = w.ids
		theirs := want
		theirs.Subject = other.subject
		seen := other.mustObserve(theirs)
		other.check("take over", theirs, other.mustEnsure(theirs, &seen))
		other.check("observe", theirs, other.mustObserve(theirs))
	}
}

// unmarked lets the owner ask for an object that lost its marker.
func unmarked(t *testing.T, s Suite) {
	if s.Strip == nil {
		return
	}
	w := newWorld(t, s, nil)
	for _, want := range w.makeAll() {
		s.Strip(t, w.target(want))
		seen := w.mustObserve(want)
		if !seen.Marker.IsZero() {
			t.Fatalf("observe stripped %s: marker %+v", key(want.Target), seen.Marker)
		}
		w.refusesToRemove(want)
		w.check("adopt", want, w.mustEnsure(want, &seen))
	}
}

func (w *world) refusesToEnsure(want backend.Want) {
	w.t.Helper()
	if _, err := w.ensure(want, nil); !fault.Is(err, fault.Conflict) {
		w.t.Errorf("ensure %s of another installation: got %v, want a Conflict fault", key(want.Target), err)
	}
}

func (w *world) refusesToRemove(want backend.Want) {
	w.t.Helper()
	if _, err := w.backend.Remove(w.t.Context(), w.removal(want, tenant.DeleteData)); !fault.Is(err, fault.Conflict) {
		w.t.Errorf("remove %s without our marker: got %v, want a Conflict fault", key(want.Target), err)
	}
}

// takeUnmarked ends objects that lost their marker and hold no data, as the
// executor does with what the ledger knows.
func takeUnmarked(t *testing.T, s Suite) {
	if s.Strip == nil {
		return
	}
	w := newWorld(t, s, nil)
	wants := w.makeAll()
	for i := len(wants) - 1; i >= 0; i-- {
		s.Strip(t, w.target(wants[i]))
		if disabler, offered := w.backend.(backend.Disabler); offered {
			if _, err := disabler.Disable(t.Context(), w.target(wants[i]), wants[i].Key+"/disable"); err != nil {
				t.Errorf("disable unmarked %s: %v", key(wants[i].Target), err)
			}
		}
		removal := w.removal(wants[i], tenant.DeleteData)
		removal.TakeUnmarked = true
		receipt, err := w.backend.Remove(t.Context(), removal)
		if err != nil || receipt.Outcome == "already absent" {
			t.Errorf("remove unmarked %s: outcome %q, %v", key(wants[i].Target), receipt.Outcome, err)
		}
		if _, err := w.backend.Observe(t.Context(), w.target(wants[i])); !fault.Is(err, fault.NotFound) {
			t.Errorf("observe removed %s: got %v, want a NotFound fault", key(wants[i].Target), err)
		}
	}
}

// archiveAgain repeats an archive whose first answer nobody recorded.
func archiveAgain(t *testing.T, s Suite) {
	w := newWorld(t, s, nil)
	archiver, offered := w.backend.(backend.Archiver)
	if !offered {
		return
	}
	for _, want := range w.makeAll() {
		removal := w.removal(want, tenant.ArchiveData)
		removal.RetainUntil = time.Now().Add(time.Hour).UTC().Truncate(time.Second)
		first, err := archiver.Archive(t.Context(), removal)
		if err != nil || first.Details["archive"] == "" {
			t.Fatalf("archive %s: %+v, %v", key(want.Target), first, err)
		}
		removal.RetainUntil = removal.RetainUntil.Add(time.Minute) // a later pass dates anew
		second, err := archiver.Archive(t.Context(), removal)
		if err != nil || second.Outcome != first.Outcome || second.Details["archive"] != first.Details["archive"] {
			t.Errorf("archive %s again: %+v, %v; the first time %+v", key(want.Target), second, err, first)
		}
	}
}
