package powerdns

import (
	"math/rand/v2"
	"net"
	"strings"
	"testing"
	"time"

	"golang.org/x/net/dns/dnsmessage"

	"github.com/tenantplane/terraform-provider-tenant/internal/engine"
	"github.com/tenantplane/terraform-provider-tenant/internal/fault"
)

func TestC08_OrderAndSpellingOfValuesMakeNoWrites(t *testing.T) {
	w := newWorld(t, "c08.example")
	w.mustApply(`{"hostname":"acme.c08.example","addresses":["192.0.2.3","192.0.2.1","192.0.2.2","2001:DB8:0::1"]}`)
	w.holds("acme.c08.example. A 300 192.0.2.1 192.0.2.2 192.0.2.3", "acme.c08.example. AAAA 300 2001:db8::1")
	w.settled(`{"hostname":"acme.c08.example","addresses":["2001:db8::1","192.0.2.2","192.0.2.3","192.0.2.1"]}`)
	w.settled(`{"hostname":"acme.c08.example","addresses":["2001:0db8:0:0::0001","192.0.2.1","192.0.2.2","192.0.2.3"]}`)
}

func TestC10_ATTLEditedByHandIsDrift(t *testing.T) {
	w := newWorld(t, "c10.example")
	spec := `{"hostname":"acme.c10.example","target":"edge.example.net","ttl":300}`
	w.mustApply(spec)
	w.edit("acme.c10.example.", "CNAME", 301, []string{"edge.example.net."})
	plan := w.mustApply(spec)
	if len(plan.Actions) != 1 || plan.Actions[0].Verb != engine.Update || len(plan.Actions[0].Changes) != 1 || plan.Actions[0].Changes[0].Field != "ttl" {
		t.Errorf("planned %s, want one update of the ttl", verbs(plan))
	}
	w.holds("acme.c10.example. CNAME 300 edge.example.net.")
}

func TestARecordSwitchedOffByHandIsDrift(t *testing.T) {
	w := newWorld(t, "disabled.example")
	spec := `{"hostname":"acme.disabled.example","addresses":["192.0.2.1"]}`
	w.mustApply(spec)
	w.switchOff("acme.disabled.example.", "192.0.2.1")
	if plan := w.mustApply(spec); len(plan.Actions) != 1 || plan.Actions[0].Verb != engine.Update {
		t.Errorf("planned %s, want one update", verbs(plan))
	}
	if rcode, answers := ask(t, w.server.DNSAddr, "acme.disabled.example."); rcode != dnsmessage.RCodeSuccess || answers != 1 {
		t.Errorf("after the repair DNS says %s with %d answers", rcode, answers)
	}
}

func TestARecordSwitchedOffByHandIsRemovedWithTheTenant(t *testing.T) {
	w := newWorld(t, "disabled2.example")
	w.mustApply(`{"hostname":"acme.disabled2.example","addresses":["192.0.2.1"],"wildcard":true}`)
	w.switchOff("acme.disabled2.example.", "192.0.2.1")
	w.switchOff("*.acme.disabled2.example.", "192.0.2.1")
	w.destroy()
	w.holds()
}

func TestAStrangersRecordThatIsSwitchedOffIsNotOverwritten(t *testing.T) {
	for _, owner := range []string{"acme", "*.acme"} {
		w := newWorld(t, "disabled3.example")
		w.switchOff(owner+".disabled3.example.", "192.0.2.66")
		_, err := w.apply(`{"hostname":"acme.disabled3.example","addresses":["192.0.2.1"],"wildcard":true}`)
		if !fault.Is(err, fault.Conflict) || !strings.Contains(err.Error(), "192.0.2.66") || !strings.Contains(err.Error(), "disabled") {
			t.Errorf("%s: got %v, want a Conflict showing the value", owner, err)
		}
		w.destroy()
		w.holds(owner + ".disabled3.example. A 300 192.0.2.66")
		w.edit(owner+".disabled3.example.", "A", 0, nil)
	}
}

// switchOff stores an A record that is there but not served.
func (w *world) switchOff(name, address string) {
	w.t.Helper()
	status, body, err := w.server.Call("PATCH", "/zones/"+w.zone+".", map[string]any{"rrsets": []any{map[string]any{
		"name": name, "type": "A", "ttl": 300, "changetype": "REPLACE",
		"records": []any{map[string]any{"content": address, "disabled": true}},
	}}})
	if err != nil || status != 204 {
		w.t.Fatalf("switch off %s: %d, %v: %s", name, status, err, body)
	}
}

// TestC10_UsersFindTheNameThroughoutEveryChange asks every 10 ms while the
// TTL, the kind of destination and back change.
func TestC10_UsersFindTheNameThroughoutEveryChange(t *testing.T) {
	w := newWorld(t, "c10live.example")
	const long = `{"hostname":"acme.c10live.example","target":"edge.c10live.example","ttl":3600}`
	const short = `{"hostname":"acme.c10live.example","target":"edge.c10live.example","ttl":300}`
	const addresses = `{"hostname":"acme.c10live.example","addresses":["192.0.2.1"],"ttl":300}`
	w.edit("edge.c10live.example.", "A", 60, []string{"192.0.2.9"})
	w.mustApply(long)

	stop, asked, missing := make(chan struct{}), 0, 0
	done := make(chan struct{})
	go func() {
		defer close(done)
		tick := time.NewTicker(10 * time.Millisecond)
		defer tick.Stop()
		for {
			select {
			case <-stop:
				return
			case <-tick.C:
				rcode, answers := ask(t, w.server.DNSAddr, "acme.c10live.example.")
				asked++
				if rcode != dnsmessage.RCodeSuccess || answers == 0 {
					missing++
				}
			}
		}
	}()
	for _, spec := range []string{short, long, short, addresses, short, addresses, long} {
		time.Sleep(30 * time.Millisecond)
		w.mustApply(spec)
	}
	time.Sleep(30 * time.Millisecond)
	close(stop)
	<-done
	if asked < 20 || missing > 0 {
		t.Errorf("of %d queries %d found nothing", asked, missing)
	}
	w.holds("acme.c10live.example. CNAME 3600 edge.c10live.example.", "edge.c10live.example. A 60 192.0.2.9")
}

// ask sends one A query and returns the response code and how many answers
// came. A query that goes wrong counts as SERVFAIL.
func ask(t *testing.T, server, name string) (dnsmessage.RCode, int) {
	t.Helper()
	query := dnsmessage.Message{
		Header: dnsmessage.Header{ID: uint16(rand.Uint32()), RecursionDesired: true},
		Questions: []dnsmessage.Question{{
			Name: dnsmessage.MustNewName(name), Type: dnsmessage.TypeA, Class: dnsmessage.ClassINET,
		}},
	}
	packed, err := query.Pack()
	if err != nil {
		t.Errorf("pack query: %v", err)
		return dnsmessage.RCodeServerFailure, 0
	}
	conn, err := net.Dial("udp", server)
	if err != nil {
		t.Errorf("dial: %v", err)
		return dnsmessage.RCodeServerFailure, 0
	}
	defer conn.Close()
	_ = conn.SetDeadline(time.Now().Add(5 * time.Second))
	buffer := make([]byte, 1500)
	if _, err := conn.Write(packed); err != nil {
		t.Errorf("send query: %v", err)
		return dnsmessage.RCodeServerFailure, 0
	}
	n, err := conn.Read(buffer)
	if err != nil {
		t.Errorf("no answer: %v", err)
		return dnsmessage.RCodeServerFailure, 0
	}
	var answer dnsmessage.Message
	if err := answer.Unpack(buffer[:n]); err != nil {
		t.Errorf("unpack answer: %v", err)
		return dnsmessage.RCodeServerFailure, 0
	}
	return answer.RCode, len(answer.Answers)
}
