package backendtest

import (
	"testing"

	"github.com/tenantplane/terraform-provider-tenant/internal/backend"
	"github.com/tenantplane/terraform-provider-tenant/internal/fault"
	"github.com/tenantplane/terraform-provider-tenant/internal/tenant"
)

// Run holds the backend that s describes to the contract.
func Run(t *testing.T, s Suite) {
	t.Run("what was never made is proven absent", func(t *testing.T) { neverMade(t, s) })
	t.Run("create stores the wanted content under our marker", func(t *testing.T) { create(t, s) })
	t.Run("creating again finds the same object", func(t *testing.T) { createAgain(t, s) })
	t.Run("an object is found again without its recorded id", func(t *testing.T) { adopt(t, s) })
	t.Run("a changed spec updates in place", func(t *testing.T) { update(t, s) })
	t.Run("drift is seen and repaired", func(t *testing.T) { drift(t, s) })
	t.Run("an object deleted behind our back is proven absent", func(t *testing.T) { vanish(t, s) })
	t.Run("another installation's object is refused and untouched", func(t *testing.T) { foreign(t, s) })
	t.Run("another installation's object is taken over on the engine's word", func(t *testing.T) { takeOver(t, s) })
	t.Run("an unmarked object is refused and untouched", func(t *testing.T) { unmarked(t, s) })
	t.Run("an unmarked object that is recorded can be disabled and removed", func(t *testing.T) { takeUnmarked(t, s) })
	t.Run("an archive asked for again is the same archive", func(t *testing.T) { archiveAgain(t, s) })
	t.Run("an archive ends at its date and not before, and only its owner's", func(t *testing.T) { purge(t, s) })
	t.Run("what is in service is no archive to end", func(t *testing.T) { purgeInService(t, s) })
	t.Run("remove takes away and says so, twice", func(t *testing.T) { remove(t, s) })
	t.Run("data is never removed under retain", func(t *testing.T) { retain(t, s) })
	t.Run("disable is idempotent and ensure reverses it", func(t *testing.T) { disable(t, s) })
	t.Run("lists are read to their last page", func(t *testing.T) { crowd(t, s) })
	if s.HTTP {
		runFaults(t, s)
	}
}

func neverMade(t *testing.T, s Suite) {
	w := newWorld(t, s, nil)
	for _, want := range w.wants(s.Spec) {
		if _, err := w.backend.Observe(t.Context(), w.target(want)); !fault.Is(err, fault.NotFound) {
			t.Errorf("observe %s: got %v, want a NotFound fault", key(want.Target), err)
		}
	}
}

func create(t *testing.T, s Suite) {
	w := newWorld(t, s, nil)
	for _, want := range w.wants(s.Spec) {
		w.check("ensure", want, w.mustEnsure(want, nil))
		w.check("observe", want, w.mustObserve(want))
	}
}

// check compares an observation with what was wanted.
func (w *world) check(verb string, want backend.Want, got backend.Observation) {
	w.t.Helper()
	if got.ExternalID == "" {
		w.t.Errorf("%s %s: no external id", verb, key(want.Target))
	}
	if got.Marker != w.subject.Marker() {
		w.t.Errorf("%s %s: marker %+v, want %+v", verb, key(want.Target), got.Marker, w.subject.Marker())
	}
	if changes := got.Fields.Diff(want.Fields); len(changes) > 0 {
		w.t.Errorf("%s %s: content differs: %+v", verb, key(want.Target), changes)
	}
}

func createAgain(t *testing.T, s Suite) {
	w := newWorld(t, s, nil)
	for _, want := range w.wants(s.Spec) {
		first := w.mustEnsure(want, nil)
		delete(w.ids, key(want.Target))
		second := w.mustEnsure(want, nil)
		if first.ExternalID != second.ExternalID {
			t.Errorf("ensure %s twice: ids %s and %s", key(want.Target), first.ExternalID, second.ExternalID)
		}
	}
}

func adopt(t *testing.T, s Suite) {
	w := newWorld(t, s, nil)
	for _, want := range w.wants(s.Spec) {
		made := w.mustEnsure(want, nil)
		delete(w.ids, key(want.Target))
		found := w.mustObserve(want)
		w.check("observe", want, found)
		if made.ExternalID != found.ExternalID {
			t.Errorf("observe %s without id: got %s, want %s", key(want.Target), found.ExternalID, made.ExternalID)
		}
		w.ids[key(want.Target)] = made.ExternalID
	}
}

func update(t *testing.T, s Suite) {
	w := newWorld(t, s, nil)
	w.makeAll()
	var changed int
	for _, want := range w.wants(s.Changed) {
		seen, err := w.backend.Observe(t.Context(), w.target(want))
		if fault.Is(err, fault.NotFound) {
			continue
		}
		if err != nil {
			t.Fatalf("observe %s: %v", key(want.Target), err)
		}
		changed += len(seen.Fields.Diff(want.Fields))
		w.check("update", want, w.mustEnsure(want, &seen))
		w.check("observe", want, w.mustObserve(want))
	}
	if changed == 0 {
		t.Error("Suite.Changed differs from Suite.Spec in nothing")
	}
}

func drift(t *testing.T, s Suite) {
	if s.Edit == nil {
		return
	}
	w := newWorld(t, s, nil)
	var seenDrift int
	wants := w.makeAll()
	for _, want := range wants {
		s.Edit(t, w.target(want))
		seen := w.mustObserve(want)
		seenDrift += len(seen.Fields.Diff(want.Fields))
		w.check("repair", want, w.mustEnsure(want, &seen))
	}
	if seenDrift == 0 {
		t.Error("no object showed the edit that was made behind its back")
	}
}

func vanish(t *testing.T, s Suite) {
	w := newWorld(t, s, nil)
	wants := w.makeAll()
	for i := len(wants) - 1; i >= 0; i-- {
		s.Vanish(t, w.target(wants[i]))
		if _, err := w.backend.Observe(t.Context(), w.target(wants[i])); !fault.Is(err, fault.NotFound) {
			t.Errorf("observe %s: got %v, want a NotFound fault", key(wants[i].Target), err)
		}
		receipt := w.mustRemove(wants[i])
		if receipt.Outcome != "already absent" {
			t.Errorf("remove %s: outcome %q, want \"already absent\"", key(wants[i].Target), receipt.Outcome)
		}
	}
}

func remove(t *testing.T, s Suite) {
	w := newWorld(t, s, nil)
	wants := w.makeAll()
	for i := len(wants) - 1; i >= 0; i-- {
		if receipt := w.mustRemove(wants[i]); receipt.Outcome == "" || receipt.Outcome == "already absent" {
			t.Errorf("remove %s: outcome %q", key(wants[i].Target), receipt.Outcome)
		}
		if _, err := w.backend.Observe(t.Context(), w.target(wants[i])); !fault.Is(err, fault.NotFound) {
			t.Errorf("observe removed %s: got %v, want a NotFound fault", key(wants[i].Target), err)
		}
		if receipt := w.mustRemove(wants[i]); receipt.Outcome != "already absent" {
			t.Errorf("remove %s again: outcome %q", key(wants[i].Target), receipt.Outcome)
		}
	}
}

func retain(t *testing.T, s Suite) {
	if s.FillData == nil {
		return
	}
	w := newWorld(t, s, nil)
	for _, want := range w.makeAll() {
		s.FillData(t, w.target(want))
		if _, err := w.backend.Remove(t.Context(), w.removal(want, tenant.RetainData)); !fault.Is(err, fault.Terminal) {
			t.Errorf("remove %s that holds data: got %v, want a Terminal fault", key(want.Target), err)
		}
		w.check("observe", want, w.mustObserve(want))
		if receipt := w.mustRemove(want); receipt.Outcome == "already absent" {
			t.Errorf("the data of %s was gone already", key(want.Target))
		}
	}
}

func disable(t *testing.T, s Suite) {
	w := newWorld(t, s, nil)
	disabler, offered := w.backend.(backend.Disabler)
	if !offered {
		return
	}
	for _, want := range w.makeAll() {
		for range 2 {
			if _, err := disabler.Disable(t.Context(), w.target(want), want.Key+"/disable"); err != nil {
				t.Fatalf("disable %s: %v", key(want.Target), err)
			}
		}
		seen := w.mustObserve(want)
		if !seen.Disabled {
			t.Errorf("observe disabled %s: not disabled", key(want.Target))
		}
		if back := w.mustEnsure(want, &seen); back.Disabled {
			t.Errorf("ensure disabled %s: still disabled", key(want.Target))
		}
	}
}

func crowd(t *testing.T, s Suite) {
	if s.Crowd == nil {
		return
	}
	w := newWorld(t, s, nil)
	first := w.wants(s.Spec)[0]
	made := w.mustEnsure(first, nil)
	s.Crowd(t)
	delete(w.ids, key(first.Target))
	if found := w.mustObserve(first); found.ExternalID != made.ExternalID {
		t.Errorf("observe %s in a crowd: got %s, want %s", key(first.Target), found.ExternalID, made.ExternalID)
	}
}
