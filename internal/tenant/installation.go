package tenant

import (
	"encoding/base32"
	"fmt"
	"io"
	"strings"
)

// Installation names one deployment of this provider. It is part of every
// derived name, marker and idempotency key, which is what keeps two
// deployments over the same backends from taking each other's objects.
// 3 to 16 bytes, a lower-case letter first, then letters and digits.
type Installation string

// reserved would, as the last part of a bucket name, form a suffix that S3
// keeps for itself (docs.aws.amazon.com, "General purpose bucket naming rules").
var reservedInstallations = []string{"s3alias", "mrap"}

// ParseInstallation checks s and returns it as an Installation. The error
// makes sense after "installation: ".
func ParseInstallation(s string) (Installation, error) {
	if len(s) < 3 || len(s) > 16 {
		return "", fmt.Errorf("%q is %d bytes long; use 3 to 16 lower-case letters and digits", s, len(s))
	}
	for i, r := range s {
		if !isLowerAlnum(r) {
			return "", fmt.Errorf("has %q at byte %d; only lower-case letters and digits are allowed", r, i)
		}
	}
	if s[0] < 'a' {
		return "", fmt.Errorf("%q begins with a digit; begin with a letter", s)
	}
	for _, r := range reservedInstallations {
		if s == r {
			return "", fmt.Errorf("%q is reserved by object stores; choose another", s)
		}
	}
	return Installation(s), nil
}

// NewInstallation draws a fresh installation from random: a letter and nine
// characters of base32, 45 bits, unique enough for deployments that share a
// backend. It fails only when random does.
func NewInstallation(random io.Reader) (Installation, error) {
	raw := make([]byte, 6)
	if _, err := io.ReadFull(random, raw); err != nil {
		return "", fmt.Errorf("draw installation: %w", err)
	}
	text := base32.StdEncoding.WithPadding(base32.NoPadding).EncodeToString(raw)
	return Installation("i" + strings.ToLower(text)[:9]), nil
}
