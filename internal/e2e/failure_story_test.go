package e2e_test

import (
	"strings"
	"testing"
	"time"

	"github.com/tenantplane/terraform-provider-tenant/internal/ledger"
)

// TestFailureStory is the story of the design, with real processes and
// servers: everything is done but DNS, whose answer never comes; the provider
// is killed before it can record anything; a new process goes on; somebody
// deletes the record; the next refresh sees that, and it comes back. At every
// moment there is at most one of each object.
func TestFailureStory(t *testing.T) {
	for name, takesEffect := range map[string]bool{"lost-answer": true, "lost-request": false} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			tellFailureStory(t, name, takesEffect)
		})
	}
}

func tellFailureStory(t *testing.T, name string, takesEffect bool) {
	w := newWorld(t, name)
	dns := newSilentDNS(t, w.dns.URL, takesEffect)
	installation := strings.ReplaceAll(name, "-", "")
	dir := newWorkdir(t, w.config(installation, dns.url))
	key := installation + "/acme/domain.record/e1"
	w.watch(t)

	w.applyUntilKilled(t, dir, dns)
	records := map[bool]int{true: 1, false: 0}[takesEffect]
	w.want(t, "after the kill", map[string]int{"rrset": records})
	dir.wantIntent(t, key)
	dir.wantUntainted(t)

	dir.run(t, "resume.log", 0, "apply", "-auto-approve")
	w.want(t, "after the resumption", nil)
	dir.wantTenant(t, ledger.Ready, 1)
	if n := dir.wantUntainted(t); n != 2 {
		t.Errorf("state has %d resources, want the tenant and its gate", n)
	}
	wantSecondTry(t, dir, dns, takesEffect, key)
	dir.run(t, "idle.log", 0, "plan", "-detailed-exitcode")

	w.deleteRecord(t)
	w.want(t, "after the deletion by hand", map[string]int{"rrset": 0})
	plan := dir.run(t, "drift.log", 2, "plan", "-detailed-exitcode")
	if !strings.Contains(plan, "1 to change, 0 to destroy") || !strings.Contains(plan, "domain") {
		t.Errorf("the plan does not show that the record is missing:\n%s", plan)
	}
	dir.run(t, "repair.log", 0, "apply", "-auto-approve")
	w.want(t, "after the repair", nil)
	dir.wantTenant(t, ledger.Ready, 2)
	if dir.loggedKey(t, "repair.log", strings.TrimSuffix(key, "1")+"2") == 0 {
		t.Error("the record did not come back under the key of a second life")
	}
	dir.wantUntainted(t)

	dir.run(t, "destroy.log", 0, "destroy", "-auto-approve")
	w.want(t, "after the destruction", map[string]int{
		"organization": 0, "customer": 0, "subscription": 0, "schema": 0, "bucket": 0, "rrset": 0,
	})
}

// applyUntilKilled applies until DNS does not answer, and kills the provider.
func (w *world) applyUntilKilled(t *testing.T, dir workdir, dns *silentDNS) {
	t.Helper()
	cmd, output := dir.command(t, "killed.log", "apply", "-auto-approve")
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	ended := make(chan error, 1)
	go func() { ended <- cmd.Wait() }()
	select {
	case <-dns.hung:
	case err := <-ended:
		t.Fatalf("terraform ended before DNS was asked: %v\n%s", err, output)
	case <-time.After(time.Minute):
		t.Fatal("DNS was not asked within a minute")
	}
	killProvider(t, cmd.Process.Pid)
	if err := <-ended; err == nil {
		t.Errorf("terraform did not notice that its provider died:\n%s", output)
	}
}

// wantIntent wants one open intent: the creation of the record.
func (d workdir) wantIntent(t *testing.T, key string) {
	t.Helper()
	intents, err := d.ledger(t).OpenIntents(t.Context(), "acme")
	if err != nil {
		t.Fatal(err)
	}
	if len(intents) != 1 || intents[0].Key != key || intents[0].Verb != "create" || intents[0].Tries != 1 {
		t.Errorf("the ledger remembers %+v, want the creation under %s", intents, key)
	}
}

// wantTenant wants a status, no open intent, and the record in an epoch.
func (d workdir) wantTenant(t *testing.T, status ledger.Status, epoch int64) {
	t.Helper()
	store := d.ledger(t)
	row, err := store.Tenant(t.Context(), "acme")
	if err != nil || row.Status != status {
		t.Errorf("tenant is %s (%v), want %s", row.Status, err, status)
	}
	if intents, err := store.OpenIntents(t.Context(), "acme"); err != nil || len(intents) > 0 {
		t.Errorf("open intents %v, %v", intents, err)
	}
	objects, err := store.Objects(t.Context(), "acme")
	if err != nil {
		t.Fatal(err)
	}
	for _, o := range objects {
		want := int64(1)
		if o.Component == "domain" {
			want = epoch
		}
		if o.Epoch != want || o.ExternalID == "" {
			t.Errorf("%s.%s is %q in epoch %d, want epoch %d", o.Component, o.Object, o.ExternalID, o.Epoch, want)
		}
	}
	if len(objects) != 6 {
		t.Errorf("the ledger has %d objects, want 6", len(objects))
	}
}

// wantSecondTry wants the record adopted without another change where the
// first one took effect, and made where it did not, under the first one's key
// either way.
func wantSecondTry(t *testing.T, dir workdir, dns *silentDNS, takesEffect bool, key string) {
	t.Helper()
	adopted := len(dir.logged(t, "resume.log", "adopt domain.record"))
	made := len(dir.logged(t, "resume.log", "create domain.record"))
	if dir.loggedKey(t, "resume.log", key) == 0 {
		t.Errorf("nothing happened under the first try's key %s", key)
	}
	if takesEffect && (adopted == 0 || made > 0 || dns.seen() != 1) {
		t.Errorf("the record exists and should be adopted: %d adoptions, %d creations, %d changes asked for", adopted, made, dns.seen())
	}
	if !takesEffect && (adopted > 0 || made == 0 || dns.seen() != 2) {
		t.Errorf("the record should be made: %d adoptions, %d creations, %d changes asked for", adopted, made, dns.seen())
	}
}
