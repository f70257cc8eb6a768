package tenant

import "fmt"

// MaxIDLength is the longest tenant id accepted, in bytes: one DNS label
// (RFC 1035 section 2.3.4), so that an id can always stand in a host name.
const MaxIDLength = 63

// ID names one tenant within an installation: 1 to 63 bytes of lower-case
// ASCII letters, digits and hyphens, beginning and ending with a letter or a
// digit. The alphabet is the intersection of what every backend allows, so
// that no id needs escaping anywhere and two ids never differ by case alone.
type ID string

// ParseID checks s and returns it as an ID. The error says which rule s
// breaks, in words that make sense after "tenant_id: ".
func ParseID(s string) (ID, error) {
	switch {
	case s == "":
		return "", fmt.Errorf("is empty; use 1 to %d lower-case letters, digits and hyphens", MaxIDLength)
	case len(s) > MaxIDLength:
		return "", fmt.Errorf("is %d bytes long; use at most %d", len(s), MaxIDLength)
	}
	for i, r := range s {
		if !isLowerAlnum(r) && r != '-' {
			return "", fmt.Errorf("%q has %q at byte %d; only lower-case letters, digits and hyphens are allowed", s, r, i)
		}
	}
	if s[0] == '-' || s[len(s)-1] == '-' {
		return "", fmt.Errorf("%q begins or ends with a hyphen; begin and end with a letter or a digit", s)
	}
	return ID(s), nil
}

func isLowerAlnum(r rune) bool {
	return r >= 'a' && r <= 'z' || r >= '0' && r <= '9'
}
