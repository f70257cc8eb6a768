package s3

import (
	"bytes"
	"crypto/rand"
	"fmt"
	"net/http"
	"net/url"
	"os"
	"strings"
	"sync"
	"testing"

	"github.com/minio/minio-go/v7"
	"github.com/minio/minio-go/v7/pkg/credentials"

	"github.com/tenantplane/terraform-provider-tenant/internal/acctest"
	"github.com/tenantplane/terraform-provider-tenant/internal/backend"
	"github.com/tenantplane/terraform-provider-tenant/internal/component/storage"
	"github.com/tenantplane/terraform-provider-tenant/internal/tenant"
)

func TestMain(m *testing.M) { os.Exit(acctest.Main(m)) }

// settings are those of a backend on the server.
func settings(server acctest.S3Server, transport http.RoundTripper) backend.Settings {
	return backend.Settings{
		Path: `regions["test"].storage.s3`, Transport: transport,
		Options: map[string]string{
			"endpoint": server.Endpoint, "access_key": server.AccessKey, "secret_key": server.SecretKey,
		},
	}
}

func openOn(t *testing.T, settings backend.Settings) *Backend {
	t.Helper()
	opened, f := Driver().Open(settings)
	if f != nil {
		t.Fatalf("open: %v", f)
	}
	return opened.(*Backend)
}

// lab is one tenant on the real server, and a hand that works behind the
// backend's back.
type lab struct {
	*testing.T
	server  acctest.S3Server
	backend *Backend
	hand    *minio.Client
	subject tenant.Subject
}

// newLab opens a lab for a tenant nobody used before, as an account of its own
// that bucket policies apply to.
func newLab(t *testing.T, transport http.RoundTripper) *lab {
	t.Helper()
	id := tenant.ID("t-" + strings.ToLower(rand.Text()[:12]))
	server := acctest.S3(t).Account(t, string(id))
	return &lab{
		T: t, server: server, backend: openOn(t, settings(server, transport)), hand: hand(t, server),
		subject: tenant.Subject{Installation: "acme", ID: id, Region: "test"},
	}
}

func hand(t *testing.T, server acctest.S3Server) *minio.Client {
	t.Helper()
	endpoint, err := url.Parse(server.Endpoint)
	if err != nil {
		t.Fatal(err)
	}
	client, err := minio.New(endpoint.Host, &minio.Options{
		Creds: credentials.NewStaticV4(server.AccessKey, server.SecretKey, ""), Region: server.Region,
	})
	if err != nil {
		t.Fatal(err)
	}
	return client
}

// name is the tenant's derived bucket name.
func (l *lab) name() string { return tenant.BucketName.Name(l.subject.Installation, l.subject.ID) }

func (l *lab) target() backend.Target {
	return backend.Target{
		Subject: l.subject, Component: storage.Name, Object: storage.Bucket, Name: l.name(), Path: storage.Name,
	}
}

func (l *lab) want(versioning bool) backend.Want {
	return backend.Want{Target: l.target(), Fields: storage.Content(l.name(), versioning)}
}

// resumed is want as the executor sends it when the creation was begun before.
func (l *lab) resumed() backend.Want {
	want := l.want(false)
	want.Inputs = map[string]string{backend.ResumeInput: "true"}
	return want
}

func (l *lab) removal(data tenant.DataPolicy) backend.Removal {
	return backend.Removal{Target: l.target(), Data: data}
}

// ensured makes the tenant's bucket.
func (l *lab) ensured(versioning bool) {
	l.Helper()
	if _, err := l.backend.Ensure(l.Context(), l.want(versioning)); err != nil {
		l.Fatalf("ensure: %v", err)
	}
}

// made makes a bucket of the tenant's name by hand, with these tags.
func (l *lab) made(by *minio.Client, pairs map[string]string) {
	l.Helper()
	if err := by.MakeBucket(l.Context(), l.name(), minio.MakeBucketOptions{}); err != nil {
		l.Fatalf("make bucket by hand: %v", err)
	}
	l.tag(pairs)
}

// put stores n objects.
func (l *lab) put(n int) {
	l.Helper()
	var workers sync.WaitGroup
	keys := make(chan int)
	for range 8 {
		workers.Go(func() {
			for i := range keys {
				_, err := l.hand.PutObject(l.Context(), l.name(), fmt.Sprintf("folder/key %04d & more", i),
					strings.NewReader("x"), 1, minio.PutObjectOptions{})
				if err != nil {
					l.Errorf("put: %v", err)
				}
			}
		})
	}
	for i := range n {
		keys <- i
	}
	close(keys)
	workers.Wait()
}

// deletedOnce deletes every key, which with versioning adds a delete marker.
func (l *lab) deletedOnce() {
	l.Helper()
	keys := l.hand.ListObjects(l.Context(), l.name(), minio.ListObjectsOptions{Recursive: true})
	for refused := range l.hand.RemoveObjects(l.Context(), l.name(), keys, minio.RemoveObjectsOptions{}) {
		l.Fatalf("delete %s: %v", refused.ObjectName, refused.Err)
	}
}

func (l *lab) exists() bool {
	l.Helper()
	exists, err := hand(l.T, acctest.S3(l.T)).BucketExists(l.Context(), l.name())
	if err != nil {
		l.Fatalf("look for the bucket by hand: %v", err)
	}
	return exists
}

// counted is the backend's own count of what the bucket holds.
func (l *lab) counted() contents {
	l.Helper()
	held, err := l.backend.count(l.Context(), l.target())
	if err != nil {
		l.Fatalf("count: %v", err)
	}
	return held
}

// relay is a transport made of a function.
type relay func(*http.Request) (*http.Response, error)

func (r relay) RoundTrip(request *http.Request) (*http.Response, error) { return r(request) }

// bodyOf reads a request's body and leaves it readable.
func bodyOf(t *testing.T, request *http.Request) string {
	t.Helper()
	if request.Body == nil {
		return ""
	}
	var body bytes.Buffer
	if _, err := body.ReadFrom(request.Body); err != nil {
		t.Errorf("read a request: %v", err)
	}
	request.Body = readCloser{bytes.NewReader(body.Bytes())}
	return body.String()
}

type readCloser struct{ *bytes.Reader }

func (readCloser) Close() error { return nil }
