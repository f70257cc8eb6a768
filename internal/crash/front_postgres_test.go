package crash_test

import (
	"net"
	"strings"
	"sync/atomic"
	"testing"
)

// postgresFront stands before a PostgreSQL server. Its boundaries are where
// effects become durable: the COMMIT of a transaction that changed something,
// and a change outside of one. Messages go through unchanged
// (postgresql.org/docs/current/protocol-message-formats.html).
type postgresFront struct {
	conductor *conductor
	component string
	target    string
	listener  net.Listener
}

func newPostgresFront(t *testing.T, c *conductor, component, target string) *postgresFront {
	t.Helper()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = listener.Close() })
	f := &postgresFront{conductor: c, component: component, target: target, listener: listener}
	go f.accept()
	return f
}

func (f *postgresFront) accept() {
	for {
		client, err := f.listener.Accept()
		if err != nil {
			return
		}
		go f.serve(client)
	}
}

// serve relays one connection until either side leaves or the run is over.
func (f *postgresFront) serve(client net.Conn) {
	defer client.Close()
	r := f.conductor.current.Load()
	if r.isDead() {
		return
	}
	server, err := net.Dial("tcp", f.target)
	if err != nil {
		return
	}
	defer server.Close()
	s := &session{front: f, run: r, client: client, server: server}
	s.status.Store('I')
	go func() {
		s.down()
		_ = client.Close()
		_ = server.Close()
	}()
	s.up()
}

// session is one client's connection through the front.
type session struct {
	front          *postgresFront
	run            *run
	client, server net.Conn
	// status is the server's last word on the transaction: I, T or E.
	status atomic.Int32
	// announced is the change that was sent and is not answered yet.
	announced atomic.Pointer[string]
	// changed is what the transaction under way changed first; only up uses it.
	changed string
}

// up relays what the client says.
func (s *session) up() {
	startup, err := readStartup(s.client)
	if err != nil {
		return
	}
	if _, err := s.server.Write(startup); err != nil {
		return
	}
	for {
		message, err := readMessage(s.client)
		if err != nil || !s.admit(message) {
			return
		}
		if _, err := s.server.Write(message); err != nil {
			return
		}
	}
}

// admit announces a message that makes something durable.
func (s *session) admit(message []byte) bool {
	if s.run.isDead() {
		return false
	}
	sql := statement(message)
	switch {
	case sql == "":
		return true
	case beginsWith(sql, "commit", "end"):
		change := s.changed
		s.changed = ""
		return change == "" || s.announce("COMMIT "+change)
	case beginsWith(sql, "rollback"):
		s.changed = ""
		return true
	}
	change := changing.FindString(sql)
	switch {
	case change == "":
		return true
	case s.status.Load() == 'I':
		return s.announce(strings.ToUpper(change))
	case s.changed == "":
		s.changed = strings.ToUpper(change)
	}
	return true
}

func (s *session) announce(change string) bool {
	name := s.front.component + " " + strings.Join(strings.Fields(change), " ")
	if !s.run.pass(name + " · " + beforeSend) {
		return false
	}
	s.announced.Store(&name)
	return true
}

// down relays what the server says, whole answers at a time once it is ready.
func (s *session) down() {
	var held []byte
	greeted := false
	for {
		message, err := readMessage(s.server)
		if err != nil {
			_, _ = s.client.Write(held)
			return
		}
		held = append(held, message...)
		if message[0] == 'Z' {
			greeted = true
			s.status.Store(int32(message[5]))
		}
		if greeted && !strings.ContainsRune("ZGHW", rune(message[0])) {
			continue
		}
		if !s.deliver(held) {
			return
		}
		held = nil
	}
}

// deliver gives an answer to the client.
func (s *session) deliver(answer []byte) bool {
	name := s.announced.Swap(nil)
	if name != nil && !s.run.pass(*name+" · "+afterSend) {
		return false
	}
	if _, err := s.client.Write(answer); err != nil {
		return false
	}
	return name == nil || s.run.pass(*name+" · "+afterAnswer)
}
