package transport

import (
	"log/slog"
	"net/http"
	"time"

	"github.com/tenantplane/terraform-provider-tenant/internal/clock"
)

// What an Options field left at zero stands for.
const (
	DefaultTimeout     = 30 * time.Second
	DefaultMaxAttempts = 3
	DefaultMaxWait     = 20 * time.Second
	DefaultMaxBody     = 4 << 20
)

// Options shapes a client. The zero value is a good one.
type Options struct {
	// Base carries each attempt; nil means http.DefaultTransport.
	Base http.RoundTripper
	// Timeout bounds each attempt by itself, from dialling to the last byte of
	// the body; 0 means DefaultTimeout.
	Timeout time.Duration
	// MaxAttempts counts the first attempt too; 0 means DefaultMaxAttempts.
	MaxAttempts int
	// MaxWait caps the wait between two attempts, also the one a server asks
	// for with Retry-After; 0 means DefaultMaxWait.
	MaxWait time.Duration
	// MaxBody is the longest response body in bytes, after decompression;
	// 0 means DefaultMaxBody.
	MaxBody int64
	// Clock waits between attempts; nil means clock.System.
	Clock clock.Clock
	// Logger gets one debug line per attempt; nil means none.
	Logger *slog.Logger
}

// NewClient returns a client that follows the table in the package comment.
// Its responses are read completely before they are returned, so reading a
// body never fails and never blocks. Redirects are returned, not followed: a
// followed one would carry credentials elsewhere or turn a POST into a GET.
// Errors are to be given to FaultFromError.
func NewClient(options Options) *http.Client {
	return &http.Client{
		Transport:     roundTripper{options.withDefaults()},
		CheckRedirect: keepRedirect,
	}
}

func keepRedirect(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }

func (o Options) withDefaults() Options {
	if o.Base == nil {
		o.Base = http.DefaultTransport
	}
	if o.Timeout <= 0 {
		o.Timeout = DefaultTimeout
	}
	if o.MaxAttempts <= 0 {
		o.MaxAttempts = DefaultMaxAttempts
	}
	if o.MaxWait <= 0 {
		o.MaxWait = DefaultMaxWait
	}
	if o.MaxBody <= 0 {
		o.MaxBody = DefaultMaxBody
	}
	if o.Clock == nil {
		o.Clock = clock.System{}
	}
	if o.Logger == nil {
		o.Logger = slog.New(slog.DiscardHandler)
	}
	return o
}

// roundTripper starts a call for each request.
type roundTripper struct{ options Options }

// RoundTrip implements http.RoundTripper.
func (t roundTripper) RoundTrip(req *http.Request) (*http.Response, error) {
	c := &call{options: t.options, replayable: replayable(req)}
	return c.do(req)
}
