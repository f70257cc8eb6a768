// Package budget bounds how many requests a second go to one backend, so that
// its own users keep the rest.
package budget

import (
	"fmt"
	"math"
	"net/http"
	"strconv"

	"golang.org/x/time/rate"

	"github.com/tenantplane/terraform-provider-tenant/internal/backend"
	"github.com/tenantplane/terraform-provider-tenant/internal/fault"
)

// Option is the setting of every backend that is spoken to over HTTP. The bound
// holds for one process.
func Option() backend.Option {
	return backend.Option{
		Name: "requests_per_second",
		Description: "Most requests a second that this process sends to the backend, retries included; more wait. " +
			"For a system with a limit of its own, which its other users need as well.",
	}
}

// Read reads the option; 0 is no bound. The fault carries the path given.
func Read(text, path string) (float64, *fault.Fault) {
	if text == "" {
		return 0, nil
	}
	n, err := strconv.ParseFloat(text, 64)
	if err != nil || n <= 0 || math.IsInf(n, 0) || math.IsNaN(n) {
		return 0, fault.NewTerminal("provider.budget", path, fmt.Sprintf("%q is no number of requests", text), "write a number above 0, for example 25")
	}
	return n, nil
}

// Transport lets perSecond requests a second through, one after the other with
// a small burst, and has the others wait as long as their context lets them. 0
// returns base as it is.
func Transport(base http.RoundTripper, perSecond float64) http.RoundTripper {
	if perSecond <= 0 {
		return base
	}
	if base == nil {
		base = http.DefaultTransport
	}
	return bounded{base, rate.NewLimiter(rate.Limit(perSecond), max(1, int(perSecond/4)))}
}

type bounded struct {
	base    http.RoundTripper
	limiter *rate.Limiter
}

// RoundTrip implements http.RoundTripper.
func (b bounded) RoundTrip(request *http.Request) (*http.Response, error) {
	if err := b.limiter.Wait(request.Context()); err != nil {
		return nil, fmt.Errorf("wait for the request budget: %w", err)
	}
	return b.base.RoundTrip(request)
}
