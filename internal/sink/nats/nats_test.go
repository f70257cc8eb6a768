package nats_test

import (
	"net"
	"testing"
	"time"

	"github.com/nats-io/nats-server/v2/server"
	client "github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"

	"github.com/tenantplane/terraform-provider-tenant/internal/fault"
	"github.com/tenantplane/terraform-provider-tenant/internal/sink"
	"github.com/tenantplane/terraform-provider-tenant/internal/sink/nats"
	"github.com/tenantplane/terraform-provider-tenant/internal/sink/sinktest"
)

// lab is a NATS server with a stream.
type lab struct {
	t      *testing.T
	server *server.Server
	folder string
	port   int
}

func newLab(t *testing.T) *lab {
	t.Helper()
	l := &lab{t: t, folder: t.TempDir(), port: server.RANDOM_PORT}
	l.start()
	l.port = l.server.Addr().(*net.TCPAddr).Port
	_, err := l.stream().CreateStream(t.Context(), jetstream.StreamConfig{Name: "TENANTS", Subjects: []string{"tenants.>"}})
	if err != nil {
		t.Fatal(err)
	}
	return l
}

func (l *lab) start() {
	l.t.Helper()
	s, err := server.NewServer(&server.Options{Host: "127.0.0.1", Port: l.port, JetStream: true, StoreDir: l.folder, NoLog: true, NoSigs: true, MaxPayload: 64 << 10})
	if err != nil {
		l.t.Fatal(err)
	}
	go s.Start()
	if !s.ReadyForConnections(20 * time.Second) {
		l.t.Fatal("the server does not come up")
	}
	l.server = s
	l.t.Cleanup(l.stop)
}

func (l *lab) stop() {
	l.server.Shutdown()
	l.server.WaitForShutdown()
}

func (l *lab) stream() jetstream.JetStream {
	l.t.Helper()
	conn, err := client.Connect(l.server.ClientURL())
	if err != nil {
		l.t.Fatal(err)
	}
	l.t.Cleanup(conn.Close)
	stream, err := jetstream.New(conn)
	if err != nil {
		l.t.Fatal(err)
	}
	return stream
}

func (l *lab) sink(stream string) sink.Sink {
	l.t.Helper()
	s, err := nats.New(nats.Options{URL: l.server.ClientURL(), Stream: stream, Subject: "tenants"})
	if err != nil {
		l.t.Fatal(err)
	}
	l.t.Cleanup(func() { _ = s.Close() })
	return s
}

// stored returns what the stream holds.
func (l *lab) stored() []jetstream.Msg {
	l.t.Helper()
	consumer, err := l.stream().OrderedConsumer(l.t.Context(), "TENANTS", jetstream.OrderedConsumerConfig{})
	if err != nil {
		l.t.Fatal(err)
	}
	batch, err := consumer.FetchNoWait(100)
	if err != nil {
		l.t.Fatal(err)
	}
	var messages []jetstream.Msg
	for m := range batch.Messages() {
		messages = append(messages, m)
	}
	return messages
}

func TestConformance(t *testing.T) {
	var l *lab
	sinktest.Run(t, sinktest.Suite{
		Open: func(t *testing.T) sink.Sink { l = newLab(t); return l.sink("TENANTS") },
		Received: func(*testing.T) []string {
			var bodies []string
			for _, m := range l.stored() {
				bodies = append(bodies, string(m.Data()))
			}
			return bodies
		},
		Stop:  func(*testing.T) { l.stop() },
		Start: func(*testing.T) { l.start() },
	})
}

var message = sink.Message{ID: "msg-1", Tenant: "acme", Type: "tenant.deleted.v1", Body: []byte(`{"id":"msg-1"}`)}

func TestAMessageThatIsSentTwiceIsStoredOnce(t *testing.T) {
	l := newLab(t)
	for range 2 { // the second time by another process
		if err := l.sink("TENANTS").Deliver(t.Context(), message); err != nil {
			t.Fatal(err)
		}
	}
	messages := l.stored()
	if len(messages) != 1 || messages[0].Subject() != "tenants.acme.tenant.deleted.v1" {
		t.Errorf("%d messages are stored: %v", len(messages), messages)
	}
}

func TestAStreamThatIsNotThereIsAnOutage(t *testing.T) {
	l := newLab(t)
	if err := l.sink("OTHERS").Deliver(t.Context(), message); !fault.Is(err, fault.Retryable) {
		t.Errorf("got %v, want a Retryable fault", err)
	}
	if n := len(l.stored()); n != 0 {
		t.Errorf("%d messages went into another stream", n)
	}
}

func TestAMessageTooLongForTheServerIsRefused(t *testing.T) {
	l := newLab(t)
	long := message
	long.Body = make([]byte, 100<<10)
	s := l.sink("TENANTS")
	if err := s.Deliver(t.Context(), long); !fault.Is(err, fault.Terminal) {
		t.Errorf("got %v, want a Terminal fault", err)
	}
	if err := s.Deliver(t.Context(), message); err != nil {
		t.Errorf("the next one: %v", err)
	}
}

func TestOptionsThatCannotWorkAreRefused(t *testing.T) {
	for name, o := range map[string]nats.Options{
		"no server": {Stream: "S", Subject: "s"}, "no stream": {URL: "u", Subject: "s"}, "no subject": {URL: "u", Stream: "S"},
		"a wildcard": {URL: "u", Stream: "S", Subject: "a.*"}, "an empty part": {URL: "u", Stream: "S", Subject: "a."},
	} {
		if _, err := nats.New(o); err == nil {
			t.Errorf("%s was taken", name)
		}
	}
}
