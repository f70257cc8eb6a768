package executor_test

import (
	"encoding/json"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/tenantplane/terraform-provider-tenant/internal/ledger"
	"github.com/tenantplane/terraform-provider-tenant/internal/sandbox"
	"github.com/tenantplane/terraform-provider-tenant/internal/tenant"
)

func TestATenantThatWasArchivedCanLiveAgainBesideItsArchive(t *testing.T) {
	s := newStage(t)
	s.apply(spec("acme"), ledger.Ready)
	s.destroy("acme")
	generation := s.tenant().DesiredGeneration
	s.apply(spec("acme"), ledger.Ready)
	if s.tenant().DesiredGeneration <= generation {
		t.Error("the generations began anew")
	}
	if diff := cmp.Diff(oneOfEach, s.exists("acme")); diff != "" {
		t.Error(diff)
	}
	got := s.epochs("acme")
	want := map[string]int64{
		"billing.customer": 2, "billing.subscription": 2, "identity.organization": 2, "domain.record": 2,
		"database.schema": 2, "database.schema@1": 1, "storage.bucket": 2, "storage.bucket@1": 1,
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
	rows, err := s.Ledger.Objects(t.Context(), "acme")
	if err != nil {
		t.Fatal(err)
	}
	for _, o := range rows {
		if o.Epoch == 1 && (o.Condition != ledger.ConditionArchived || !o.PendingUntil.Equal(begin.Add(30*24*time.Hour))) {
			t.Errorf("the archive %s is %s until %s", o.Object, o.Condition, o.PendingUntil)
		}
	}
	s.apply(spec("acme"), ledger.Ready)
	if diff := cmp.Diff(want, s.epochs("acme")); diff != "" {
		t.Errorf("another apply changed something: %s", diff)
	}
	changed := spec("acme")
	changed.Components["storage"] = json.RawMessage(`{"versioning":true}`)
	s.apply(changed, ledger.Ready)
	if diff := cmp.Diff(want, s.epochs("acme")); diff != "" {
		t.Errorf("an update of the second life touched the first one's archive: %s", diff)
	}
	s.clock.Advance(time.Hour)
	s.destroy("acme")
	if diff := cmp.Diff(nothing, s.exists("acme")); diff != "" {
		t.Error(diff)
	}
}

func (s *stage) epochs(id tenant.ID) map[string]int64 {
	s.t.Helper()
	rows, err := s.Ledger.Objects(s.t.Context(), id)
	if err != nil {
		s.t.Fatal(err)
	}
	out := map[string]int64{}
	for _, o := range rows {
		out[o.Component+"."+o.Object] = o.Epoch
	}
	return out
}

func TestAComponentThatLeavesTheSpecIsFinalized(t *testing.T) {
	s := newStage(t)
	s.apply(spec("acme"), ledger.Ready)
	smaller := spec("acme")
	delete(smaller.Components, "domain")
	delete(smaller.Components, "storage")
	s.apply(smaller, ledger.Ready)
	if diff := cmp.Diff(map[string]int{"organization": 1, "customer": 1, "subscription": 1, "database": 1}, s.exists("acme")); diff != "" {
		t.Error(diff)
	}
	want := map[string]int64{
		"billing.customer": 1, "billing.subscription": 1, "identity.organization": 1, "database.schema": 1, "storage.bucket@1": 1,
	}
	if diff := cmp.Diff(want, s.epochs("acme")); diff != "" {
		t.Error(diff)
	}
	var steps []string
	for _, e := range s.evidence("acme") {
		steps = append(steps, e.Step)
	}
	if diff := cmp.Diff([]string{"archive storage.bucket", "delete domain.record"}, steps); diff != "" {
		t.Error(diff)
	}
}

func TestDriftIsDatedOnceAndClearedWhenItIsHealed(t *testing.T) {
	s := newStage(t)
	want := spec("acme")
	s.apply(want, ledger.Ready)
	if err := s.admin.DeleteRecords(t.Context(), "example.com.", "acme.example.com.", "CNAME"); err != nil {
		t.Fatal(err)
	}
	first := s.clock.Now()
	for range 2 {
		s.look(want)
		s.clock.Advance(time.Hour)
		got := s.object("domain", "record")
		if got.Condition != ledger.ConditionMissing || !got.DriftSince.Equal(first) {
			t.Errorf("the record is %s since %s, want Missing since %s", got.Condition, got.DriftSince, first)
		}
	}
	s.wantStatus(ledger.Degraded)
	s.apply(want, ledger.Ready)
	if got := s.object("domain", "record"); got.Condition != ledger.ConditionReady || !got.DriftSince.IsZero() || got.Epoch != 2 {
		t.Errorf("after the repair the record is %s since %s in epoch %d", got.Condition, got.DriftSince, got.Epoch)
	}
}

func TestDriftThatChangesKeepsItsDate(t *testing.T) {
	s := newStage(t)
	want := spec("acme")
	s.apply(want, ledger.Ready)
	if err := s.admin.DeleteRecords(t.Context(), "example.com.", "acme.example.com.", "CNAME"); err != nil {
		t.Fatal(err)
	}
	first := s.clock.Now()
	s.look(want)
	s.clock.Advance(time.Hour)
	err := s.admin.PutRecords(t.Context(), "example.com.", "acme.example.com.", "CNAME", sandbox.RecordSet{TTL: 60, Contents: []string{"elsewhere.example.net."}})
	if err != nil {
		t.Fatal(err)
	}
	s.look(want)
	if got := s.object("domain", "record"); got.Condition != ledger.ConditionDrifted || !got.DriftSince.Equal(first) {
		t.Errorf("the record is %s since %s, want Drifted since %s", got.Condition, got.DriftSince, first)
	}
}

func TestDriftThatGoesAwayByItselfIsCleared(t *testing.T) {
	s := newStage(t)
	want := spec("acme")
	s.apply(want, ledger.Ready)
	organization := s.object("identity", "organization").ExternalID
	s.enable(organization, false)
	s.look(want)
	s.wantStatus(ledger.Degraded)
	if got := s.object("identity", "organization"); got.Condition != ledger.ConditionDrifted || got.DriftSince.IsZero() {
		t.Errorf("the organization is %s since %s", got.Condition, got.DriftSince)
	}
	s.enable(organization, true)
	s.look(want)
	s.wantStatus(ledger.Ready)
	if got := s.object("identity", "organization"); got.Condition != ledger.ConditionReady || !got.DriftSince.IsZero() {
		t.Errorf("the organization is %s since %s", got.Condition, got.DriftSince)
	}
}

func (s *stage) enable(organization string, on bool) {
	s.t.Helper()
	if err := s.admin.EditOrganization(s.t.Context(), organization, map[string]any{"enabled": on}); err != nil {
		s.t.Fatal(err)
	}
}

// look is what a refresh does.
func (s *stage) look(want tenant.Spec) {
	s.t.Helper()
	view, err := s.Look(s.t.Context(), want)
	if err != nil {
		s.t.Fatal(err)
	}
	if err := s.DateDrift(s.t.Context(), view); err != nil {
		s.t.Fatal(err)
	}
}

func (s *stage) object(component, object string) ledger.Object {
	s.t.Helper()
	rows, err := s.Ledger.Objects(s.t.Context(), "acme")
	if err != nil {
		s.t.Fatal(err)
	}
	for _, o := range rows {
		if o.Component == component && o.Object == object {
			return o
		}
	}
	s.t.Fatalf("the ledger has no %s.%s", component, object)
	return ledger.Object{}
}

func (s *stage) wantStatus(want ledger.Status) {
	s.t.Helper()
	if row := s.tenant(); row.Status != want {
		s.t.Errorf("the tenant is %s, want %s", row.Status, want)
	}
}

func (s *stage) tenant() ledger.Tenant {
	s.t.Helper()
	row, err := s.Ledger.Tenant(s.t.Context(), "acme")
	if err != nil {
		s.t.Fatal(err)
	}
	return row
}
