package backendtest

import (
	"testing"
	"time"

	"github.com/tenantplane/terraform-provider-tenant/internal/backend"
	"github.com/tenantplane/terraform-provider-tenant/internal/fault"
	"github.com/tenantplane/terraform-provider-tenant/internal/tenant"
)

// purge archives every object that can be, and ends the archives.
func purge(t *testing.T, s Suite) {
	w := newWorld(t, s, nil)
	archiver, offered := w.backend.(backend.Archiver)
	if !offered {
		return
	}
	purger, offered := w.backend.(backend.Purger)
	if !offered {
		t.Fatal("it archives and can never end an archive")
	}
	for _, want := range w.makeAll() {
		if s.FillData != nil {
			s.FillData(t, w.target(want))
		}
		removal := w.removal(want, tenant.ArchiveData)
		until := time.Now().Add(time.Hour).UTC().Truncate(time.Second)
		removal.RetainUntil = until
		receipt, err := archiver.Archive(t.Context(), removal)
		if err != nil {
			t.Fatalf("archive %s: %v", key(want.Target), err)
		}
		removal.Name, removal.Data = receipt.Details["archive"], tenant.DeleteData
		call := func(change func(*backend.Removal)) (backend.Receipt, error) {
			t.Helper()
			r := removal
			change(&r)
			return purger.Purge(t.Context(), r)
		}
		early, err := call(func(r *backend.Removal) { r.Now = until.Add(-time.Second) })
		if err != nil || !early.PendingUntil.Equal(until) {
			t.Errorf("purge %s a second early: %+v, %v; want it to wait until %s", key(want.Target), early, err, until)
		}
		_, err = call(func(r *backend.Removal) {
			r.Subject, r.Now = w.stranger(nil).subject, until
		})
		if !fault.Is(err, fault.Conflict) {
			t.Errorf("purge %s for another installation: got %v, want a Conflict fault", key(want.Target), err)
		}
		// A recorded date that is earlier than the archive's own does not count.
		early, err = call(func(r *backend.Removal) {
			r.RetainUntil, r.Now = until.Add(-2*time.Hour), until.Add(-time.Hour)
		})
		if err != nil || early.PendingUntil.IsZero() {
			t.Errorf("purge %s by a wrong record: %+v, %v", key(want.Target), early, err)
		}
		for _, outcome := range []string{backend.OutcomeDestroyed, "already absent"} {
			got, err := call(func(r *backend.Removal) { r.Now = until })
			if err != nil || got.Outcome != outcome {
				t.Errorf("purge %s: %+v, %v; want %q", key(want.Target), got, err, outcome)
			}
		}
	}
}

// purgeInService asks for the end of what is not an archive.
func purgeInService(t *testing.T, s Suite) {
	w := newWorld(t, s, nil)
	purger, offered := w.backend.(backend.Purger)
	if !offered {
		return
	}
	for _, want := range w.makeAll() {
		removal := w.removal(want, tenant.DeleteData)
		removal.RetainUntil, removal.Now = time.Now().Add(-time.Hour), time.Now()
		receipt, err := purger.Purge(t.Context(), removal)
		if err == nil && receipt.Outcome != "already absent" || err != nil && !fault.Is(err, fault.Conflict) {
			t.Errorf("purge %s in service: %+v, %v", key(want.Target), receipt, err)
		}
		w.check("observe", want, w.mustObserve(want))
	}
}
