package sqlite_test

import (
	"context"
	"crypto/rand"
	"database/sql"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"time"

	"github.com/tenantplane/terraform-provider-tenant/internal/clock"
	"github.com/tenantplane/terraform-provider-tenant/internal/ledger"
	"github.com/tenantplane/terraform-provider-tenant/internal/ledger/sqlite"
	"github.com/tenantplane/terraform-provider-tenant/internal/tenant"
)

// counted is the tenant whose failure count the workers raise under a lease;
// declared is the one whose spec they change without one.
const (
	counted  = tenant.ID("counted")
	declared = tenant.ID("declared")
	claim    = "state-a"
)

func openChild(path, _ string) (report, error) {
	ctx := context.Background()
	store, err := sqlite.Open(ctx, path, clock.System{}, rand.Reader)
	if err != nil {
		return report{}, err
	}
	id, err := store.Installation(ctx)
	return report{Installation: string(id)}, errors.Join(err, store.Close())
}

// workChild reads, modifies and writes for the given time, opening the ledger
// anew now and then as short-lived commands do.
func workChild(path, arg string) (report, error) {
	var done report
	span, err := time.ParseDuration(arg)
	if err != nil {
		return done, err
	}
	for end := time.Now().Add(span); time.Now().Before(end); {
		if err := workFor(path, 25, &done); err != nil {
			return done, err
		}
	}
	return done, nil
}

func workFor(path string, rounds int, done *report) error {
	ctx := context.Background()
	store, err := sqlite.Open(ctx, path, clock.System{}, rand.Reader)
	if err != nil {
		return fmt.Errorf("open: %w", err)
	}
	for range rounds {
		if err := increment(ctx, store); err != nil {
			return fmt.Errorf("increment: %w", err)
		}
		done.Increments++
		if err := redeclare(ctx, store, fmt.Sprint(os.Getpid(), "-", done.Declarations)); err != nil {
			return fmt.Errorf("declare: %w", err)
		}
		done.Declarations++
	}
	return store.Close()
}

func increment(ctx context.Context, store ledger.Store) error {
	holder := fmt.Sprint("process-", os.Getpid())
	lease, err := store.Acquire(ctx, counted, holder, time.Minute)
	for errors.Is(err, ledger.ErrLeased) {
		time.Sleep(2 * time.Millisecond)
		lease, err = store.Acquire(ctx, counted, holder, time.Minute)
	}
	if err != nil {
		return err
	}
	t, err := store.Tenant(ctx, counted)
	if err != nil {
		return err
	}
	err = store.Advance(ctx, lease, ledger.Progress{
		Generation: 1, Status: ledger.Reconciling, FailureCount: t.FailureCount + 1,
		Evidence: []ledger.Evidence{{Actor: holder, Step: "increment"}},
	})
	if err != nil {
		return err
	}
	return store.Release(ctx, lease)
}

func redeclare(ctx context.Context, store ledger.Store, name string) error {
	_, err := store.Declare(ctx, declaration(declared, name))
	return err
}

func declaration(id tenant.ID, name string) ledger.Declaration {
	return ledger.Declaration{
		Spec: tenant.Spec{
			Subject:    tenant.Subject{Installation: "test", ID: id, DisplayName: name, Region: "us-east"},
			Components: map[string]json.RawMessage{},
		},
		Claim: claim, EventID: "registered-" + string(id),
	}
}

// holdChild works, reports, and then stops in the middle of a write
// transaction until it is killed.
func holdChild(path, arg string) (report, error) {
	done, err := workChild(path, arg)
	if err != nil {
		return done, err
	}
	db, err := sql.Open("sqlite", "file:"+path+"?_pragma=busy_timeout(10000)&_txlock=immediate")
	if err != nil {
		return done, err
	}
	tx, err := db.Begin()
	if err != nil {
		return done, err
	}
	if _, err := tx.Exec("UPDATE tenants SET last_error = 'half written', failure_count = 0"); err != nil {
		return done, err
	}
	emit(done)
	if err := os.WriteFile(path+".held", nil, 0o600); err != nil {
		return done, err
	}
	time.Sleep(time.Hour) // not select: without cgo the runtime would see a deadlock and exit
	return done, nil
}
