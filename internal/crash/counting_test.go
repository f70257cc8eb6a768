package crash_test

import (
	"os"
	"os/exec"
	"slices"
	"testing"

	"github.com/tenantplane/terraform-provider-tenant/internal/acctest"
	"github.com/tenantplane/terraform-provider-tenant/internal/component/database"
	"github.com/tenantplane/terraform-provider-tenant/internal/sandbox"
)

// created is a tenant in the middle of its life.
func created(t *testing.T, number int) *life {
	t.Helper()
	l := newLife(t, sample{number: number, ledger: inSQLite, isolation: database.IsolationSchema, victim: theProvider})
	if r := l.operate(t, create); r.any() {
		t.Fatalf("an undisturbed tenant has defects: %v", r.notes)
	}
	return l
}

// counted counts as after a converged operation.
func (l *life) counted(t *testing.T, op operation) findings {
	t.Helper()
	r := result{sample: l.sample, operation: op}
	l.inspect(t, op, &r, execution{}, true)
	return r.findings
}

// The table is worth something only if its columns can be other than 0.
func TestEveryColumnOfTheTableSeesItsDefect(t *testing.T) {
	l := created(t, 900)
	ctx := t.Context()

	first := l.ids(t)
	if err := l.admin.CreateOrganization(ctx, map[string]any{"name": "second"}); err != nil {
		t.Fatal(err)
	}
	// Nobody knows it: not the ledger, and not state.
	wantCounts(t, "a second organization", l.counted(t, update), findings{duplicates: 1, lost: 2})
	for _, id := range l.ids(t)[organizations] {
		if !slices.Contains(first[organizations], id) {
			if err := l.admin.DeleteOrganization(ctx, id); err != nil {
				t.Fatal(err)
			}
		}
	}
	wantCounts(t, "nothing", l.counted(t, update), findings{})

	wantCounts(t, "everything after a destruction", l.counted(t, destroy), findings{orphans: 8, lost: 6 + 1})

	if e := l.terraformDoes(t, "taint", "tenant.acme"); e.code != 0 {
		t.Fatal(e)
	}
	wantCounts(t, "a tainted tenant", l.counted(t, update), findings{tainted: 1})

	if err := l.admin.DeleteStripe(ctx, "customers", first[customers][0]); err != nil {
		t.Fatal(err)
	}
	// The subscription goes with its customer.
	wantCounts(t, "a missing customer", l.counted(t, update), findings{tainted: 1, lost: 4})

	if err := os.Rename(l.place, l.place+".away"); err != nil {
		t.Fatal(err)
	}
	wantCounts(t, "a lost ledger", l.counted(t, update), findings{tainted: 1, lost: 2 + 4})
}

func TestAnOperationThatDoesNotConvergeIsStuck(t *testing.T) {
	l := newLife(t, sample{number: 901, ledger: inSQLite, isolation: database.IsolationSchema, victim: theProvider})
	if _, err := l.admin.AddFault(t.Context(), sandbox.Fault{System: "keycloak", Method: "POST", Path: "organizations$", Count: -1, Effect: sandbox.Forbidden}); err != nil {
		t.Fatal(err)
	}
	wantCounts(t, "an organization that is refused", l.operate(t, create).findings, findings{stuck: 1})
}

func TestAnUnstruckRunIsNoKillAndIsTriedAgain(t *testing.T) {
	s := sample{number: 902, ledger: inSQLite, isolation: database.IsolationSchema, victim: theProvider, at: map[operation]boundary{create: {name: "nothing is called so", nth: 1}}}
	l := newLife(t, s)
	r := l.operate(t, create)
	if r.struck || r.any() {
		t.Errorf("got %+v, want an operation that just went well", r)
	}
	if rows := rows([]result{r}); len(rows) != 1 || rows[0].kills != 0 || len(rows[0].hit) != 0 {
		t.Errorf("the table counts %+v, want no kill", rows[0])
	}
	if again := missed([]result{r}, 7); len(again) != 1 || again[0].number != 7 || again[0].at[create] != s.at[create] {
		t.Errorf("tried again is %+v, want the same boundary", again)
	}
}

func TestAProviderThatOutlivesItsTerraformIsLeftBehind(t *testing.T) {
	folder := t.TempDir()
	cmd := exec.CommandContext(t.Context(), provider(t), "sandbox", "serve", "--listen", "127.0.0.1:0")
	cmd.Dir = folder
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	if n := leftBehind(folder, provider(t)); n != 1 {
		t.Errorf("%d processes are left behind, want 1", n)
	}
	if err := cmd.Wait(); err == nil {
		t.Error("the process was not ended")
	}
	if n := leftBehind(folder, provider(t)); n != 0 {
		t.Errorf("%d processes are left behind, want none", n)
	}
}

func TestAKilledServerComesBackWithItsDataOnItsPort(t *testing.T) {
	server, mortal := acctest.OwnPowerDNS(t, "back.example.org")
	if err := mortal.Kill(); err != nil {
		t.Fatal(err)
	}
	if _, _, err := server.Call("GET", "/zones/back.example.org.", nil); err == nil {
		t.Error("the killed server answers")
	}
	if err := mortal.Restart(); err != nil {
		t.Fatal(err)
	}
	if status, body, err := server.Call("GET", "/zones/back.example.org.", nil); status != 200 {
		t.Errorf("the zone is gone: %d %s %v", status, body, err)
	}
	mortal.End()
}

func (l *life) ids(t *testing.T) holdings {
	t.Helper()
	h, err := l.holdings(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	return h
}

func wantCounts(t *testing.T, what string, got, want findings) {
	t.Helper()
	notes := got.notes
	got.notes = nil
	if got.duplicates != want.duplicates || got.orphans != want.orphans || got.lost != want.lost || got.tainted != want.tainted ||
		got.stuck != want.stuck || got.leftBehind != want.leftBehind {
		t.Errorf("%s: counted %+v, want %+v\n%v", what, got, want, notes)
	}
}
