package acctest

import (
	"context"
	"fmt"
	"net"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"syscall"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
)

// PoolMode is when PgBouncer gives a server connection to the next client
// (pgbouncer.org/config.html, pool_mode).
type PoolMode string

// The pool modes tests use.
const (
	// TransactionPooling: after each transaction.
	TransactionPooling PoolMode = "transaction"
	// StatementPooling: after each statement; transactions are refused.
	StatementPooling PoolMode = "statement"
)

// PgBouncer starts a real pooler before the test PostgreSQL and returns the
// function that leads a URL of that server through it. It has few server
// connections on purpose, so that clients really share them. It needs the
// Debian package pgbouncer.
func PgBouncer(t testing.TB, mode PoolMode) (through func(databaseURL string) string) {
	t.Helper()
	server := Postgres(t)
	bouncer := program(t, "pgbouncer", []string{"pgbouncer"}, "/usr/sbin")
	scratch := folder(t, "pgbouncer")
	credential := unprivileged(t, scratch)
	port := FreePort(t)
	write := func(name, content string) string {
		path := filepath.Join(scratch, name)
		if err := os.WriteFile(path, []byte(content), 0o644); err != nil {
			t.Fatalf("write %s: %v", name, err)
		}
		return path
	}
	users := write("users.txt", fmt.Sprintf("%q %q\n", server.Superuser, server.Password))
	config := write("pgbouncer.ini", fmt.Sprintf(`[databases]
* = host=%s port=%d
[pgbouncer]
listen_addr = 127.0.0.1
listen_port = %d
unix_socket_dir =
auth_type = scram-sha-256
auth_file = %s
pool_mode = %s
default_pool_size = 4
server_idle_timeout = 2
max_client_conn = 300
`, server.Host, server.Port, port, users, mode))
	serve := exec.Command(bouncer, config)
	serve.Dir, serve.SysProcAttr = scratch, &syscall.SysProcAttr{Credential: credential}
	through = func(databaseURL string) string {
		u, err := url.Parse(databaseURL)
		if err != nil {
			t.Fatalf("read the database URL: %v", err)
		}
		u.Host = net.JoinHostPort("127.0.0.1", strconv.Itoa(port))
		return u.String()
	}
	start(t, "pgbouncer", serve, func() error { return pingThrough(through(server.URL)) }).stopSignal = syscall.SIGINT
	return through
}

func pingThrough(pooled string) error {
	ctx, cancel := context.WithTimeout(context.Background(), 5*time.Second)
	defer cancel()
	config, err := pgx.ParseConfig(pooled)
	if err != nil {
		return err
	}
	config.DefaultQueryExecMode = pgx.QueryExecModeSimpleProtocol
	conn, err := pgx.ConnectConfig(ctx, config)
	if err != nil {
		return err
	}
	return conn.Close(ctx)
}
