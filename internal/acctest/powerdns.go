package acctest

import (
	"bytes"
	"database/sql"
	_ "embed"
	"encoding/json"
	"fmt"
	"io"
	"net"
	"net/http"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	_ "modernc.org/sqlite" // makes the database file PowerDNS opens
)

//go:embed powerdns.sql
var powerDNSSchema string

// powerDNSKey is the API key of the test server; it guards nothing.
const powerDNSKey = "acctest-powerdns-key"

// PowerDNSServer is a running PowerDNS Authoritative Server.
type PowerDNSServer struct {
	// URL is the base of the HTTP API, without "/api/v1".
	URL string
	// APIKey is what the API wants in X-API-Key.
	APIKey string
	// DNSAddr is where it answers queries, over UDP and TCP.
	DNSAddr string
}

// powerDNS is the one server of this test binary; URL is "" before its start.
var powerDNS struct {
	sync.Mutex
	PowerDNSServer
}

// PowerDNS starts a PowerDNS server with the sqlite3 backend, its HTTP API and
// all its caches switched off, or returns the one already running, and makes
// sure that it serves the given zones. A zone that exists keeps its records,
// so tests that must not meet each other use zones of their own.
func PowerDNS(t testing.TB, zones ...string) PowerDNSServer {
	t.Helper()
	powerDNS.Lock()
	defer powerDNS.Unlock()
	if powerDNS.URL == "" {
		powerDNS.PowerDNSServer = startPowerDNS(t)
	}
	for _, zone := range zones {
		powerDNS.createZone(t, zone)
	}
	return powerDNS.PowerDNSServer
}

func startPowerDNS(t testing.TB) PowerDNSServer {
	t.Helper()
	path := program(t, "pdns-server", []string{"pdns_server"}, "/usr/sbin", "/usr/local/sbin")
	scratch := folder(t, "powerdns")
	database := filepath.Join(scratch, "powerdns.db")
	createPowerDNSDatabase(t, database)

	apiPort, dnsPort := FreePort(t), freeDNSPort(t)
	cmd := exec.Command(path,
		"--config-dir="+scratch, // holds no pdns.conf: nothing from /etc applies
		"--socket-dir="+scratch,
		"--daemon=no", "--guardian=no", "--write-pid=no", "--disable-syslog", "--loglevel=4",
		"--security-poll-suffix=", // else it asks powerdns.com for advisories
		"--launch=gsqlite3", "--gsqlite3-database="+database, "--gsqlite3-pragma-synchronous=0",
		"--local-address=127.0.0.1", fmt.Sprintf("--local-port=%d", dnsPort),
		"--webserver=yes", "--webserver-address=127.0.0.1", fmt.Sprintf("--webserver-port=%d", apiPort),
		"--webserver-allow-from=127.0.0.1", "--api=yes", "--api-key="+powerDNSKey,
		"--cache-ttl=0", "--query-cache-ttl=0", "--negquery-cache-ttl=0", "--zone-cache-refresh-interval=0",
		"--receiver-threads=1", "--distributor-threads=1",
	)
	server := PowerDNSServer{
		URL:     fmt.Sprintf("http://127.0.0.1:%d", apiPort),
		APIKey:  powerDNSKey,
		DNSAddr: fmt.Sprintf("127.0.0.1:%d", dnsPort),
	}
	start(t, "PowerDNS (Debian packages pdns-server and pdns-backend-sqlite3)", cmd, server.ready)
	return server
}

func createPowerDNSDatabase(t testing.TB, path string) {
	t.Helper()
	db, err := sql.Open("sqlite", path)
	if err != nil {
		t.Fatalf("open the PowerDNS database: %v", err)
	}
	defer db.Close()
	if _, err := db.Exec(powerDNSSchema); err != nil {
		t.Fatalf("create the PowerDNS tables: %v", err)
	}
}

// freeDNSPort returns a port of 127.0.0.1 that was free for TCP and UDP.
func freeDNSPort(t testing.TB) int {
	t.Helper()
	for range 20 {
		port := FreePort(t)
		conn, err := net.ListenPacket("udp", fmt.Sprintf("127.0.0.1:%d", port))
		if err != nil {
			continue
		}
		_ = conn.Close()
		return port
	}
	t.Fatal("no port of 127.0.0.1 is free for both TCP and UDP")
	return 0
}

// ready tells whether the API answers.
func (s PowerDNSServer) ready() error {
	status, body, err := s.Call(http.MethodGet, "", nil)
	if err != nil {
		return err
	}
	if status != http.StatusOK {
		return fmt.Errorf("the API answered %d: %s", status, body)
	}
	return nil
}

func (s PowerDNSServer) createZone(t testing.TB, zone string) {
	t.Helper()
	zone = strings.TrimSuffix(zone, ".") + "."
	status, body, err := s.Call(http.MethodPost, "/zones", map[string]any{
		"name": zone, "kind": "Native", "nameservers": []string{"ns1." + zone},
	})
	if err != nil {
		t.Fatalf("create zone %s: %v", zone, err)
	}
	if status != http.StatusCreated && status != http.StatusConflict {
		t.Fatalf("create zone %s: the API answered %d: %s", zone, status, body)
	}
}

// Call talks to the API as a person with the key would, behind the provider's
// back. path is relative to the server resource, e.g. "/zones/example.org.";
// body is sent as JSON unless it is nil.
func (s PowerDNSServer) Call(method, path string, body any) (status int, answer []byte, err error) {
	text, err := json.Marshal(body)
	if err != nil {
		return 0, nil, err
	}
	request, err := http.NewRequest(method, s.URL+"/api/v1/servers/localhost"+path, bytes.NewReader(text))
	if err != nil {
		return 0, nil, err
	}
	request.Header.Set("X-API-Key", s.APIKey)
	client := http.Client{Timeout: 10 * time.Second}
	response, err := client.Do(request)
	if err != nil {
		return 0, nil, err
	}
	defer response.Body.Close()
	answer, err = io.ReadAll(response.Body)
	return response.StatusCode, answer, err
}
