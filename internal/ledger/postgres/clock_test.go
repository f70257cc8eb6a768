package postgres_test

import (
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
)

// The machine's clock has no part in it: Open takes none.
func TestALeaseRunsByTheDatabasesClock(t *testing.T) {
	url := newDatabase(t)
	store := open(t, url)
	declare(t, store, acme)
	before := databaseTime(t, url)
	lease, err := store.Acquire(t.Context(), acme, "worker", time.Minute)
	if err != nil {
		t.Fatal(err)
	}
	after := databaseTime(t, url)
	if lease.Expires.Before(before.Add(time.Minute)) || lease.Expires.After(after.Add(time.Minute)) {
		t.Errorf("the lease ends at %s, want a minute after some moment between %s and %s", lease.Expires, before, after)
	}
}

// A wait for the row's lock must not make an expired lease look alive: the
// clock runs on within a transaction, unlike now().
func TestALeaseThatExpiredWhileTheWriterWaitedIsDead(t *testing.T) {
	url := newDatabase(t)
	store := open(t, url)
	declare(t, store, acme)
	lease, err := store.Acquire(t.Context(), acme, "worker", 400*time.Millisecond)
	if err != nil {
		t.Fatal(err)
	}
	free := hold(t, url)
	renewed := make(chan error, 1)
	go func() {
		_, err := store.Renew(t.Context(), lease, time.Minute)
		renewed <- err
	}()
	time.Sleep(600 * time.Millisecond) // the lease ends while the renewal waits for the row
	free()
	if err := <-renewed; err == nil {
		t.Error("a lease that had ended was renewed")
	}
}

// hold locks every tenant's row until the returned function is called.
func hold(t *testing.T, url string) (free func()) {
	t.Helper()
	conn, err := pgx.Connect(t.Context(), url)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := conn.Exec(t.Context(), "BEGIN; UPDATE tenants SET id = id"); err != nil {
		t.Fatal(err)
	}
	return func() { _ = conn.Close(t.Context()) } // which rolls back
}

func databaseTime(t *testing.T, url string) (now time.Time) {
	t.Helper()
	conn, err := pgx.Connect(t.Context(), url)
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close(t.Context())
	if err := conn.QueryRow(t.Context(), "SELECT clock_timestamp()").Scan(&now); err != nil {
		t.Fatal(err)
	}
	return now
}
