package crash_test

import (
	"fmt"
	"net"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/minio/minio-go/v7"
	"github.com/minio/minio-go/v7/pkg/credentials"

	"github.com/tenantplane/terraform-provider-tenant/internal/acctest"
	"github.com/tenantplane/terraform-provider-tenant/internal/sandbox"
)

// stage is everything outside of one sample: the servers, and the fronts the
// provider sees instead of them. Nothing in it belongs to another sample.
type stage struct {
	tenant    string
	conductor *conductor
	// control, sandboxURL, dnsURL, s3URL and databaseURL are what the provider
	// is told.
	control, sandboxURL, dnsURL, s3URL, databaseURL string
	// database, dns, s3, buckets and admin lead to the servers themselves.
	database string
	dns      acctest.PowerDNSServer
	zone     string
	s3       acctest.S3Server
	buckets  *minio.Client
	admin    sandbox.Admin
	// mortal is the server to be killed, nil when none is.
	mortal *acctest.Mortal
}

// newStage gives a tenant a database, a zone, an account and a sandbox of its
// own, and the victim a server of its own.
func newStage(t *testing.T, tenant string, v victim) *stage {
	t.Helper()
	s := &stage{tenant: tenant, conductor: &conductor{}, zone: tenant + ".example.org."}
	s.conductor.begin(strike{})
	s.openDatabase(t, v)
	s.openDNS(t, v)
	s.openS3(t, v)
	s.openSandbox(t, v)
	s.control = s.serve(t, s.conductor)
	if s.mortal != nil {
		t.Cleanup(s.mortal.End)
	}
	return s
}

func (s *stage) openDatabase(t *testing.T, v victim) {
	t.Helper()
	var server acctest.PostgresServer
	if v == thePostgres {
		server, s.mortal = acctest.OwnPostgres(t)
	} else {
		server = acctest.Postgres(t)
	}
	s.database = server.NewDatabase(t)
	front := newPostgresFront(t, s.conductor, "database", net.JoinHostPort(server.Host, strconv.Itoa(server.Port)))
	u, err := url.Parse(s.database)
	if err != nil {
		t.Fatal(err)
	}
	u.Host = front.listener.Addr().String()
	s.databaseURL = u.String()
}

func (s *stage) openDNS(t *testing.T, v victim) {
	t.Helper()
	if v == thePowerDNS {
		s.dns, s.mortal = acctest.OwnPowerDNS(t, s.zone)
	} else {
		s.dns = acctest.PowerDNS(t, s.zone)
	}
	s.dnsURL = s.front(t, s.dns.URL, func(string) string { return "domain" })
}

func (s *stage) openS3(t *testing.T, v victim) {
	t.Helper()
	var server acctest.S3Server
	if v == theS3 {
		server, s.mortal = acctest.OwnS3(t)
	} else {
		server = acctest.S3(t)
	}
	s.s3 = server.Account(t, s.tenant)
	s.s3URL = s.front(t, s.s3.Endpoint, func(string) string { return "storage" })
	endpoint, err := url.Parse(s.s3.Endpoint)
	if err != nil {
		t.Fatal(err)
	}
	s.buckets, err = minio.New(endpoint.Host, &minio.Options{
		Creds: credentials.NewStaticV4(s.s3.AccessKey, s.s3.SecretKey, ""), Region: s.s3.Region,
	})
	if err != nil {
		t.Fatal(err)
	}
}

func (s *stage) openSandbox(t *testing.T, v victim) {
	t.Helper()
	base := ""
	if v == theSandbox {
		base = s.serveSandbox(t)
	} else {
		server, err := sandbox.Open(t.Context(), sandbox.Options{Path: filepath.Join(t.TempDir(), "sandbox.db")})
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { _ = server.Close() })
		base = strings.TrimSuffix(server.AdminURL(), "/admin")
	}
	s.admin = sandbox.Admin{BaseURL: base + "/admin"}
	s.sandboxURL = s.front(t, base, func(path string) string {
		if strings.HasPrefix(path, "/stripe") {
			return "billing"
		}
		return "identity"
	})
}

// serveSandbox runs the sandbox as a process of its own.
func (s *stage) serveSandbox(t *testing.T) string {
	t.Helper()
	address := fmt.Sprintf("127.0.0.1:%d", acctest.FreePort(t))
	cmd := exec.Command(provider(t), "sandbox", "serve", "--path", t.TempDir(), "--listen", address)
	base := "http://" + address
	s.mortal = acctest.Own(t, "sandbox", cmd, func() error {
		_, err := sandbox.Admin{BaseURL: base + "/admin"}.Faults(t.Context())
		return err
	})
	return base
}

// front puts an HTTP front before a server and returns its URL.
func (s *stage) front(t *testing.T, behind string, component func(string) string) string {
	t.Helper()
	target, err := url.Parse(behind)
	if err != nil {
		t.Fatal(err)
	}
	return s.serve(t, &httpFront{conductor: s.conductor, target: target, component: component})
}

func (s *stage) serve(t *testing.T, handler http.Handler) string {
	t.Helper()
	server := httptest.NewServer(handler)
	t.Cleanup(func() {
		server.CloseClientConnections() // some hang on purpose
		server.Close()
	})
	return server.URL
}
