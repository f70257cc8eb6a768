package cli_test

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"os"
	"os/exec"
	"strings"
	"testing"
	"time"

	"github.com/tenantplane/terraform-provider-tenant/internal/acctest"
	"github.com/tenantplane/terraform-provider-tenant/internal/ledger"
	"github.com/tenantplane/terraform-provider-tenant/internal/provider"
	"github.com/tenantplane/terraform-provider-tenant/internal/tenant"
)

// wake makes all tenants of the place due.
func (p place) wake(ids ...tenant.ID) {
	p.Helper()
	store, err := provider.OpenExistingLedger(p.Context(), p.path("x.db"))
	p.must(err)
	defer store.Close()
	for _, id := range ids {
		_, err := store.Wake(p.Context(), id, 0)
		p.must(err)
	}
}

func TestASweepOnceVisitsWhatIsDue(t *testing.T) {
	p := newPlace(t, "acme", "zebra")
	if said := p.look(0, "sweep", "--once"); !strings.HasPrefix(said, "0 tenants visited") {
		t.Error(said)
	}
	p.must(p.admin.DeleteRecords(t.Context(), "example.com.", "acme.example.com.", "CNAME"))
	p.wake("acme", "zebra")
	var report map[string]int
	if err := json.Unmarshal([]byte(p.look(0, "sweep", "--once", "-o", "json")), &report); err != nil || report["visited"] != 2 {
		t.Errorf("%v %v", report, err)
	}
	if said := p.look(0, "status", "--ledger", "x.db"); !strings.Contains(said, "degraded") {
		t.Errorf("the drift was not dated: %s", said)
	}
}

func TestASuspendedTenantIsShownAsSuchUntilItIsResumed(t *testing.T) {
	p := newPlace(t, "acme")
	if said := p.look(0, "suspend", "acme", "--reason", "unpaid since October"); !strings.Contains(said, "suspended") || !strings.Contains(said, "unpaid since October") {
		t.Error(said)
	}
	p.look(0, "drift") // it is as somebody wants it
	if said := p.look(1, "suspend", "nobody", "--reason", "x"); !strings.Contains(said, "not in the ledger") {
		t.Error(said)
	}
	if said := p.look(1, "suspend", "acme"); !strings.Contains(said, "reason") {
		t.Error(said)
	}
	if said := p.look(0, "resume", "acme"); !strings.Contains(said, "ready") || strings.Contains(said, "suspended") {
		t.Error(said)
	}
}

func TestAPauseIsShownAndEnds(t *testing.T) {
	p := newPlace(t, "acme")
	if said := p.look(0, "pause", "acme", "--for", "2h", "--reason", "INC-7", "--ledger", "x.db"); !strings.Contains(said, "INC-7") {
		t.Error(said)
	}
	if said := p.look(0, "pause", "acme", "--end", "--ledger", "x.db"); strings.Contains(said, "INC-7") {
		t.Error(said)
	}
	p.look(1, "pause", "acme", "--ledger", "x.db")
}

// A service of the real binary: it is ready, takes a wake-up, and ends well.
func TestASweepServiceIsReadyWakesAndEndsWhenItIsTold(t *testing.T) {
	p := newPlace(t, "acme")
	ctx, cancel := context.WithTimeout(t.Context(), 2*time.Minute)
	defer cancel()
	cmd := exec.CommandContext(ctx, acctest.Provider(t), "sweep", "--listen", "127.0.0.1:0", "--tick", "1s")
	cmd.Dir = p.folder
	cmd.Env = append(os.Environ(), "TENANT_SWEEP_TOKEN=old new")
	log, err := cmd.StderrPipe()
	p.must(err)
	p.must(cmd.Start())
	lines := bufio.NewScanner(log)
	base := ""
	for base == "" && lines.Scan() {
		var line struct{ Msg, Address string }
		if json.Unmarshal(lines.Bytes(), &line) == nil && line.Msg == "listening" {
			base = "http://" + line.Address
		}
	}
	go func() { _, _ = io.Copy(io.Discard, log) }()
	call := func(method, path, body string) int {
		request, err := http.NewRequestWithContext(ctx, method, base+path, strings.NewReader(body))
		p.must(err)
		request.Header.Set("Authorization", "Bearer new")
		response, err := http.DefaultClient.Do(request)
		p.must(err)
		_ = response.Body.Close()
		return response.StatusCode
	}
	for call(http.MethodGet, "/readyz", "") != http.StatusOK {
		time.Sleep(200 * time.Millisecond)
		p.must(ctx.Err())
	}
	p.must(p.admin.DeleteRecords(t.Context(), "example.com.", "acme.example.com.", "CNAME"))
	if code := call(http.MethodPost, "/wake", `{"tenant_id":"acme"}`); code != http.StatusAccepted {
		t.Errorf("wake: %d", code)
	}
	if code := call(http.MethodPost, "/webhooks/stripe", `{}`); code != http.StatusNotFound {
		t.Errorf("a webhook without a secret: %d", code)
	}
	store, err := provider.OpenExistingLedger(ctx, p.path("x.db"))
	p.must(err)
	defer store.Close()
	for {
		row, err := store.Tenant(ctx, "acme")
		p.must(err)
		if row.Status == ledger.Degraded {
			break
		}
		time.Sleep(200 * time.Millisecond)
	}
	p.must(cmd.Process.Signal(os.Interrupt))
	if err := cmd.Wait(); err != nil {
		t.Errorf("it ended with %v", err)
	}
}

func TestTheShellCompletesTenants(t *testing.T) {
	p := newPlace(t, "acme", "zebra")
	script := fmt.Sprintf(`source /dev/stdin <<<"$(%[1]s completion bash)"
COMP_WORDS=(terraform-provider-tenant --ledger %[2]s status ze) COMP_CWORD=4 COMP_LINE="terraform-provider-tenant --ledger %[2]s status ze" COMP_POINT=${#COMP_LINE}
_get_comp_words_by_ref() { cur=ze prev=status words=("${COMP_WORDS[@]}") cword=4; }
__start_terraform-provider-tenant
echo "${COMPREPLY[@]}"`, acctest.Provider(t), p.path("x.db"))
	cmd := exec.CommandContext(t.Context(), "bash", "-c", script)
	cmd.Env = append(os.Environ(), "PATH="+strings.TrimSuffix(acctest.Provider(t), "/terraform-provider-tenant")+":"+os.Getenv("PATH"))
	said, err := cmd.Output() // bash grumbles that no person pressed a key
	if err != nil || !strings.HasPrefix(strings.TrimSpace(string(said)), "zebra") {
		t.Errorf("bash completes to %q (%v)", said, err)
	}
}

func TestEveryCommandHasAManualPage(t *testing.T) {
	folder := t.TempDir()
	mustTool(t, "man", "--dir", folder)
	for _, name := range []string{"sweep", "drift", "events-replay", "suspend", "plan"} {
		page, err := os.ReadFile(folder + "/terraform-provider-tenant-" + name + ".1")
		if err != nil || !strings.Contains(string(page), ".SH SYNOPSIS") {
			t.Errorf("%s: %v", name, err)
		}
	}
}
