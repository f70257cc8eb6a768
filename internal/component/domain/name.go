package domain

import (
	"errors"
	"fmt"
	"net/netip"
	"strings"
	"unicode/utf8"

	"golang.org/x/net/idna"
)

// Limits of RFC 1035 section 2.3.4, in bytes of the A-label spelling. A name
// is 255 bytes on the wire, which is 253 as text without the final dot.
const (
	maxLabelLength = 63
	maxNameLength  = 253
)

// maxInputLength bounds the work on hostile input: no name of legal length is
// spelled longer, even with four bytes a character.
const maxInputLength = 4 * (maxNameLength + 1)

// lookup maps as a browser would (UTS #46, non-transitional): case, width and
// normalization folded, A-labels verified. The alphabet and the hyphens are
// checked here instead, since names like "r3---sn.example" are in use.
var lookup = idna.New(idna.MapForLookup(), idna.BidiRule(), idna.StrictDomainName(false), idna.CheckHyphens(false))

// Name returns the canonical spelling of a host name: lower-case A-labels and
// one final dot. Unicode, any case, and a final dot or none are accepted;
// underscores are not, because no certificate is issued for such a host. The
// error makes sense after "hostname: ".
func Name(s string) (string, error) { return canonical(s, "") }

// Target is Name for what a CNAME leads to, where underscores are allowed:
// services publish such names.
func Target(s string) (string, error) { return canonical(s, "_") }

func canonical(s, extra string) (string, error) {
	if err := checkSpelling(s); err != nil {
		return "", err
	}
	ascii, err := lookup.ToASCII(s)
	if err != nil {
		return "", fmt.Errorf("%q is not a valid international domain name: %w", s, err)
	}
	ascii = strings.TrimSuffix(ascii, ".")
	if len(ascii) > maxNameLength {
		return "", fmt.Errorf("%q is %d bytes long as A-labels; a name has at most %d", s, len(ascii), maxNameLength)
	}
	for label := range strings.SplitSeq(ascii, ".") {
		if err := checkLabel(label, extra); err != nil {
			return "", fmt.Errorf("%q %w", s, err)
		}
	}
	return ascii + ".", nil
}

// checkSpelling refuses what has a better explanation than a bad label.
func checkSpelling(s string) error {
	switch {
	case s == "" || s == ".":
		return errors.New("is empty")
	case len(s) > maxInputLength:
		return fmt.Errorf("is %d bytes long; a name has at most %d", len(s), maxNameLength)
	case !utf8.ValidString(s):
		return fmt.Errorf("%q is not UTF-8 text", s)
	case strings.HasPrefix(s, "*."):
		return fmt.Errorf("%q is a wildcard; write the name below it and set wildcard = true", s)
	case strings.Contains(s, "://"):
		return fmt.Errorf("%q is a URL, not a name", s)
	}
	if _, err := netip.ParseAddr(strings.TrimSuffix(s, ".")); err == nil {
		return fmt.Errorf("%q is an address, not a name", s)
	}
	return nil
}

func checkLabel(label, extra string) error {
	switch {
	case label == "":
		return errors.New("has an empty label: a dot at the beginning or two dots in a row")
	case len(label) > maxLabelLength:
		return fmt.Errorf("has the label %q of %d bytes; a label has at most %d", label, len(label), maxLabelLength)
	case label[0] == '-' || label[len(label)-1] == '-':
		return fmt.Errorf("has the label %q that begins or ends with a hyphen", label)
	}
	for _, r := range label {
		letterOrDigit := r >= 'a' && r <= 'z' || r >= '0' && r <= '9'
		if !letterOrDigit && r != '-' && !strings.ContainsRune(extra, r) {
			return fmt.Errorf("has %q in the label %q; use letters, digits and hyphens", r, label)
		}
	}
	return nil
}

// Served returns the canonical spelling of a name that a DNS server reports.
// It never fails: servers hold names no host may have (underscores, service
// labels), escape the wildcard as \052 (RFC 1035 section 5.1), keep the case
// somebody typed, or answer in Unicode. What IDNA cannot read is only folded
// to lower case.
func Served(s string) string {
	s = strings.ReplaceAll(s, `\052`, "*")
	if len(s) <= maxInputLength {
		if ascii, err := lookup.ToASCII(s); err == nil {
			s = ascii
		}
	}
	return strings.ToLower(strings.TrimSuffix(s, ".")) + "."
}

// wildcardOf returns the owner name that answers for all names below name.
func wildcardOf(name string) string { return "*." + name }
