// Package sinktest holds every sink to the contract of package sink.
package sinktest

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/tenantplane/terraform-provider-tenant/internal/fault"
	"github.com/tenantplane/terraform-provider-tenant/internal/sink"
	"github.com/tenantplane/terraform-provider-tenant/internal/tenant"
)

// Suite describes one sink.
type Suite struct {
	// Open makes a sink and an empty receiver behind it.
	Open func(t *testing.T) sink.Sink
	// Received lists the bodies that arrived at the last receiver, in order.
	Received func(t *testing.T) []string
	// Stop makes the receiver unreachable, and Start reachable again, with what
	// it has received.
	Stop, Start func(t *testing.T)
	// Refuse makes the receiver refuse the messages that hold a word; nil for a
	// sink that cannot refuse a single message.
	Refuse func(t *testing.T, word string)
}

// message is the nth message about a tenant.
func message(id tenant.ID, n int) sink.Message {
	return sink.Message{
		ID: fmt.Sprintf("%s-%d", id, n), Tenant: id, Type: "tenant.component_ready.v1",
		Body: fmt.Appendf(nil, `{"id":"%s-%d","data":{"text":"ä \" \\n"}}`, id, n),
	}
}

// Run runs the suite.
func Run(t *testing.T, s Suite) {
	t.Run("messages arrive whole and in order", func(t *testing.T) { arrive(t, s) })
	t.Run("a receiver out of reach is an outage, and ends", func(t *testing.T) { outage(t, s) })
	if s.Refuse != nil {
		t.Run("a refused message is its own fault", func(t *testing.T) { refuse(t, s) })
	}
}

func arrive(t *testing.T, s Suite) {
	to := s.Open(t)
	var want []string
	for n := range 5 {
		m := message("acme", n)
		if err := to.Deliver(t.Context(), m); err != nil {
			t.Fatal(err)
		}
		want = append(want, string(m.Body))
	}
	if got := s.Received(t); !slices.Equal(got, want) {
		t.Errorf("received\n%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
}

func outage(t *testing.T, s Suite) {
	to := s.Open(t)
	s.Stop(t)
	if err := to.Deliver(t.Context(), message("acme", 1)); !fault.Is(err, fault.Retryable) {
		t.Errorf("out of reach: got %v, want a Retryable fault", err)
	}
	s.Start(t)
	if err := to.Deliver(t.Context(), message("acme", 1)); err != nil {
		t.Errorf("back again: %v", err)
	}
	if got := s.Received(t); len(got) != 1 {
		t.Errorf("received %d messages, want 1", len(got))
	}
}

func refuse(t *testing.T, s Suite) {
	to := s.Open(t)
	s.Refuse(t, "acme-1")
	if err := to.Deliver(t.Context(), message("acme", 1)); !fault.Is(err, fault.Terminal) {
		t.Errorf("refused: got %v, want a Terminal fault", err)
	}
	if err := to.Deliver(t.Context(), message("acme", 2)); err != nil {
		t.Errorf("the next one: %v", err)
	}
}
