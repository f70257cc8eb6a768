package acctest

import (
	"context"
	"fmt"
	"net"
	"net/url"
	"os"
	"os/exec"
	"os/user"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
)

// postgresPassword guards a server that lives on 127.0.0.1 for the length of
// one test binary. It is unlike any other word, so that tests can look for it
// in messages.
const postgresPassword = "sup3rsecret-acctest"

// PostgresServer is a running PostgreSQL that belongs to this test binary.
type PostgresServer struct {
	// URL connects as the superuser to the database "postgres".
	URL string
	// Host and Port are where the server listens.
	Host string
	Port int
	// Superuser and Password are the superuser's credentials.
	Superuser string
	Password  string
}

// postgres is the one server of this test binary and the number of databases
// made in it.
var postgres struct {
	sync.Mutex
	server    *PostgresServer
	databases atomic.Int64
}

// Postgres starts a real PostgreSQL, the newest one installed, at the first
// call in a test binary, and returns it. Passwords are checked (SCRAM) and
// commits are durable, as in production: a ledger insists on both.
func Postgres(t testing.TB) PostgresServer {
	t.Helper()
	postgres.Lock()
	defer postgres.Unlock()
	if postgres.server == nil {
		server := startPostgres(t)
		postgres.server = &server
	}
	return *postgres.server
}

// NewDatabase makes a fresh, empty database and returns the superuser's URL to
// it. The database goes with the server.
func (s PostgresServer) NewDatabase(t testing.TB) string {
	t.Helper()
	name := fmt.Sprintf("acctest_%d", postgres.databases.Add(1))
	ctx, cancel := context.WithTimeout(context.Background(), startLimit)
	defer cancel()
	conn, err := pgx.Connect(ctx, s.URL)
	if err != nil {
		t.Fatalf("connect to the test PostgreSQL: %v", err)
	}
	defer conn.Close(ctx)
	if _, err := conn.Exec(ctx, "CREATE DATABASE "+name+" TEMPLATE template0"); err != nil {
		t.Fatalf("make database %s: %v", name, err)
	}
	return s.DatabaseURL(s.Superuser, s.Password, name)
}

// DatabaseURL returns the URL to a database of the server for any user.
func (s PostgresServer) DatabaseURL(user, password, database string) string {
	u := url.URL{
		Scheme:   "postgres",
		User:     url.UserPassword(user, password),
		Host:     net.JoinHostPort(s.Host, strconv.Itoa(s.Port)),
		Path:     "/" + database,
		RawQuery: "sslmode=disable",
	}
	return u.String()
}

// Dump returns a database as SQL that makes it anew, as pg_dump writes it.
func (s PostgresServer) Dump(t testing.TB, url string) []byte {
	t.Helper()
	dump := program(t, "postgresql-client", debianPrograms("pg_dump"))
	content, err := exec.Command(dump, "--inserts", "--no-owner", "--dbname", url).Output()
	if err != nil {
		t.Fatalf("pg_dump: %v", err)
	}
	return psqlCommands.ReplaceAll(content, nil)
}

// psqlCommands are lines for psql that newer versions of pg_dump write around
// their SQL (\restrict).
var psqlCommands = regexp.MustCompile(`(?m)^\\.*\n`)

func startPostgres(t testing.TB) PostgresServer {
	t.Helper()
	initdb := program(t, "postgresql", debianPrograms("initdb"))
	scratch := folder(t, "postgres")
	credential := unprivileged(t, scratch)

	passwordFile := filepath.Join(scratch, "password")
	if err := os.WriteFile(passwordFile, []byte(postgresPassword), 0o644); err != nil {
		t.Fatalf("write password file: %v", err)
	}
	data := filepath.Join(scratch, "data")
	create := exec.Command(initdb, "--pgdata", data, "--username", "postgres", "--pwfile", passwordFile,
		"--auth", "scram-sha-256", "--encoding", "UTF8", "--no-locale", "--no-sync")
	create.Dir, create.SysProcAttr = scratch, &syscall.SysProcAttr{Credential: credential}
	if output, err := create.CombinedOutput(); err != nil {
		t.Fatalf("initdb: %v\n%s", err, output)
	}

	s := PostgresServer{Host: "127.0.0.1", Port: FreePort(t), Superuser: "postgres", Password: postgresPassword}
	s.URL = s.DatabaseURL(s.Superuser, s.Password, "postgres")
	// postgres itself, not pg_ctl: it has to be our child to die with us.
	serve := exec.Command(filepath.Join(filepath.Dir(initdb), "postgres"), "-D", data,
		"-c", "listen_addresses="+s.Host, "-c", "port="+strconv.Itoa(s.Port),
		"-c", "unix_socket_directories="+scratch, "-c", "max_connections=200")
	serve.Dir, serve.SysProcAttr = scratch, &syscall.SysProcAttr{Credential: credential}
	// PostgreSQL takes SIGTERM for "wait until everybody has left".
	start(t, "postgres", serve, s.ping).stopSignal = syscall.SIGINT
	return s
}

func (s PostgresServer) ping() error {
	ctx, cancel := context.WithTimeout(context.Background(), 5*time.Second)
	defer cancel()
	conn, err := pgx.Connect(ctx, s.URL)
	if err != nil {
		return err
	}
	return conn.Close(ctx)
}

// debianPrograms returns where a program of PostgreSQL's may be, Debian's
// newest version first: the one on PATH may be a link to any version.
func debianPrograms(name string) []string {
	found, _ := filepath.Glob("/usr/lib/postgresql/*/bin/" + name)
	slices.SortFunc(found, func(a, b string) int { return postgresVersion(b) - postgresVersion(a) })
	return append(found, name)
}

func postgresVersion(program string) int {
	version, _ := strconv.Atoi(filepath.Base(filepath.Dir(filepath.Dir(program))))
	return version
}

// unprivileged returns whom to run PostgreSQL as, which refuses to run as
// root: the user of the Debian package, who is given the folder. nil when the
// tests are not run by root.
func unprivileged(t testing.TB, folder string) *syscall.Credential {
	t.Helper()
	if os.Geteuid() != 0 {
		return nil
	}
	account, err := user.Lookup("postgres")
	if err != nil {
		t.Fatalf("PostgreSQL does not run as root and the user postgres is missing: %v; install the Debian package postgresql", err)
	}
	uid, uidErr := strconv.ParseUint(account.Uid, 10, 32)
	gid, gidErr := strconv.ParseUint(account.Gid, 10, 32)
	if uidErr != nil || gidErr != nil {
		t.Fatalf("the user postgres has the ids %s:%s", account.Uid, account.Gid)
	}
	if err := os.Chown(folder, int(uid), int(gid)); err != nil {
		t.Fatalf("give the scratch folder to postgres: %v", err)
	}
	return &syscall.Credential{Uid: uint32(uid), Gid: uint32(gid)}
}
