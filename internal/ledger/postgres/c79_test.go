package postgres_test

import (
	"crypto/rand"
	"database/sql"
	"testing"
	"time"

	"github.com/tenantplane/terraform-provider-tenant/internal/acctest"
	"github.com/tenantplane/terraform-provider-tenant/internal/ledger"
	"github.com/tenantplane/terraform-provider-tenant/internal/ledger/postgres"
	"github.com/tenantplane/terraform-provider-tenant/internal/tenant"
)

// history writes a million events of the past that nobody is owed, and evidence
// as old.
const history = `
	INSERT INTO outbox (event_id, tenant_id, position, type, correlation, at, data)
	SELECT 'old-' || n, 'acme', n, 'tenant.component_ready.v1', 'c', n, '{}' FROM generate_series(1, 1000000) n`

// TestC79_ALongHistoryMakesNoPollSlower: with a million delivered events and a
// hundred pending ones no poll reads the history, whatever transaction somebody
// left open; the purge goes in batches and leaves what is owed, and evidence.
func TestC79_ALongHistoryMakesNoPollSlower(t *testing.T) {
	url := acctest.Postgres(t).NewDatabase(t)
	store, err := postgres.Open(t.Context(), url, rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	defer store.Close()
	must := func(err error) {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
	}
	db := store.(interface{ DB() *sql.DB }).DB()
	declare := func(id tenant.ID) {
		t.Helper()
		_, err := store.Declare(t.Context(), ledger.Declaration{
			Spec: tenant.Spec{Subject: tenant.Subject{Installation: "test", ID: id, Region: "r"}}, Claim: "c", EventID: "declared-" + string(id),
		})
		must(err)
	}
	declare("acme")
	_, err = db.ExecContext(t.Context(), history)
	must(err)
	lease, err := store.Acquire(t.Context(), "acme", "w", time.Hour)
	must(err)
	must(store.Advance(t.Context(), lease, ledger.Progress{Generation: 1, Status: ledger.Ready, Evidence: []ledger.Evidence{{Time: time.UnixMicro(1), Step: "old"}}}))
	_, err = db.ExecContext(t.Context(), "ANALYZE")
	must(err)

	forgotten, err := db.BeginTx(t.Context(), nil) // somebody's session, idle in transaction
	must(err)
	defer func() { _ = forgotten.Rollback() }()
	_, err = forgotten.ExecContext(t.Context(), "SELECT count(*) FROM tenants")
	must(err)

	must(store.RegisterSink(t.Context(), "hook", false))
	for i := range 100 {
		declare(tenant.ID(string(rune('a'+i/26)) + string(rune('a'+i%26))))
	}
	before := scans(t, db)
	delivered := 0
	for {
		claimed, err := store.Claim(t.Context(), "hook", "d", 32, time.Minute)
		must(err)
		if len(claimed) == 0 {
			break
		}
		var results []ledger.DeliveryResult
		for _, c := range claimed {
			results = append(results, ledger.DeliveryResult{EventID: c.Event.ID, Delivered: true})
		}
		must(store.SettleDeliveries(t.Context(), "hook", "d", results, ledger.SinkHealth{}))
		delivered += len(claimed)
	}
	if delivered != 100 {
		t.Errorf("%d of 100 were delivered", delivered)
	}
	for range 20 { // what a sweep asks all the time
		_, err := store.Claim(t.Context(), "hook", "d", 32, time.Minute)
		must(err)
		_, err = store.Sinks(t.Context())
		must(err)
	}
	after := scans(t, db)
	if after.bySequence != before.bySequence {
		t.Errorf("the polls read the whole history %d times", after.bySequence-before.bySequence)
	}
	if after.byIndex == before.byIndex {
		t.Error("nothing was counted, so nothing was proven")
	}

	age, err := store.OldestTransaction(t.Context())
	if err != nil || age <= 0 {
		t.Errorf("the forgotten transaction is %s old (%v)", age, err)
	}
	n, err := store.PurgeEvents(t.Context(), time.UnixMicro(900_000), 500)
	if err != nil || n != 500 {
		t.Errorf("a batch of %d was purged (%v)", n, err)
	}
	evidence, err := store.Evidence(t.Context(), "acme")
	if err != nil || len(evidence) != 1 {
		t.Errorf("%d entries of evidence are left (%v)", len(evidence), err)
	}
}

type scanned struct{ bySequence, byIndex int64 }

// scans reads how the outbox has been read. Sessions report with a delay of a
// second at most, at the end of their next transaction.
func scans(t *testing.T, db *sql.DB) scanned {
	t.Helper()
	time.Sleep(1500 * time.Millisecond)
	for range 12 { // every session of the pool has its say
		if _, err := db.ExecContext(t.Context(), "SELECT pg_stat_force_next_flush()"); err != nil {
			t.Fatal(err)
		}
	}
	var s scanned
	err := db.QueryRowContext(t.Context(), "SELECT seq_scan, coalesce(idx_scan, 0) FROM pg_stat_user_tables WHERE relname = 'outbox'").Scan(&s.bySequence, &s.byIndex)
	if err != nil {
		t.Fatal(err)
	}
	return s
}
