package e2e_test

import (
	"io"
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"sync"
	"testing"
)

// silentDNS stands in front of the real PowerDNS and never answers the first
// change; whether that takes effect is its choice.
type silentDNS struct {
	url string
	// hung is closed when the first change has got no answer.
	hung chan struct{}
	mu   sync.Mutex
	// changes counts the changes asked for.
	changes int
}

func newSilentDNS(t *testing.T, behind string, takesEffect bool) *silentDNS {
	t.Helper()
	target, err := url.Parse(behind)
	if err != nil {
		t.Fatal(err)
	}
	forward := httputil.NewSingleHostReverseProxy(target)
	d := &silentDNS{hung: make(chan struct{})}
	over := make(chan struct{})
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Method != http.MethodPatch || d.count() > 1 {
			forward.ServeHTTP(w, r)
			return
		}
		if takesEffect {
			forward.ServeHTTP(httptest.NewRecorder(), r)
		} else {
			_, _ = io.Copy(io.Discard, r.Body)
		}
		close(d.hung)
		select {
		case <-r.Context().Done():
		case <-over:
		}
	}))
	t.Cleanup(server.Close)
	t.Cleanup(func() { close(over) })
	d.url = server.URL
	return d
}

func (d *silentDNS) count() int {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.changes++
	return d.changes
}

func (d *silentDNS) seen() int {
	d.mu.Lock()
	defer d.mu.Unlock()
	return d.changes
}
