package executor_test

import (
	"context"
	"crypto/rand"
	"encoding/json"
	"fmt"
	"os"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/tenantplane/terraform-provider-tenant/internal/executor"
	"github.com/tenantplane/terraform-provider-tenant/internal/ledger"
	"github.com/tenantplane/terraform-provider-tenant/internal/ledger/sqlite"
	"github.com/tenantplane/terraform-provider-tenant/internal/sandbox"
	"github.com/tenantplane/terraform-provider-tenant/internal/tenant"
)

// pointing wants a record that points somewhere, and nothing else.
func pointing(target, adopt string) tenant.Spec {
	want := spec("acme")
	want.Components = map[string]json.RawMessage{
		"domain": json.RawMessage(fmt.Sprintf(`{"hostname":"acme.example.com","target":%q,"adopt":%q}`, target, adopt)),
	}
	if adopt == "" {
		want.Components["domain"] = json.RawMessage(fmt.Sprintf(`{"hostname":"acme.example.com","target":%q}`, target))
	}
	return want
}

// beside is an executor over the same systems with a ledger of its own.
func (s *stage) beside(name tenant.Installation, file string) *executor.Executor {
	s.t.Helper()
	store, err := sqlite.Open(s.t.Context(), s.path(file), s.clock, rand.Reader)
	if err != nil {
		s.t.Fatal(err)
	}
	s.t.Cleanup(func() { _ = store.Close() })
	if err := store.AdoptInstallation(s.t.Context(), name); err != nil {
		s.t.Fatal(err)
	}
	return s.worker("beside", func(o *executor.Options) { o.Ledger = store })
}

// What is found under a record's name, who made it, and what the user says
// about it decide together.
func TestWhoMadeARecordAndWhatAdoptSaysDecideWhetherItIsTakenOver(t *testing.T) {
	ours := func(s *stage, target string) { s.applyBeside(installation, "lost.db", target) }
	theirs := func(s *stage, target string) { s.applyBeside("else", "theirs.db", target) }
	nobodys := func(s *stage, target string) {
		err := s.admin.PutRecords(context.Background(), "example.com.", "acme.example.com.", "CNAME", sandbox.RecordSet{TTL: 300, Contents: []string{target + "."}})
		if err != nil {
			s.t.Fatal(err)
		}
	}
	const same, other = "edge.example.net", "other.example.net"
	for name, c := range map[string]struct {
		make  func(s *stage, target string)
		found string
		// taken is for which words of adopt it is taken over: "-" for none said.
		taken string
		// owner is how a conflict names the owner.
		owner string
		// written: taking it over means writing to it.
		written bool
	}{
		"ours, the same":            {ours, same, "- matching overwrite", "", false},
		"ours, different":           {ours, other, "- matching overwrite", "", true},
		"another's, the same":       {theirs, same, "matching overwrite", "tenant:else/acme/us-east", true},
		"another's, different":      {theirs, other, "overwrite", "tenant:else/acme/us-east", true},
		"without marker, the same":  {nobodys, same, "- matching overwrite", "", false},
		"without marker, different": {nobodys, other, "overwrite", "without a marker", true},
	} {
		for _, adopt := range []string{"", "matching", "overwrite"} {
			t.Run(name+"/adopt="+adopt, func(t *testing.T) {
				t.Parallel()
				s := newStage(t)
				c.make(s, c.found)
				before := s.changes()
				word := adopt
				if word == "" {
					word = "-"
				}
				if !strings.Contains(c.taken, word) {
					s.wantConflict(pointing(same, adopt), c.owner)
					s.wantRecord(c.found)
					return
				}
				s.apply(pointing(same, adopt), ledger.Ready)
				s.wantRecord(same)
				if wrote := s.changes() > before; wrote != c.written {
					t.Errorf("it was written to: %t, want %t", wrote, c.written)
				}
				if got := s.object("domain", "record"); got.ExternalID == "" || got.Epoch != 1 {
					t.Errorf("recorded as %q in epoch %d", got.ExternalID, got.Epoch)
				}
			})
		}
	}
}

// applyBeside has another ledger's tenant make the record.
func (s *stage) applyBeside(name tenant.Installation, file, target string) {
	s.t.Helper()
	want := pointing(target, "")
	want.Subject.Installation = name
	outcome, err := s.beside(name, file).Converge(context.Background(), executor.Request{Spec: want, Claim: "theirs"})
	if err != nil || outcome.Status != ledger.Ready {
		s.t.Fatalf("%s %v %v", outcome.Status, outcome.Faults, err)
	}
}

// wantConflict wants an apply to be blocked by a conflict that names the owner
// and says what to set, and the ledger to hold no id.
func (s *stage) wantConflict(want tenant.Spec, owner string) {
	s.t.Helper()
	outcome := s.apply(want, ledger.Blocked)
	text := outcome.Faults[0].Fault.Error()
	for _, words := range []string{"domain.hostname", `"acme.example.com."`, owner, `adopt = "matching" or "overwrite"`} {
		if !strings.Contains(text, words) {
			s.t.Errorf("%q does not say %q", text, words)
		}
	}
	if s.known("acme") != 0 {
		s.t.Error("the stranger's object is recorded as the tenant's")
	}
}

// changes counts the changes asked of DNS.
func (s *stage) changes() (n int) {
	s.t.Helper()
	lines, err := s.admin.Requests(context.Background(), 0)
	if err != nil {
		s.t.Fatal(err)
	}
	for _, l := range lines {
		if l.System == "powerdns" && l.Method == "PATCH" {
			n++
		}
	}
	return n
}

// wantRecord wants one record that points somewhere.
func (s *stage) wantRecord(target string) {
	s.t.Helper()
	inventory, err := s.admin.Objects(context.Background(), sandbox.Filter{Kind: "rrset"})
	if err != nil || len(inventory.Objects) != 1 || !strings.Contains(string(inventory.Objects[0].Body), target+".") {
		s.t.Errorf("DNS holds %+v (%v), want one record with %s", inventory.Objects, err, target)
	}
}

// A container's name proves nothing: even an empty one is a stranger's until
// the user says otherwise.
func TestAContainerWithoutMarkerIsTakenOverOnTheUsersWordOnly(t *testing.T) {
	bucket := tenant.BucketName.Name(installation, "acme")
	for adopt, status := range map[string]ledger.Status{"": ledger.Blocked, "matching": ledger.Ready, "overwrite": ledger.Ready} {
		t.Run("adopt="+adopt, func(t *testing.T) {
			s := newStage(t)
			if err := os.Mkdir(s.path("storage/"+bucket), 0o750); err != nil {
				t.Fatal(err)
			}
			want := spec("acme")
			if adopt != "" {
				want.Components["storage"] = json.RawMessage(fmt.Sprintf(`{"adopt":%q}`, adopt))
			}
			outcome := s.apply(want, status)
			if status == ledger.Blocked && !strings.Contains(outcome.Faults[0].Fault.Error(), `adopt = "matching" or "overwrite"`) {
				t.Errorf("%v does not say what to set", outcome.Faults[0].Fault)
			}
		})
	}
}

func TestALostLedgerIsRebuiltWithoutACreation(t *testing.T) {
	s := newStage(t)
	s.apply(spec("acme"), ledger.Ready)
	before := s.exists("acme")
	customers, subscriptions := len(s.keys("/v1/customers")), len(s.keys("/v1/subscriptions"))
	changes := s.changes()
	again := s.beside(installation, "anew.db")
	outcome, err := again.Converge(t.Context(), executor.Request{Spec: spec("acme"), Claim: claim})
	if err != nil || outcome.Status != ledger.Ready {
		t.Fatalf("%s %v %v", outcome.Status, outcome.Faults, err)
	}
	if diff := cmp.Diff(before, s.exists("acme")); diff != "" {
		t.Error(diff)
	}
	if len(s.keys("/v1/customers")) != customers || len(s.keys("/v1/subscriptions")) != subscriptions || s.changes() != changes {
		t.Error("something was made or changed")
	}
	old, _ := s.Ledger.Objects(t.Context(), "acme")
	found, err := again.Ledger.Objects(t.Context(), "acme")
	if err != nil || len(found) != len(old) {
		t.Fatalf("%d objects of %d: %v", len(found), len(old), err)
	}
	for i := range old {
		if old[i].ExternalID != found[i].ExternalID {
			t.Errorf("%s.%s is %q, was %q", old[i].Component, old[i].Object, found[i].ExternalID, old[i].ExternalID)
		}
	}
}
