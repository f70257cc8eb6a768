package identity

import (
	"fmt"
	"net/netip"
	"strings"

	"golang.org/x/net/idna"
)

// MaxDomains is the largest number of domains of one organization. Keycloak
// states no limit; the list is sent and read whole with every call, and a
// hundred is more than any customer has.
const MaxDomains = 100

// hostNames maps to lower-case A-labels as a browser would before it looks a
// name up (UTS 46, non-transitional) and admits letters, digits and hyphens
// only, in labels of 1 to 63 and names of up to 253 bytes (RFC 1035).
var hostNames = idna.New(
	idna.MapForLookup(),
	idna.BidiRule(),
	idna.Transitional(false),
	idna.StrictDomainName(true),
	idna.VerifyDNSLength(true),
)

// CanonicalDomain returns the one spelling of an e-mail domain that everything
// compares: lower-case A-labels without a final dot. "BÜCHER.example" gives
// "xn--bcher-kva.example". It is idempotent. The error names what is wrong with
// the domain and makes sense after "identity.domains: ".
func CanonicalDomain(written string) (string, error) {
	switch {
	case strings.TrimSpace(written) == "":
		return "", fmt.Errorf("an entry is empty")
	case strings.ContainsAny(written, "@/:"):
		return "", fmt.Errorf("%q is not a bare domain", written)
	case strings.HasPrefix(written, "*"):
		return "", fmt.Errorf("%q is a wildcard; each domain must be listed by its full name", written)
	}
	domain, err := hostNames.ToASCII(written)
	if err != nil {
		return "", fmt.Errorf("%q is not a host name: %w", written, err)
	}
	// What does not map to itself has no meaning of its own: bytes that are no
	// text become a replacement sign, which then is no host name.
	if again, err := hostNames.ToASCII(domain); err != nil || again != domain {
		return "", fmt.Errorf("%q is not a host name", written)
	}
	if err := checkLabels(written, domain); err != nil {
		return "", err
	}
	return domain, nil
}

// checkLabels refuses host names that no mail is sent to: single labels,
// empty labels and addresses.
func checkLabels(written, domain string) error {
	labels := strings.Split(domain, ".")
	for _, label := range labels {
		if label == "" {
			return fmt.Errorf("%q has an empty label", written)
		}
	}
	if _, err := netip.ParseAddr(domain); err == nil {
		return fmt.Errorf("%q is an address, not a domain", written)
	}
	last := labels[len(labels)-1]
	switch {
	case len(labels) < 2:
		return fmt.Errorf("%q is a single label, not a full domain", written)
	case strings.Trim(last, "0123456789") == "":
		return fmt.Errorf("%q ends in a number, which no top-level domain does", written)
	}
	return nil
}
