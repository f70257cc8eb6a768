package s3

import (
	"io"
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"strings"
	"testing"

	"github.com/minio/minio-go/v7"

	"github.com/tenantplane/terraform-provider-tenant/internal/acctest"
	"github.com/tenantplane/terraform-provider-tenant/internal/fault"
	"github.com/tenantplane/terraform-provider-tenant/internal/tenant"
)

// lenient is a store that answers success for a bucket of the caller's account
// that was there already, as one region of Amazon S3 does: a proxy in front of
// the real server that turns 409 into 200.
func lenient(t *testing.T, server acctest.S3Server) acctest.S3Server {
	t.Helper()
	target, err := url.Parse(server.Endpoint)
	if err != nil {
		t.Fatal(err)
	}
	proxy := &httputil.ReverseProxy{
		Rewrite: func(r *httputil.ProxyRequest) {
			r.SetURL(target)
			r.Out.Host = r.In.Host // which is signed
		},
		ModifyResponse: func(answer *http.Response) error {
			if answer.Request.Method != http.MethodPut || answer.StatusCode != http.StatusConflict {
				return nil
			}
			_ = answer.Body.Close()
			answer.StatusCode, answer.Status = http.StatusOK, "200 OK"
			answer.Body, answer.ContentLength = io.NopCloser(strings.NewReader("")), 0
			answer.Header.Set("Content-Length", "0")
			return nil
		},
	}
	front := httptest.NewServer(proxy)
	t.Cleanup(front.Close)
	server.Endpoint = front.URL
	return server
}

// overtaken runs act right before the first request to create a bucket, when
// the backend has already seen that there is none.
func overtaken(act *func()) http.RoundTripper {
	return relay(func(request *http.Request) (*http.Response, error) {
		if request.Method == http.MethodPut && request.URL.RawQuery == "" && *act != nil {
			(*act)()
			*act = nil
		}
		return http.DefaultTransport.RoundTrip(request)
	})
}

func TestC48_CreateThatSucceedsForABucketThatWasThere(t *testing.T) {
	neighbour := tenant.Marker{Installation: "acme", Tenant: "somebody-else", Region: "test"}
	for _, store := range []string{"answers 200", "answers 409 owned by you", "answers 409 of another account"} {
		for _, when := range []string{"before", "between look and create"} {
			for whose, pairs := range map[string]map[string]string{
				"no marker": {"team": "data"}, "our marker": nil, "another tenant's marker": neighbour.Pairs(),
			} {
				t.Run(store+"/"+when+"/"+whose, func(t *testing.T) {
					var overtake func()
					l := newLab(t, nil)
					server, maker := l.server, l.hand
					switch store {
					case "answers 200":
						server = lenient(t, server)
					case "answers 409 of another account":
						maker = hand(t, acctest.S3(t).Account(t, "foreign-"+string(l.subject.ID)))
					}
					l.backend = openOn(t, settings(server, overtaken(&overtake)))
					if pairs == nil {
						pairs = l.subject.Marker().Pairs()
					}
					arrive := func() {
						l.made(maker, pairs)
						_, err := maker.PutObject(t.Context(), l.name(), "precious", strings.NewReader("x"), 1, minio.PutObjectOptions{})
						if err != nil {
							t.Errorf("put by hand: %v", err)
						}
					}
					if when == "before" {
						arrive()
					} else {
						overtake = arrive
					}

					_, err := l.backend.Ensure(t.Context(), l.want(false))
					if ours := whose == "our marker" && store != "answers 409 of another account"; ours {
						if err != nil {
							t.Errorf("ensure: %v, want our own bucket adopted", err)
						}
						return
					}
					if !fault.Is(err, fault.Conflict) {
						t.Errorf("ensure: got %v, want a Conflict", err)
					}
					if _, err := l.backend.Remove(t.Context(), l.removal(tenant.DeleteData)); !fault.Is(err, fault.Conflict) {
						t.Errorf("destroy: got %v, want a Conflict", err)
					}
					if _, err := maker.StatObject(t.Context(), l.name(), "precious", minio.StatObjectOptions{}); err != nil {
						t.Errorf("the stranger's object: %v", err)
					}
				})
			}
		}
	}
}

func TestC48_AHalfMadeBucketIsTakenUpOnlyByTheCreationThatBeganIt(t *testing.T) {
	l := newLab(t, nil)
	if err := l.hand.MakeBucket(t.Context(), l.name(), minio.MakeBucketOptions{}); err != nil {
		t.Fatal(err)
	}
	if _, err := l.backend.Ensure(t.Context(), l.want(false)); !fault.Is(err, fault.Conflict) {
		t.Fatalf("a new creation: got %v, want a Conflict", err)
	}
	l.put(1)
	_, err := l.backend.Ensure(t.Context(), l.resumed())
	if !fault.Is(err, fault.Conflict) || !strings.Contains(err.Error(), "1 keys") {
		t.Fatalf("a resumed creation of a bucket with data: got %v, want a Conflict with the count", err)
	}
	l.deletedOnce()
	seen, err := l.backend.Ensure(t.Context(), l.resumed())
	if err != nil || seen.Marker != l.subject.Marker() {
		t.Fatalf("a resumed creation: %+v, %v", seen, err)
	}
}

func TestC48_ACreationThatBreaksOffAfterTheBucketIsAmbiguous(t *testing.T) {
	broken := true
	l := newLab(t, relay(func(request *http.Request) (*http.Response, error) {
		if broken && request.Method == http.MethodPut && request.URL.Query().Has("tagging") {
			broken = false
			return denied(request), nil
		}
		return http.DefaultTransport.RoundTrip(request)
	}))
	_, err := l.backend.Ensure(t.Context(), l.want(true))
	if !fault.Is(err, fault.Ambiguous) || !l.exists() {
		t.Fatalf("got %v, want an Ambiguous fault with the bucket made", err)
	}
	seen, err := l.backend.Ensure(t.Context(), l.resumed())
	if err != nil || seen.Marker != l.subject.Marker() {
		t.Errorf("resumed: %+v, %v", seen, err)
	}
}

// denied is a store's AccessDenied.
func denied(request *http.Request) *http.Response {
	const body = `<?xml version="1.0" encoding="UTF-8"?><Error><Code>AccessDenied</Code><Message>Access Denied</Message></Error>`
	return &http.Response{
		StatusCode: http.StatusForbidden, Status: "403 Forbidden", Proto: "HTTP/1.1", ProtoMajor: 1, ProtoMinor: 1,
		Header: http.Header{"Content-Type": {"application/xml"}}, Body: io.NopCloser(strings.NewReader(body)),
		ContentLength: int64(len(body)), Request: request,
	}
}
