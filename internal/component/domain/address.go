package domain

import (
	"fmt"
	"net/netip"
	"strings"
)

// Address returns the canonical text of an IPv4 or IPv6 address (RFC 5952).
// The error makes sense after "addresses: ".
func Address(s string) (string, error) {
	address, err := netip.ParseAddr(s)
	switch {
	case err != nil:
		return "", fmt.Errorf("%q is not an IP address", s)
	case address.Zone() != "":
		return "", fmt.Errorf("%q has the interface %q, which means nothing in DNS", s, address.Zone())
	case address.Is4In6():
		return "", fmt.Errorf("%q is an IPv4 address in IPv6 clothes; write %s", s, address.Unmap())
	case address.IsUnspecified():
		return "", fmt.Errorf("%q is the unspecified address, where nobody listens", s)
	}
	return address.String(), nil
}

// isIPv6 tells the family of a canonical address.
func isIPv6(address string) bool { return strings.Contains(address, ":") }
