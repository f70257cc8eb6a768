package billing

import (
	"errors"
	"fmt"
	"regexp"
	"strings"

	"golang.org/x/net/idna"
)

// Limits on an e-mail address in bytes (RFC 5321 section 4.5.3.1).
const (
	maxLocalLength = 64
	maxEmailLength = 254
)

// localPart is the dot-atom of RFC 5322 section 3.2.3. Quoted local parts are
// legal and refused: hardly any system takes them.
var localPart = regexp.MustCompile(`^[A-Za-z0-9!#$%&'*+/=?^_{|}~` + "`" + `-]+(\.[A-Za-z0-9!#$%&'*+/=?^_{|}~` + "`" + `-]+)*$`)

// hosts maps as a browser would and holds names to the lengths of RFC 1035.
var hosts = idna.New(idna.MapForLookup(), idna.BidiRule(), idna.StrictDomainName(true), idna.VerifyDNSLength(true))

// CanonicalEmail returns the one spelling of an e-mail address by which it is
// compared: the domain in lower case and as A-labels, the local part as it is,
// since its case may matter to the receiver. The error says what is wrong in
// words that make sense after the attribute's name.
func CanonicalEmail(email string) (string, error) {
	local, host, found := strings.Cut(email, "@")
	switch {
	case email == "":
		return "", errors.New("is empty")
	case !found:
		return "", fmt.Errorf("%q has no @", email)
	case len(local) > maxLocalLength:
		return "", fmt.Errorf("%q has %d bytes before the @, %d are allowed", email, len(local), maxLocalLength)
	case !localPart.MatchString(local):
		return "", fmt.Errorf("%q is not an address before the @", email)
	}
	domain, err := hosts.ToASCII(host)
	if err != nil || !strings.Contains(domain, ".") || strings.HasSuffix(domain, ".") {
		return "", fmt.Errorf("%q has no valid domain after the @", email)
	}
	if n := len(local) + 1 + len(domain); n > maxEmailLength {
		return "", fmt.Errorf("%q is %d bytes long, %d are allowed", email, n, maxEmailLength)
	}
	return local + "@" + domain, nil
}
