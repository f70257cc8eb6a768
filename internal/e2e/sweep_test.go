package e2e_test

import (
	"os"
	"os/exec"
	"strings"
	"testing"
	"time"

	"github.com/tenantplane/terraform-provider-tenant/internal/acctest"
	"github.com/tenantplane/terraform-provider-tenant/internal/ledger"
)

// sweeping runs a sweep service in the folder of a configuration until the test
// ends, which it has to do well.
func (w workdir) sweeping(t *testing.T) {
	t.Helper()
	log, err := os.Create(w.path("sweep.log"))
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command(acctest.Provider(t), "sweep", "--listen", "", "--tick", "1s")
	cmd.Dir, cmd.Stderr = w.folder, log
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		_ = cmd.Process.Signal(os.Interrupt)
		if err := cmd.Wait(); err != nil {
			t.Errorf("the sweeps ended with %v", err)
		}
		_ = log.Close()
	})
}

// await waits until the ledger has a status and an age of the record.
func (w workdir) await(t *testing.T, status ledger.Status, epoch int64) {
	t.Helper()
	store := w.ledger(t)
	for deadline := time.Now().Add(90 * time.Second); ; time.Sleep(100 * time.Millisecond) {
		row, err := store.Tenant(t.Context(), "acme")
		if err != nil {
			t.Fatal(err)
		}
		objects, err := store.Objects(t.Context(), "acme")
		if err != nil {
			t.Fatal(err)
		}
		for _, o := range objects {
			if o.Component == "domain" && o.Epoch == epoch && row.Status == status && row.ObservedGeneration == row.DesiredGeneration {
				return
			}
		}
		if time.Now().After(deadline) {
			t.Fatalf("the tenant is %s, want %s with a record in epoch %d: %s", row.Status, status, epoch, row.LastError)
		}
	}
}

// An apply is killed in the middle of a call whose answer is lost; a sweep
// service ends what it began, once each, and repairs what a hand breaks. To
// Terraform nothing is left to do.
func TestASweepFinishesWhatAKilledApplyBeganAndRepairsWhatAHandBreaks(t *testing.T) {
	w := newWorld(t, "swept")
	dns := newSilentDNS(t, w.dns.URL, true)
	config := strings.Replace(w.config("swept", dns.url), "  deletion     =", "  drift        = { policy = \"repair\" }\n  deletion     =", 1)
	dir := newWorkdir(t, config)
	w.watch(t)
	w.applyUntilKilled(t, dir, dns)
	w.want(t, "after the kill", nil)

	dir.sweeping(t)
	dir.await(t, ledger.Ready, 1)
	w.want(t, "after the sweep", nil)
	dir.run(t, "again.log", 0, "apply", "-auto-approve")
	dir.wantUntainted(t)
	dir.run(t, "idle.log", 0, "plan", "-detailed-exitcode")

	w.deleteRecord(t)
	if _, err := dir.ledger(t).Wake(t.Context(), "acme", 0); err != nil {
		t.Fatal(err)
	}
	dir.await(t, ledger.Ready, 2)
	w.want(t, "after the repair", nil)
	dir.run(t, "idle2.log", 0, "plan", "-detailed-exitcode")
	dir.run(t, "destroy.log", 0, "destroy", "-auto-approve")
	w.want(t, "after the destruction", noneLeft)
}
