package sandbox_test

import (
	"encoding/json"
	"fmt"
	"net/http"
	"regexp"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/tenantplane/terraform-provider-tenant/internal/acctest"
)

func (w *world) pdns(method, path, body string) reply {
	w.t.Helper()
	return w.do(method, w.PowerDNSURL()+"/api/v1/servers/localhost"+path, pdnsHeader(w.Credentials.PowerDNSAPIKey), body)
}

func pdnsHeader(key string) http.Header {
	return http.Header{"X-Api-Key": {key}, "Content-Type": {"application/json"}}
}

// step is one request that both servers get.
type step struct{ method, path, body string }

func replace(name, kind, ttl string, contents ...string) string {
	var records []string
	for _, content := range contents {
		records = append(records, fmt.Sprintf(`{"content":%q,"disabled":false}`, content))
	}
	return fmt.Sprintf(`{"name":%q,"type":%q,"changetype":"REPLACE","ttl":%s,"records":[%s]}`, name, kind, ttl, strings.Join(records, ","))
}

func change(rrsets ...string) step {
	return step{"PATCH", "/zones/example.org.", `{"rrsets":[` + strings.Join(rrsets, ",") + `]}`}
}

func look(query string) step { return step{"GET", "/zones/example.org.?" + query, ""} }

// script is a life of a zone with every oddity we know of.
func script() []step {
	commented := `{"name":"m.example.org.","type":"A","changetype":"REPLACE","ttl":60,"records":[{"content":"192.0.2.7"}],"comments":[{"content":"tenant:i/t/r","account":"x","modified_at":7}]}`
	return []step{
		{"GET", "/zones", ""}, {"GET", "/zones?zone=example.org.", ""}, {"GET", "/zones?zone=nope.org.", ""},
		{"GET", "/zones/example.org", ""}, {"GET", "/zones/EXAMPLE.org.", ""}, {"GET", "/zones/nope.org.", ""},
		{"PATCH", "/zones/nope.org.", `{"rrsets":[]}`}, {"POST", "/zones/example.org.", `{}`}, {"GET", "/nothing", ""}, {"GET", "", ""},
		{"PATCH", "/zones/example.org.", `{bad`}, {"PATCH", "/zones/example.org.", `{}`}, {"PATCH", "/zones/example.org.", `[]`},
		{"PATCH", "/zones/example.org.", `{"rrsets":"x"}`}, {"PATCH", "/zones/example.org.", `{"rrsets":[]}`},
		change(`{}`), change(`{"name":"a.example.org.","type":"A","changetype":"FOO"}`),
		change(`{"name":"a.example.org.","type":"A"}`), change(`{"type":"A","changetype":"DELETE"}`), change(`{"name":"a.example.org.","changetype":"DELETE"}`),
		change(`{"name":"a.example.org.","type":"A","changetype":"REPLACE"}`),
		change(`{"name":"a.example.org.","type":"A","changetype":"REPLACE","records":[{"content":"192.0.2.1"}]}`),
		change(replace("Acme.Example.ORG.", "CNAME", "300", "Edge.Example.NET.")),
		look("rrset_name=acme.example.org."), look("rrset_name=ACME.example.org.&rrset_type=CNAME"), look("rrset_name=acme.example.org&rrset_type=A"),
		change(replace("acme.example.org.", "A", "300", "192.0.2.1")), change(replace("acme", "A", "300", "192.0.2.1")),
		change(replace("acme.example.net.", "A", "300", "192.0.2.1")), change(replace("example.org.", "CNAME", "300", "x.example.net.")),
		change(replace("b.example.org.", "CNAME", "300", "edge.example.net")), change(replace("b.example.org.", "A", "300", "192.0.2.3", "192.0.2.1", "192.0.2.20")),
		look("rrset_name=b.example.org.&rrset_type=A"),
		change(replace("b.example.org.", "A", "300", "192.0.2.3", "192.0.2.3")), change(replace("c.example.org.", "AAAA", "300", "2001:DB8:0::1")),
		change(replace("c.example.org.", "AAAA", "300", "2001:DB8:0::1", "2001:db8::1")), change(replace("c.example.org.", "AAAA", "300", "nope")),
		change(replace("c.example.org.", "AAAA", "300", "::ffff:1.2.3.4")), change(replace("c2.example.org.", "AAAA", "300", "2001:0db8:0:0:1:0:0:1")),
		change(replace("b\u00fccher.example.org.", "A", "300", "192.0.2.1")), change(replace("q r.example.org.", "A", "300", "192.0.2.1")),
		change(replace("d.example.org.", "CNAME", "300", "a.x.", "b.x.")), change(replace("d.example.org.", "A", "-1", "192.0.2.1")),
		change(replace("d2.example.org.", "A", "4294967296", "192.0.2.1")), change(replace("d3.example.org.", "A", `"300"`, "192.0.2.1")),
		change(replace("d4.example.org.", "A", `"abc"`, "192.0.2.1")), change(`{"name":"d.example.org.","type":"A","changetype":"DELETE"}`),
		change(`{"name":"d.example.org.","type":"A","changetype":"DELETE"}`), change(`{"name":"rel","type":"A","changetype":"DELETE"}`),
		change(`{"name":"x.example.net.","type":"A","changetype":"DELETE"}`),
		change(replace("d..example.org.", "A", "1", "192.0.2.1")), change(replace(strings.Repeat("a", 64)+".example.org.", "A", "1", "192.0.2.1")),
		change(replace("*.example.org.", "TXT", "1", `"hello"`)), change(replace("t.example.org.", "TXT", "1", "hello")), look("rrset_name=*.example.org."),
		change(replace("t.example.org.", "FOO", "1", "hello")), change(replace("e.example.org.", "A", "1", "192.0.2.9"), replace("f.example.org.", "AAAA", "1", "bad")),
		look("rrset_name=e.example.org."), change(replace("h.example.org.", "A", "1", "192.0.2.9"), replace("H.example.org.", "A", "1", "192.0.2.9")),
		change(replace("i.example.org.", "A", "1", "192.0.2.9"), replace("i.example.org.", "CNAME", "1", "x.y.")),
		change(`{"name":"b.example.org.","type":"A","changetype":"DELETE"}`, replace("b.example.org.", "CNAME", "1", "x.y.")),
		change(replace("k.example.org.", "a", "1", "192.0.2.9")), change(replace("n.example.org.", "CNAME", "1", ".")), change(replace("n.example.org.", "CNAME", "1", "a..b.")),
		change(replace("n2.example.org.", "CNAME", "1", "")), change(replace("n3.example.org.", "CNAME", "1", "a b.")), change(replace("n4.example.org.", "CNAME", "1", "b\u00fc.x.")),
		change(replace("o.example.org.", "MX", "1", "10 b")), change(replace("o.example.org.", "MX", "1", "10 Mail.Example.net.")),
		change(commented), change(replace("m.example.org.", "A", "90", "192.0.2.8")), look("rrset_name=m.example.org."), look("rrset_name=k.example.org."),
		change(`{"name":"m.example.org.","type":"A","changetype":"REPLACE","comments":[{"content":"new","account":"","modified_at":9}]}`), look(""),
		change(`{"name":"m.example.org.","type":"A","changetype":"REPLACE","comments":[{"content":"x"}]}`),
		change(`{"name":"m.example.org.","type":"A","changetype":"REPLACE","comments":[]}`), look("rrset_name=m.example.org."),
		change(commented), change(`{"name":"m.example.org.","type":"A","changetype":"DELETE"}`), look("rrset_name=m.example.org."),
		change(commented), change(`{"name":"m.example.org.","type":"A","changetype":"REPLACE","ttl":1,"records":[]}`), look("rrset_name=m.example.org."), look("rrsets=false"),
	}
}

// dates hides the serials, which count days and changes.
var dates = regexp.MustCompile(`20\d{8}`)

// normal is what two answers must share.
func normal(r reply) map[string]any {
	body := dates.ReplaceAllString(r.body, "SERIAL")
	var tree any
	if err := json.Unmarshal([]byte(strings.ReplaceAll(body, ": SERIAL", `: "SERIAL"`)), &tree); err != nil {
		if err := json.Unmarshal([]byte(strings.ReplaceAll(body, ":SERIAL", `:"SERIAL"`)), &tree); err != nil {
			tree = body
		}
	}
	return map[string]any{"status": r.status, "type": r.header.Get("Content-Type"), "body": tree}
}

func TestAnswersLikeTheRealServer(t *testing.T) {
	genuine := acctest.PowerDNS(t, "example.org")
	w := newWorld(t, "example.org")
	for i, s := range script() {
		theirs := w.do(s.method, genuine.URL+"/api/v1/servers/localhost"+s.path, pdnsHeader(genuine.APIKey), s.body)
		ours := w.pdns(s.method, s.path, s.body)
		if diff := cmp.Diff(normal(theirs), normal(ours)); diff != "" {
			t.Errorf("step %d %s %s %s (- real, + sandbox):\n%s", i, s.method, s.path, s.body, diff)
		}
	}
	for _, accept := range []string{"", "application/json"} {
		header := pdnsHeader("wrong")
		header.Set("Accept", accept)
		theirs := w.do("GET", genuine.URL+"/api/v1/servers/localhost/zones", header, "")
		ours := w.do("GET", w.PowerDNSURL()+"/api/v1/servers/localhost/zones", header, "")
		if diff := cmp.Diff(normal(theirs), normal(ours)); diff != "" {
			t.Errorf("bad key, Accept %q (- real, + sandbox):\n%s", accept, diff)
		}
	}
}

func TestAChangeIsCountedInSerialAndSOA(t *testing.T) {
	w := newWorld(t)
	serial := func() (zone, soa string) {
		tree := w.pdns("GET", "/zones/example.org.?rrset_name=example.org.&rrset_type=SOA", "").expect(t, 200).json(t)
		return fmt.Sprintf("%.0f", at(tree, "serial")), strings.Fields(at(tree, "rrsets", 0, "records", 0, "content").(string))[2]
	}
	for _, want := range []string{"2027030101", "2027030102"} {
		if zone, soa := serial(); zone != want || soa != want {
			t.Errorf("serials are %s and %s, want %s", zone, soa, want)
		}
		w.pdns("PATCH", "/zones/example.org.", `{"rrsets":[]}`).expect(t, 204)
	}
}
