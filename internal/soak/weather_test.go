package soak

import (
	"math/rand/v2"
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"sync"
	"sync/atomic"
	"testing"
	"time"
)

// weather is what stands between the workers and a system: it loses calls, and
// answers, and now and then everything for some seconds.
type weather struct {
	bad atomic.Bool
	// out is until when everything fails, in nanoseconds since 1970.
	out atomic.Int64

	mu     sync.Mutex
	random *rand.Rand
	// counts of what was done to calls.
	refused, lost, slow, outages atomic.Int64
}

// front serves a system through the weather.
func (w *weather) front(t *testing.T, system string) string {
	t.Helper()
	target, err := url.Parse(system)
	if err != nil {
		t.Fatal(err)
	}
	proxy := &httputil.ReverseProxy{
		Rewrite:   func(r *httputil.ProxyRequest) { r.SetURL(target); r.Out.Host = target.Host },
		Transport: &http.Transport{MaxIdleConnsPerHost: 64},
		ErrorHandler: func(http.ResponseWriter, *http.Request, error) {
			panic(http.ErrAbortHandler)
		},
	}
	server := httptest.NewServer(http.HandlerFunc(func(out http.ResponseWriter, r *http.Request) { w.serve(out, r, proxy) }))
	t.Cleanup(server.Close)
	return server.URL
}

func (w *weather) serve(out http.ResponseWriter, r *http.Request, system http.Handler) {
	switch dice := w.roll(); {
	case !w.bad.Load():
		system.ServeHTTP(out, r)
	case time.Now().UnixNano() < w.out.Load():
		out.WriteHeader(http.StatusServiceUnavailable)
	case dice < 10: // of 1000
		w.refused.Add(1)
		out.WriteHeader(http.StatusServiceUnavailable)
	case dice < 15:
		w.refused.Add(1)
		panic(http.ErrAbortHandler) // nothing was sent on
	case dice < 25: // it took effect, and the answer is lost
		w.lost.Add(1)
		system.ServeHTTP(httptest.NewRecorder(), r)
		panic(http.ErrAbortHandler)
	case dice < 35:
		w.slow.Add(1)
		time.Sleep(500 * time.Millisecond)
		system.ServeHTTP(out, r)
	default:
		system.ServeHTTP(out, r)
	}
}

func (w *weather) roll() int {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.random.IntN(1000)
}

// storm takes the system away for a while.
func (w *weather) storm(long time.Duration) {
	w.outages.Add(1)
	w.out.Store(time.Now().Add(long).UnixNano())
}
