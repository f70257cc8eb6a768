package crash_test

import (
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/jackc/pgx/v5"

	"github.com/tenantplane/terraform-provider-tenant/internal/acctest"
)

// struckAt is a conductor whose provider dies, as it is told, at the first
// moment of a name.
func struckAt(name string) (*conductor, *run) {
	c := &conductor{}
	return c, c.begin(strike{at: boundary{name: name, nth: 1}, ends: true, kill: func() error { return nil }})
}

func TestAnHTTPCallIsKilledBeforeItsEffectAfterItOrAfterItsAnswer(t *testing.T) {
	tests := []struct {
		moment             string
		arrived, answered  int
		passed, afterwards int
	}{
		{beforeSend, 0, 0, 1, 0},
		{afterSend, 1, 0, 2, 1},
		{afterAnswer, 1, 1, 3, 1},
	}
	for _, test := range tests {
		t.Run(test.moment, func(t *testing.T) {
			var arrived atomic.Int32
			server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				arrived.Add(1)
				content, _ := io.ReadAll(r.Body)
				fmt.Fprintf(w, "%s %s", r.Host, content)
			}))
			defer server.Close()
			target, err := url.Parse(server.URL)
			if err != nil {
				t.Fatal(err)
			}
			c, run := struckAt("billing POST /v1/customers/*?expand · " + test.moment)
			front := httptest.NewServer(&httpFront{conductor: c, target: target, component: func(string) string { return "billing" }})
			defer front.Close()

			answered := post(t, front.URL, "hello")
			if answered != test.answered || int(arrived.Load()) != test.arrived {
				t.Errorf("%d arrived and %d were answered, want %d and %d", arrived.Load(), answered, test.arrived, test.answered)
			}
			if n := len(run.all()); n != test.passed {
				t.Errorf("the conductor heard %v, want %d boundaries", run.all(), test.passed)
			}
			if post(t, front.URL, "again") != 0 || int(arrived.Load()) != test.afterwards {
				t.Error("a call of a dead provider went through")
			}
		})
	}
}

// post returns 1 when the call was answered as the server meant it: to the
// Host it was sent to.
func post(t *testing.T, base, body string) int {
	t.Helper()
	response, err := http.Post(base+"/v1/customers/cus_123?expand=x", "text/plain", strings.NewReader(body))
	if err != nil {
		return 0
	}
	defer response.Body.Close()
	content, err := io.ReadAll(response.Body)
	if want := strings.TrimPrefix(base, "http://") + " " + body; err != nil || string(content) != want {
		t.Errorf("the answer is %q, %v, want %q", content, err, want)
	}
	return 1
}

func TestReadsAndTokensAreNoBoundaries(t *testing.T) {
	for call, want := range map[string]bool{
		"GET /v1/customers": false, "HEAD /bucket": false, "POST /realms/x/protocol/openid-connect/token": false,
		"POST /v1/customers": true, "PUT /bucket": true, "PATCH /zones/a": true, "DELETE /bucket": true,
	} {
		method, path, _ := strings.Cut(call, " ")
		if got := changes(httptest.NewRequest(method, path, http.NoBody)); got != want {
			t.Errorf("%s changes something: %v, want %v", call, got, want)
		}
	}
}

func TestATransactionIsKilledBeforeItsCommitAfterItOrAfterItsAnswer(t *testing.T) {
	tests := []struct {
		moment          string
		kept, confirmed bool
	}{
		{beforeSend, false, false}, {afterSend, true, false}, {afterAnswer, true, true},
	}
	for _, test := range tests {
		t.Run(test.moment, func(t *testing.T) {
			database, front, _ := fronted(t, "database COMMIT CREATE TABLE · "+test.moment)
			conn := connect(t, front)
			tx, err := conn.Begin(t.Context())
			if err != nil {
				t.Fatal(err)
			}
			if _, err := tx.Exec(t.Context(), "CREATE TABLE made (id int)"); err != nil {
				t.Fatal(err)
			}
			if err := tx.Commit(t.Context()); (err == nil) != test.confirmed {
				t.Errorf("the commit says %v, want it confirmed: %v", err, test.confirmed)
			}
			if kept := exists(t, database); kept != test.kept {
				t.Errorf("the table exists: %v, want %v", kept, test.kept)
			}
			if late, err := pgx.Connect(t.Context(), front); err == nil {
				t.Error("a dead provider still gets a connection")
				_ = late.Close(t.Context())
			}
		})
	}
}

func TestOnlyWhatBecomesDurableInPostgreSQLIsABoundary(t *testing.T) {
	database, front, run := fronted(t, "nowhere")
	conn := connect(t, front)
	for _, sql := range []string{
		"SELECT 1", "BEGIN", "SELECT 2", "COMMIT", "BEGIN", "CREATE TABLE gone (id int)", "ROLLBACK", "CREATE TABLE made (id int)",
	} {
		if _, err := conn.Exec(t.Context(), sql); err != nil {
			t.Fatal(err)
		}
	}
	if _, err := conn.Exec(t.Context(), "INSERT INTO made VALUES ($1)", 1); err != nil {
		t.Fatal(err)
	}
	var names []string
	for _, b := range run.all() {
		if b.at(beforeSend) {
			names = append(names, b.name)
		}
	}
	if want := []string{"database CREATE TABLE · before send", "database INSERT · before send"}; !slices.Equal(names, want) {
		t.Errorf("the boundaries are %v, want %v", names, want)
	}
	if n := len(run.all()); n != 3*len(names) {
		t.Errorf("there are %d moments for %d changes, want three each: %v", n, len(names), run.all())
	}
	if !exists(t, database) {
		t.Error("the front lost a change")
	}
}

// fronted makes a database and a front before it; it returns both URLs.
func fronted(t *testing.T, strikeAt string) (database, front string, run *run) {
	t.Helper()
	server := acctest.Postgres(t)
	database = server.NewDatabase(t)
	c, run := struckAt(strikeAt)
	f := newPostgresFront(t, c, "database", net.JoinHostPort(server.Host, strconv.Itoa(server.Port)))
	u, err := url.Parse(database)
	if err != nil {
		t.Fatal(err)
	}
	u.Host = f.listener.Addr().String()
	return database, u.String(), run
}

func connect(t *testing.T, url string) *pgx.Conn {
	t.Helper()
	conn, err := pgx.Connect(t.Context(), url)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = conn.Close(t.Context()) })
	return conn
}

// exists tells whether the table "made" does, past the front.
func exists(t *testing.T, database string) (there bool) {
	t.Helper()
	conn := connect(t, database)
	if err := conn.QueryRow(t.Context(), "SELECT to_regclass('made') IS NOT NULL").Scan(&there); err != nil {
		t.Fatal(err)
	}
	return there
}
