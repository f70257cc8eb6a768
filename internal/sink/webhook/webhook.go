// Package webhook posts events to a URL, signed as Standard Webhooks says
// (github.com/standard-webhooks/standard-webhooks, spec 1.0.0).
package webhook

import (
	"bytes"
	"context"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base64"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"time"

	"github.com/tenantplane/terraform-provider-tenant/internal/clock"
	"github.com/tenantplane/terraform-provider-tenant/internal/event/cloudevent"
	"github.com/tenantplane/terraform-provider-tenant/internal/fault"
	"github.com/tenantplane/terraform-provider-tenant/internal/sink"
)

const (
	// timeout bounds one delivery; the spec recommends 15 to 30 seconds.
	timeout = 15 * time.Second
	// maxAnswer bounds what is read of an answer, to use the connection again.
	maxAnswer = 64 << 10
	// maxRetryAfter bounds what a receiver may ask for.
	maxRetryAfter = time.Hour
	// secretPrefix begins a secret as the spec serializes it.
	secretPrefix = "whsec_"
)

// Sink posts to a URL.
type Sink struct {
	url     string
	secrets [][]byte
	client  *http.Client
	clock   clock.Clock
}

// New returns a sink that posts to address. Each secret is "whsec_" and base64;
// all of them sign, so that a receiver can change from one to the next. At least
// one is needed. transport may be nil.
func New(address string, secrets []string, transport http.RoundTripper, clk clock.Clock) (*Sink, error) {
	parsed, err := url.Parse(address)
	if err != nil || parsed.Host == "" || parsed.Scheme != "https" && parsed.Scheme != "http" {
		return nil, errors.New("url: it is no http or https URL")
	}
	s := &Sink{url: address, clock: clk, client: &http.Client{
		Timeout: timeout, Transport: transport,
		// A redirect would send the event, and its signature, elsewhere.
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
	}}
	for i, text := range secrets {
		key, err := base64.StdEncoding.DecodeString(strings.TrimPrefix(text, secretPrefix))
		if err != nil || len(key) < 24 {
			return nil, fmt.Errorf("secrets[%d]: it is not %q and base64 of at least 24 bytes", i, secretPrefix)
		}
		s.secrets = append(s.secrets, key)
	}
	if len(s.secrets) == 0 {
		return nil, errors.New("secrets: without one nobody can tell that an event is ours")
	}
	return s, nil
}

// Deliver implements sink.Sink.
func (s *Sink) Deliver(ctx context.Context, m sink.Message) error {
	request, err := http.NewRequestWithContext(ctx, http.MethodPost, s.url, bytes.NewReader(m.Body))
	if err != nil {
		return fmt.Errorf("webhook: post %s: %w", m.ID, err)
	}
	stamp := strconv.FormatInt(s.clock.Now().Unix(), 10)
	request.Header.Set("Content-Type", cloudevent.ContentType)
	request.Header.Set("User-Agent", "terraform-provider-tenant")
	request.Header.Set("Webhook-Id", m.ID)
	request.Header.Set("Webhook-Timestamp", stamp)
	request.Header.Set("Webhook-Signature", s.sign(m.ID, stamp, m.Body))
	response, err := s.client.Do(request)
	if err != nil {
		return fmt.Errorf("webhook: post %s: %w", m.ID, fault.NewRetryable("events.webhook_unreachable", plain(err).Error(), plain(err)))
	}
	defer response.Body.Close()
	_, _ = io.Copy(io.Discard, io.LimitReader(response.Body, maxAnswer)) // what it says is not ours to act on
	if f := judge(response, s.clock.Now()); f != nil {
		return fmt.Errorf("webhook: post %s: %w", m.ID, f)
	}
	return nil
}

// sign signs "id.timestamp.body" with every secret: "v1,‹base64› v1,‹base64›".
func (s *Sink) sign(id, stamp string, body []byte) string {
	var signatures []string
	for _, key := range s.secrets {
		mac := hmac.New(sha256.New, key)
		mac.Write([]byte(id + "." + stamp + "."))
		mac.Write(body)
		signatures = append(signatures, "v1,"+base64.StdEncoding.EncodeToString(mac.Sum(nil)))
	}
	return strings.Join(signatures, " ")
}

// judge tells what a status says. What a receiver answers to this one event is a
// refusal; what it answers to anybody is an outage.
func judge(response *http.Response, now time.Time) *fault.Fault {
	code := response.StatusCode
	found := fmt.Sprintf("the receiver answered %d", code)
	switch {
	case code >= 200 && code < 300:
		return nil
	case code == http.StatusRequestTimeout, code == http.StatusTooEarly, code == http.StatusTooManyRequests, code >= 500,
		code == http.StatusUnauthorized, code == http.StatusForbidden, code == http.StatusNotFound, code == http.StatusGone,
		code >= 300 && code < 400:
		f := fault.NewRetryable("events.webhook_down", found, nil)
		f.RetryAfter = retryAfter(response.Header.Get("Retry-After"), now)
		return f
	default:
		return fault.NewTerminal("events.webhook_refused", "", found, "look at the receiver's log, then replay the event")
	}
}

// retryAfter reads seconds or a date (RFC 9110, section 10.2.3), bounded.
func retryAfter(header string, now time.Time) time.Duration {
	if seconds, err := strconv.ParseInt(header, 10, 64); err == nil {
		return time.Duration(min(max(seconds, 0), int64(maxRetryAfter/time.Second))) * time.Second
	}
	if at, err := http.ParseTime(header); err == nil {
		return min(max(at.Sub(now), 0), maxRetryAfter)
	}
	return 0
}

// plain is an error without the URL, which may hold a password.
func plain(err error) error {
	var detailed *url.Error
	if errors.As(err, &detailed) {
		return detailed.Err
	}
	return err
}

// Close implements sink.Sink.
func (s *Sink) Close() error {
	s.client.CloseIdleConnections()
	return nil
}
