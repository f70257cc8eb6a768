package backendtest

import (
	"testing"

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
