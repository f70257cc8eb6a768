package postgres_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/url"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/tenantplane/terraform-provider-tenant/internal/fault"
	"github.com/tenantplane/terraform-provider-tenant/internal/ledger"
)

// The answer to a commit is lost: the transaction took effect and nobody knows.
// Running it again would append its evidence twice.
func TestACommitWhoseAnswerIsLostIsNotRepeated(t *testing.T) {
	url := newDatabase(t)
	direct := open(t, url)
	declare(t, direct, acme)
	cut := &cutter{}
	store := open(t, cut.before(t, url))
	lease, err := store.Acquire(t.Context(), acme, "worker", time.Minute)
	if err != nil {
		t.Fatal(err)
	}
	cut.armed.Store(true)
	err = store.Advance(t.Context(), lease, ledger.Progress{
		Generation: 1, Status: ledger.Reconciling, Evidence: []ledger.Evidence{{Actor: "worker", Step: "once"}},
	})
	var f *fault.Fault
	if !errors.As(err, &f) || f.Code != "ledger.commit" || f.Kind != fault.Retryable {
		t.Errorf("got %v, want ledger.commit", err)
	}
	chain, err := direct.Evidence(t.Context(), acme)
	if err != nil || len(chain) != 1 {
		t.Errorf("the evidence has %d entries (%v), want the one whose answer was lost", len(chain), err)
	}
	if _, err := store.Tenant(t.Context(), acme); err != nil {
		t.Errorf("the store did not recover: %v", err)
	}
}

// Sessions are ended by the server all the time, as in a restart or a fail-over
// of a pooler: workers go on, no update is lost, none is made twice.
func TestWorkGoesOnWhenTheServerEndsItsSessions(t *testing.T) {
	url := newDatabase(t)
	direct := open(t, url)
	declare(t, direct, acme)
	stores := []ledger.Store{open(t, url), open(t, url), open(t, url)}
	killing, stop := context.WithCancel(t.Context())
	var killers sync.WaitGroup
	killers.Go(func() {
		for killing.Err() == nil {
			execute(t, url, `SELECT pg_terminate_backend(pid) FROM pg_stat_activity
				WHERE datname = current_database() AND pid <> pg_backend_pid()`)
			time.Sleep(20 * time.Millisecond)
		}
	})
	var sure, unsure atomic.Int64
	var workers sync.WaitGroup
	for n, store := range stores {
		workers.Go(func() {
			for i := range 30 {
				switch err := increment(t.Context(), store, fmt.Sprintf("worker-%d-%d", n, i)); {
				case err == nil:
					sure.Add(1)
				case strings.Contains(err.Error(), "outcome of a commit"):
					unsure.Add(1)
				case errors.Is(err, ledger.ErrFenced): // interrupted for longer than its lease
				default:
					t.Errorf("worker %d heard: %v", n, err)
				}
			}
		})
	}
	workers.Wait()
	stop()
	killers.Wait()
	chain, err := direct.Evidence(t.Context(), acme)
	if err != nil {
		t.Fatal(err)
	}
	t.Logf("%d increments, %d with an unknown outcome, %d in the ledger", sure.Load(), unsure.Load(), len(chain))
	if n := int64(len(chain)); n < sure.Load() || n > sure.Load()+unsure.Load() {
		t.Errorf("the ledger has %d increments, %d were confirmed and %d unknown", n, sure.Load(), unsure.Load())
	}
	if err := ledger.VerifyChain(acme, chain); err != nil {
		t.Error(err)
	}
}

// increment adds one piece of evidence under a lease of its own.
func increment(ctx context.Context, store ledger.Store, holder string) error {
	var lease ledger.Lease
	var err error
	for {
		lease, err = store.Acquire(ctx, acme, holder, 300*time.Millisecond)
		if !errors.Is(err, ledger.ErrLeased) {
			break
		}
		time.Sleep(5 * time.Millisecond)
	}
	if err != nil {
		return err
	}
	err = store.Advance(ctx, lease, ledger.Progress{
		Generation: 1, Status: ledger.Reconciling, Evidence: []ledger.Evidence{{Actor: holder, Step: "increment"}},
	})
	_ = store.Release(ctx, lease) // it ends by itself otherwise
	return err
}

// cutter stands before the server. Armed, it lets the next commit reach the
// server and its answer reach nobody.
type cutter struct{ armed atomic.Bool }

// before returns the URL that leads through the cutter.
func (c *cutter) before(t *testing.T, behind string) string {
	t.Helper()
	u, err := url.Parse(behind)
	if err != nil {
		t.Fatal(err)
	}
	server := u.Host
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = listener.Close() })
	go func() {
		for {
			client, err := listener.Accept()
			if err != nil {
				return
			}
			go c.carry(client, server)
		}
	}()
	u.Host = listener.Addr().String()
	return u.String()
}

func (c *cutter) carry(client net.Conn, server string) {
	defer client.Close()
	upstream, err := net.Dial("tcp", server)
	if err != nil {
		return
	}
	defer upstream.Close()
	var deaf atomic.Bool
	go func() {
		defer upstream.Close()
		buffer := make([]byte, 1<<16)
		for {
			n, err := client.Read(buffer)
			if err != nil {
				return
			}
			if bytes.Contains(buffer[:n], []byte("commit\x00")) && c.armed.CompareAndSwap(true, false) {
				deaf.Store(true)
			}
			if _, err := upstream.Write(buffer[:n]); err != nil {
				return
			}
		}
	}()
	buffer := make([]byte, 1<<16)
	for {
		n, err := upstream.Read(buffer)
		if err != nil || deaf.Load() {
			return // the server has answered by now
		}
		if _, err := io.Copy(client, bytes.NewReader(buffer[:n])); err != nil {
			return
		}
	}
}
