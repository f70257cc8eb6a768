package domain_test

import (
	"strings"
	"testing"

	"github.com/tenantplane/terraform-provider-tenant/internal/component/domain"
)

func TestC01C02C03_SpellingsOfOneHostAreOneName(t *testing.T) {
	for want, spellings := range map[string][]string{
		"acme.example.org.":            {"acme.example.org", "acme.example.org.", "Acme.Example.ORG", "ＡＣＭＥ.example.org", "acme。example。org"},
		"xn--bcher-kva.example.org.":   {"bücher.example.org", "BÜCHER.example.org.", "bu\u0308cher.example.org", "xn--bcher-kva.example.org", "XN--BCHER-KVA.Example.Org."},
		"xn--strae-oqa.example.":       {"straße.example", "xn--strae-oqa.example"},
		"r3---sn-apo3qvuoxuxbt.g.com.": {"r3---sn-apo3qvuoxuxbt.g.com"},
		"localhost.":                   {"localhost"},
	} {
		for _, spelling := range spellings {
			if got, err := domain.Name(spelling); got != want || err != nil {
				t.Errorf("Name(%q) = %q, %v; want %q", spelling, got, err, want)
			}
			if got := domain.Served(spelling); got != want {
				t.Errorf("Served(%q) = %q; want %q", spelling, got, want)
			}
		}
	}
}

func TestNamesThatNoHostCanHaveAreRefusedWithTheReason(t *testing.T) {
	long := strings.Repeat("a", 63)
	for _, tc := range []struct{ name, reason string }{
		{"", "is empty"},
		{".", "is empty"},
		{"..", "empty label"},
		{".acme.example.org", "empty label"},
		{"acme..example.org", "empty label"},
		{"acme.example.org..", "empty label"},
		{"\u00ad.example.org", "empty label"},
		{"acme example.org", "has ' '"},
		{"acme.example.org ", "has ' '"},
		{"_acme.example.org", "has '_'"},
		{"acme/x.example.org", "has '/'"},
		{"-acme.example.org", "hyphen"},
		{"acme-.example.org", "hyphen"},
		{"*.example.org", "set wildcard = true"},
		{"a.*.example.org", "has '*'"},
		{"https://acme.example.org", "is a URL"},
		{"192.0.2.1", "is an address"},
		{"2001:db8::1", "is an address"},
		{long + "a.example.org", "64 bytes"},
		{strings.Repeat(long+".", 4), "255 bytes"},
		{strings.Repeat("ü", 2000), "4000 bytes"},
		{"xn--a.example.org", "not a valid international"},
		{"xn--.example.org", "empty label"},
		{"a\u200db.example.org", "not a valid international"},
		{"אa.example.org", "not a valid international"},
		{"\xff\xfe.example.org", "not UTF-8"},
	} {
		got, err := domain.Name(tc.name)
		if err == nil {
			t.Errorf("Name(%q) = %q; want it refused", tc.name, got)
		} else if !strings.Contains(err.Error(), tc.reason) {
			t.Errorf("Name(%q): %q does not say %q", tc.name, err, tc.reason)
		}
	}
}

func TestTheLongestNamesAreAccepted(t *testing.T) {
	label := strings.Repeat("a", 63)
	name := strings.Join([]string{label, label, label, label[:61]}, ".")
	if got, err := domain.Name(name); err != nil || got != name+"." || len(name) != 253 {
		t.Errorf("a name of %d bytes: %q, %v", len(name), got, err)
	}
}

func TestTargetsMayHaveUnderscores(t *testing.T) {
	if got, err := domain.Target("_x.My_App.example.net"); err != nil || got != "_x.my_app.example.net." {
		t.Errorf("got %q, %v", got, err)
	}
}

func TestC09_ServersSpellWildcardsInTwoWays(t *testing.T) {
	for _, spelling := range []string{`\052.Acme.example.org.`, "*.acme.example.org", `*.acme.example.org.`} {
		if got := domain.Served(spelling); got != "*.acme.example.org." {
			t.Errorf("Served(%q) = %q", spelling, got)
		}
	}
}

func FuzzName(f *testing.F) {
	for _, seed := range []string{
		"acme.example.org", "Acme.Example.ORG.", "bücher.example", "xn--bcher-kva.example", "*.example", `\052.example`,
		"a..b", ".a", "", ".", "_dmarc.example", "straße.example", "アクメ。example", "a\u00adb.example", "xn--", "xn--a-",
		"192.0.2.1", "::1", "א.example", "a\u200db", "\xff", strings.Repeat("a.", 127), strings.Repeat("a", 64),
	} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, s string) {
		served := domain.Served(s)
		if !strings.HasSuffix(served, ".") {
			t.Fatalf("Served(%q) = %q is not absolute", s, served)
		}
		name, err := domain.Name(s)
		if err != nil {
			return
		}
		again, err := domain.Name(name)
		if err != nil || again != name {
			t.Fatalf("Name(%q) = %q, but Name of that is %q, %v", s, name, again, err)
		}
		if served := domain.Served(name); served != name {
			t.Fatalf("Name(%q) = %q, but a server's answer would be read as %q", s, name, served)
		}
		if target, err := domain.Target(s); err != nil || target != name {
			t.Fatalf("Name(%q) = %q, but Target gives %q, %v", s, name, target, err)
		}
		if len(name) > 254 || strings.ToLower(name) != name || strings.Contains(name, "..") {
			t.Fatalf("Name(%q) = %q is not canonical", s, name)
		}
	})
}
