package postgres_test

import (
	"bytes"
	"io"
	"net"
	"testing"
)

// loseAnswerTo runs a proxy before the server that passes everything on until
// a client sends a text; that still reaches the server, but the client's
// connection breaks and no new one is taken: pgx would cancel what it began.
// It returns the proxy's address.
func loseAnswerTo(t *testing.T, server, text string) string {
	t.Helper()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = listener.Close() })
	go func() {
		for {
			client, err := listener.Accept()
			if err != nil {
				return
			}
			upstream, err := net.Dial("tcp", server)
			if err != nil {
				_ = client.Close()
				continue
			}
			t.Cleanup(func() { _ = upstream.Close() }) // not before: the server must not notice
			go relay(client, upstream, []byte(text), listener)
		}
	}()
	return listener.Addr().String()
}

func relay(client, server net.Conn, text []byte, listener net.Listener) {
	defer client.Close()
	go func() { _, _ = io.Copy(client, server) }()
	buffer := make([]byte, 64<<10)
	for {
		n, err := client.Read(buffer)
		if err != nil {
			_ = server.Close()
			return
		}
		broken := bytes.Contains(buffer[:n], text)
		if broken {
			_ = listener.Close()
			_ = client.Close()
		}
		if _, err := server.Write(buffer[:n]); err != nil {
			return
		}
		if broken {
			_, _ = io.Copy(io.Discard, server) // until the server is done with it
			return
		}
	}
}
