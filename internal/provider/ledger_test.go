package provider_test

import (
	"context"
	"fmt"
	"net/http"
	"regexp"
	"strings"
	"sync"
	"testing"

	"github.com/hashicorp/terraform-plugin-testing/helper/resource"
	"github.com/hashicorp/terraform-plugin-testing/plancheck"
	"github.com/hashicorp/terraform-plugin-testing/statecheck"
	"github.com/hashicorp/terraform-plugin-testing/terraform"
	"github.com/jackc/pgx/v5"

	"github.com/tenantplane/terraform-provider-tenant/internal/acctest"
	"github.com/tenantplane/terraform-provider-tenant/internal/ledger"
	"github.com/tenantplane/terraform-provider-tenant/internal/provider"
)

// onPostgresLedger moves a world to a PostgreSQL ledger.
func onPostgresLedger(t *testing.T, w *world, through func(url string) string) {
	t.Helper()
	w.ledger = through(acctest.Postgres(t).NewDatabase(t))
}

func directly(url string) string { return url }

func TestAccAWholeTenantOnAPostgreSQLLedger(t *testing.T) {
	for name, through := range map[string]func(string) string{
		"directly": directly, "through a transaction pooler": acctest.PgBouncer(t, acctest.TransactionPooling),
	} {
		t.Run(name, func(t *testing.T) {
			w := onRealServers(t)
			onPostgresLedger(t, w, through)
			more := w.acme()
			more.billing = `{ plan = "pro", email = "ap@acme.example", seats = 9 }`
			run(t,
				resource.TestStep{
					Config:            w.config(w.acme()) + gate,
					ConfigStateChecks: []statecheck.StateCheck{ready()}, Check: w.holdsNow(wholeTenant),
				},
				resource.TestStep{
					Config: w.config(more) + gate,
					ConfigPlanChecks: resource.ConfigPlanChecks{
						PreApply:             []plancheck.PlanCheck{plancheck.ExpectResourceAction(acme, plancheck.ResourceActionUpdate)},
						PostApplyPostRefresh: []plancheck.PlanCheck{plancheck.ExpectEmptyPlan()},
					},
					ConfigStateChecks: []statecheck.StateCheck{ready()}, Check: w.holdsNow(wholeTenant),
				},
			)
			w.mustHold(nothing)
			store, err := provider.OpenExistingLedger(t.Context(), w.ledger)
			if err != nil {
				t.Fatal(err)
			}
			defer store.Close()
			row, err := store.Tenant(t.Context(), "acme")
			if err != nil || row.Status != ledger.Deleted || row.ObservedGeneration != 2 {
				t.Errorf("the ledger has %s at generation %d, want a tombstone at 2 (%v)", row.Status, row.ObservedGeneration, err)
			}
		})
	}
}

func TestAccALedgerThatCannotBeUsedIsExplained(t *testing.T) {
	server := acctest.Postgres(t)
	nobody := server
	nobody.Port = acctest.FreePort(t)
	other := server.NewDatabase(t)
	adopted := inSandbox(t)
	adopted.ledger, adopted.installation = other, "theirs"
	newCLI(t, adopted.config(adopted.acme())).run(0, "apply", "-auto-approve")
	w := inSandbox(t)
	terraform := newCLI(t, "")
	for name, c := range map[string]struct {
		block string
		words []string
	}{
		"nobody listens":       {fmt.Sprintf("{ url = %q }", nobody.DatabaseURL("postgres", server.Password, "postgres")), []string{"ledger.url", "127.0.0.1", "can be reached"}},
		"a wrong password":     {fmt.Sprintf("{ url = %q }", server.DatabaseURL("postgres", "guessed", "postgres")), []string{"ledger.url", "password authentication failed", "correct user and password"}},
		"another installation": {fmt.Sprintf("{ url = %q }", other), []string{"installation", "theirs", "name the ledger of that installation"}},
		"two ledgers":          {fmt.Sprintf("{ url = %q, path = \"x.db\" }", other), []string{"both path and url", "Remove one"}},
		"a path in url":        {`{ url = "./tenant-ledger.db" }`, []string{"ledger.url", "postgres://", "ledger.path"}},
		"a URL in path":        {fmt.Sprintf("{ path = %q }", other), []string{"ledger.path", "ledger.url"}},
		"a URL with a mistake": {`{ url = "postgres://user:guessed@host:port/x" }`, []string{"ledger.url", "cannot be read", "percent-encoded"}},
	} {
		t.Run(name, func(t *testing.T) {
			terraform.configure(strings.Replace(w.config(w.acme()), fmt.Sprintf("{ path = %q }", w.ledger), c.block, 1))
			output := configLines.ReplaceAllString(terraform.run(1, "plan"), "")
			if !inOrder(c.words).MatchString(output) {
				t.Errorf("the error does not say %q:\n%s", c.words, output)
			}
			for _, secret := range []string{server.Password, "guessed"} {
				if strings.Contains(output, secret) {
					t.Errorf("the error holds the password:\n%s", output)
				}
			}
			w.mustHold(nothing)
		})
	}
}

func TestAccTheLedgersURLMayComeFromTheEnvironment(t *testing.T) {
	w := inSandbox(t)
	url := acctest.Postgres(t).NewDatabase(t)
	t.Setenv(provider.LedgerURLVariable, url)
	w.ledger = ""
	c := newCLI(t, w.config(w.acme()))
	c.run(0, "apply", "-auto-approve")
	store, err := provider.OpenExistingLedger(t.Context(), url)
	if err != nil {
		t.Fatal(err)
	}
	defer store.Close()
	if row, err := store.Tenant(t.Context(), "acme"); err != nil || row.Status != ledger.Ready {
		t.Errorf("the ledger has %s (%v), want ready", row.Status, err)
	}
	c.run(0, "destroy", "-auto-approve")
}

// configLines are what Terraform quotes of the configuration.
var configLines = regexp.MustCompile(`(?m)^\s*\d+: .*$`)

// The ledger refuses writes from the moment DNS is asked: what had been made
// stays in state, nothing is tainted, and the next apply goes on.
func TestAccALedgerThatFailsInTheMiddleOfACreateTaintsNothing(t *testing.T) {
	w := onRealServers(t)
	dns := inFrontOf(t, w.powerDNS.URL)
	w.dnsURL = dns.URL
	server := acctest.Postgres(t)
	database := server.NewDatabase(t)
	sql(t, database, "CREATE ROLE keeper SUPERUSER LOGIN PASSWORD 'keeper-word'")
	w.ledger = strings.Replace(database, "postgres:"+server.Password, "keeper:keeper-word", 1)
	tenant := w.acme()
	tenant.timeouts = `{ create = "8s", update = "20s", delete = "20s" }`
	var once sync.Once
	run(t,
		resource.TestStep{
			PreConfig: func() {
				dns.misbehave(http.MethodPatch, func(answer http.ResponseWriter, _ *http.Request) {
					once.Do(func() { freeze(t, database) })
					answer.WriteHeader(http.StatusServiceUnavailable)
				})
			},
			Config: w.config(tenant), ExpectNonEmptyPlan: true,
			// The refresh after the apply would meet the same ledger.
			Check: func(*terraform.State) error { thaw(t, database); return nil },
		},
		resource.TestStep{
			PreConfig: dns.heal,
			Config:    w.config(tenant) + gate,
			ConfigPlanChecks: resource.ConfigPlanChecks{
				PreApply: []plancheck.PlanCheck{plancheck.ExpectResourceAction(acme, plancheck.ResourceActionUpdate)},
			},
			ConfigStateChecks: []statecheck.StateCheck{ready()}, Check: w.holdsNow(wholeTenant),
		},
	)
	w.mustHold(nothing)
}

// freeze makes the ledger's user read-only and ends its sessions.
func freeze(t *testing.T, database string) {
	t.Helper()
	sql(t, database, "ALTER ROLE keeper SET default_transaction_read_only = on")
	sql(t, database, "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE usename = 'keeper'")
}

func thaw(t *testing.T, database string) {
	t.Helper()
	sql(t, database, "ALTER ROLE keeper RESET default_transaction_read_only")
	sql(t, database, "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE usename = 'keeper'")
}

func sql(t *testing.T, url, statement string) {
	t.Helper()
	conn, err := pgx.Connect(context.Background(), url)
	if err != nil {
		t.Error(err)
		return
	}
	defer conn.Close(context.Background())
	if _, err := conn.Exec(context.Background(), statement); err != nil {
		t.Error(err)
	}
}
