// Package nats publishes events to a NATS JetStream stream
// (docs.nats.io/nats-concepts/jetstream).
package nats

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"

	"github.com/tenantplane/terraform-provider-tenant/internal/event/cloudevent"
	"github.com/tenantplane/terraform-provider-tenant/internal/fault"
	"github.com/tenantplane/terraform-provider-tenant/internal/sink"
)

// timeout bounds one publication.
const timeout = 10 * time.Second

// Options say where to publish.
type Options struct {
	// URL is one server or several, separated by commas.
	URL string
	// Stream is the stream that must take the events; it is not made.
	Stream string
	// Subject is the subject's beginning; tenant and type follow:
	// "tenants.acme.tenant.deleted.v1".
	Subject string
	// Credentials is the path of a credentials file; "" for none.
	Credentials string
}

// Sink publishes to a stream.
type Sink struct {
	options Options
	mu      sync.Mutex
	conn    *nats.Conn
	stream  jetstream.JetStream
}

// New returns a sink; it connects with the first message.
func New(o Options) (*Sink, error) {
	switch {
	case o.URL == "":
		return nil, errors.New("url: say where the server is")
	case o.Stream == "":
		return nil, errors.New("stream: say which stream takes the events, so that one that none takes is noticed")
	case o.Subject == "" || strings.ContainsAny(o.Subject, " *>") || strings.HasPrefix(o.Subject, ".") || strings.HasSuffix(o.Subject, "."):
		return nil, fmt.Errorf("subject: %q cannot begin a subject", o.Subject)
	}
	return &Sink{options: o}, nil
}

// Deliver implements sink.Sink. The event's id is the message's, by which the
// server drops what it has stored already within the stream's duplicate window;
// receivers drop the rest.
func (s *Sink) Deliver(ctx context.Context, m sink.Message) error {
	ctx, cancel := context.WithTimeout(ctx, timeout)
	defer cancel()
	stream, err := s.connect()
	if err == nil {
		message := nats.NewMsg(strings.Join([]string{s.options.Subject, string(m.Tenant), m.Type}, "."))
		message.Data = m.Body
		message.Header.Set("Content-Type", cloudevent.ContentType)
		_, err = stream.PublishMsg(ctx, message, jetstream.WithMsgID(m.ID), jetstream.WithExpectStream(s.options.Stream))
	}
	if err != nil {
		return fmt.Errorf("nats: publish %s: %w", m.ID, classify(err))
	}
	return nil
}

// connect returns the connection, making it if there is none.
func (s *Sink) connect() (jetstream.JetStream, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.stream != nil && !s.conn.IsClosed() {
		return s.stream, nil
	}
	options := []nats.Option{nats.Name("terraform-provider-tenant"), nats.Timeout(5 * time.Second), nats.MaxReconnects(-1)}
	if s.options.Credentials != "" {
		options = append(options, nats.UserCredentials(s.options.Credentials))
	}
	conn, err := nats.Connect(s.options.URL, options...)
	if err != nil {
		return nil, err
	}
	stream, err := jetstream.New(conn)
	if err != nil {
		conn.Close()
		return nil, err
	}
	s.conn, s.stream = conn, stream
	return stream, nil
}

// classify tells a message that the server will never take from a server that
// takes none.
func classify(err error) *fault.Fault {
	if errors.Is(err, nats.ErrMaxPayload) {
		return fault.NewTerminal("events.nats_too_long", "", err.Error(), "raise max_payload of the server, then replay the event")
	}
	return fault.NewRetryable("events.nats_down", err.Error(), err)
}

// Close implements sink.Sink.
func (s *Sink) Close() error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.conn != nil {
		s.conn.Close()
	}
	return nil
}
