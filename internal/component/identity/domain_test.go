package identity_test

import (
	"strings"
	"testing"

	"github.com/tenantplane/terraform-provider-tenant/internal/component/identity"
)

func TestDomainsHaveOneSpelling(t *testing.T) {
	for written, want := range map[string]string{
		"northstar.example":      "northstar.example",
		"NorthStar.EXAMPLE":      "northstar.example",
		"Bücher.example":         "xn--bcher-kva.example",
		"XN--BCHER-KVA.example":  "xn--bcher-kva.example",
		"straße.example":         "xn--strae-oqa.example",
		"例え。テスト":                 "xn--r8jz45g.xn--zckzah",
		"a-1.b-2.northstar.shop": "a-1.b-2.northstar.shop",
	} {
		if got, err := identity.CanonicalDomain(written); err != nil || got != want {
			t.Errorf("%q: %q, %v; want %q", written, got, err, want)
		}
	}
}

func TestWhatIsNoDomain(t *testing.T) {
	for _, written := range []string{
		"", " ", ".", "northstar.example.", ".northstar.example", "a..example", "localhost", "*.example", "*",
		"a_b.example", "-a.example", "a-.example", "a b.example", " a.example", "ap@northstar.example",
		"https://northstar.example", "northstar.example/x", "northstar.example:443", "192.0.2.1", "2001:db8::1",
		"1.2.3", "xn--a.example", "a\x00.example", "\xc3.example", strings.Repeat("a", 64) + ".example",
		strings.Repeat("a.", 124) + "example",
	} {
		if got, err := identity.CanonicalDomain(written); err == nil {
			t.Errorf("%q was taken as %q", written, got)
		}
	}
}

func FuzzCanonicalDomainIsIdempotent(f *testing.F) {
	for _, seed := range []string{"northstar.example", "Bücher.example", "ß.example", "xn--bcher-kva.example", "例え。テスト", "\u200d.example", "א1.example"} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, written string) {
		once, err := identity.CanonicalDomain(written)
		if err != nil {
			return
		}
		twice, err := identity.CanonicalDomain(once)
		if err != nil || twice != once {
			t.Errorf("%q gives %q, which gives %q, %v", written, once, twice, err)
		}
		if strings.ToLower(once) != once || strings.Trim(once, "abcdefghijklmnopqrstuvwxyz0123456789.-") != "" {
			t.Errorf("%q gives %q, which is not a lower-case host name", written, once)
		}
	})
}
