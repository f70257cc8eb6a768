package acctest

import (
	"fmt"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"sync"
	"syscall"
	"testing"
)

// S3Server is a running S3 server as one account sees it.
type S3Server struct {
	// Endpoint is the base URL; buckets are addressed path-style.
	Endpoint  string
	AccessKey string
	SecretKey string
	Region    string

	program string
}

// s3 is the one server of this test binary; Endpoint is "" before its start.
var s3 struct {
	sync.Mutex
	S3Server
}

// S3 starts versitygw with versioning, object lock and accounts, or returns
// the one already running, as its administrator. Tests that must not meet each
// other use bucket names of their own.
//
// The server is built on first use, once per machine; see versityGW.
func S3(t testing.TB) S3Server {
	t.Helper()
	s3.Lock()
	defer s3.Unlock()
	if s3.Endpoint == "" {
		s3.S3Server = startVersityGW(t)
	}
	return s3.S3Server
}

func startVersityGW(t testing.TB) S3Server {
	t.Helper()
	port := FreePort(t)
	server := S3Server{
		Endpoint:  fmt.Sprintf("http://127.0.0.1:%d", port),
		AccessKey: "acctest-s3-admin",
		SecretKey: "acctest-s3-admin-secret",
		Region:    "us-east-1",
		program:   versityGW(t),
	}
	scratch := fastFolder(t, "s3")
	for _, name := range []string{"buckets", "versions", "accounts", "metadata"} {
		if err := os.Mkdir(filepath.Join(scratch, name), 0o755); err != nil {
			t.Fatalf("make the S3 server's folders: %v", err)
		}
	}
	cmd := exec.Command(server.program,
		"--access", server.AccessKey, "--secret", server.SecretKey, "--region", server.Region,
		"--port", fmt.Sprintf("127.0.0.1:%d", port), "--health", "/health", "--quiet",
		"--iam-dir", filepath.Join(scratch, "accounts"), "--iam-cache-disable",
		"posix",
		"--versioning-dir", filepath.Join(scratch, "versions"),
		// Not every scratch filesystem has extended attributes.
		"--sidecar", filepath.Join(scratch, "metadata"),
		filepath.Join(scratch, "buckets"),
	)
	start(t, "versitygw", cmd, server.ready)
	return server
}

// ready tells whether the server answers.
func (s S3Server) ready() error {
	answer, err := http.Get(s.Endpoint + "/health")
	if err != nil {
		return err
	}
	defer answer.Body.Close()
	if answer.StatusCode != http.StatusOK {
		return fmt.Errorf("the health check answered %s", answer.Status)
	}
	return nil
}

// Account returns the server as seen by an account of its own that may create
// buckets and is bound by bucket policies, which the administrator is not.
// Names are not to be used twice.
func (s S3Server) Account(t testing.TB, name string) S3Server {
	t.Helper()
	account := s
	account.AccessKey, account.SecretKey = name, name+"-secret"
	cmd := exec.Command(s.program, "admin",
		"--access", s.AccessKey, "--secret", s.SecretKey, "--region", s.Region, "--endpoint-url", s.Endpoint,
		"create-user", "--access", account.AccessKey, "--secret", account.SecretKey, "--role", "userplus")
	if output, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("create the S3 account %s: %v\n%s", name, err, output)
	}
	return account
}

// fastFolderSpace is how much memory a fast folder must be able to take.
const fastFolderSpace = 512 << 20

// fastFolder is folder, in memory where there is enough of it: a server that
// keeps each object in files of its own is many times faster there.
func fastFolder(t testing.TB, name string) string {
	t.Helper()
	var memory syscall.Statfs_t
	if err := syscall.Statfs("/dev/shm", &memory); err != nil || memory.Bavail*uint64(memory.Bsize) < fastFolderSpace {
		return folder(t, name)
	}
	path, err := os.MkdirTemp("/dev/shm", "tenant-acctest-"+name+"-")
	if err != nil {
		return folder(t, name)
	}
	processes.Lock()
	defer processes.Unlock()
	processes.folders = append(processes.folders, path)
	return path
}
