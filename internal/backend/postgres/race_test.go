package postgres_test

import (
	"context"
	"sync"
	"testing"

	"github.com/tenantplane/terraform-provider-tenant/internal/fault"
	"github.com/tenantplane/terraform-provider-tenant/internal/tenant"
)

func TestWorkersThatMakeOneTenantAtOnceMakeItOnce(t *testing.T) {
	for _, isolation := range []string{"schema", "database"} {
		w := newWorld(t, "race")
		want := w.want(`{"isolation":"` + isolation + `","seed":[{"name":"s.sql","sql":"CREATE TABLE s (n int); INSERT INTO s VALUES (1)"}]}`)
		var wg sync.WaitGroup
		for range 6 {
			// Every worker is a process of its own: no shared backend.
			b := open(t, w.url)
			wg.Go(func() {
				made, err := b.Ensure(context.WithoutCancel(t.Context()), want)
				if err != nil {
					t.Errorf("%s: %v", isolation, err)
					return
				}
				w.same(want, made)
			})
		}
		wg.Wait()
		conn, table := w.admin(), want.Name+".s"
		if isolation == "database" {
			conn, table = w.inside(want), "public.s"
		}
		if rows := number(t, conn, "SELECT count(*) FROM "+table); rows != 1 {
			t.Errorf("%s: the seed ran %d times", isolation, rows)
		}
	}
}

// Two DSNs that name different maintenance databases share the roles and, for
// isolation "database", the databases, but no advisory lock.
func TestWorkersWithoutACommonLockNeverFailForGood(t *testing.T) {
	w := newWorld(t, "race2")
	want := w.want(`{"isolation":"database"}`)
	urls := []string{w.url, w.server.NewDatabase(t), w.server.NewDatabase(t), w.server.URL}
	var wg sync.WaitGroup
	for _, url := range urls {
		b := open(t, url)
		wg.Go(func() {
			_, err := b.Ensure(context.WithoutCancel(t.Context()), want)
			for err != nil && fault.Is(err, fault.Retryable) {
				_, err = b.Ensure(context.WithoutCancel(t.Context()), want)
			}
			if err != nil {
				t.Errorf("%v", err)
			}
		})
	}
	wg.Wait()
	w.same(want, w.observe(want))
}

func TestWorkersThatRemoveOneTenantAtOnceAgree(t *testing.T) {
	w := newWorld(t, "race3")
	want := w.provision(`{"seed":[{"name":"s.sql","sql":"CREATE TABLE s (n int)"}]}`)
	outcomes := make(chan string, 4)
	var wg sync.WaitGroup
	for range 4 {
		wg.Go(func() {
			receipt, err := w.backend.Remove(context.WithoutCancel(t.Context()), w.removal(want, tenant.DeleteData))
			if err != nil {
				t.Errorf("%v", err)
			}
			outcomes <- receipt.Outcome
		})
	}
	wg.Wait()
	close(outcomes)
	count := map[string]int{}
	for outcome := range outcomes {
		count[outcome]++
	}
	if count["deleted"] != 1 || count["already absent"] != 3 {
		t.Errorf("outcomes are %v, want one deleted and three already absent", count)
	}
}
