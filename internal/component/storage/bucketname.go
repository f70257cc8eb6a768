package storage

import (
	"fmt"
	"strings"
)

// Limits on a bucket name, in bytes.
const (
	MinBucketName = 3
	MaxBucketName = 63
)

// CheckBucketName returns nil for a name that every object store takes, or an
// error that makes sense after "the bucket name ". The rules are those of
// Amazon S3 (docs.aws.amazon.com, "General purpose bucket naming rules"), with
// periods ruled out altogether: they break TLS host names and transfer
// acceleration, and without them no name can look like an IP address.
func CheckBucketName(name string) error {
	if len(name) < MinBucketName || len(name) > MaxBucketName {
		return fmt.Errorf("%q is %d bytes long; %d to %d are allowed", name, len(name), MinBucketName, MaxBucketName)
	}
	for i, r := range name {
		if !isAlnum(r) && r != '-' {
			return fmt.Errorf("%q has %q at byte %d; only lower-case letters, digits and hyphens are allowed", name, r, i)
		}
	}
	if name[0] == '-' || name[len(name)-1] == '-' {
		return fmt.Errorf("%q begins or ends with a hyphen", name)
	}
	for _, prefix := range []string{"xn--", "sthree-", "amzn-s3-demo-"} {
		if strings.HasPrefix(name, prefix) {
			return fmt.Errorf("%q begins with %q, which Amazon S3 reserves", name, prefix)
		}
	}
	for _, suffix := range []string{"-s3alias", "--ol-s3", "--x-s3", "--table-s3", "-an"} {
		if strings.HasSuffix(name, suffix) {
			return fmt.Errorf("%q ends with %q, which Amazon S3 reserves", name, suffix)
		}
	}
	return nil
}

func isAlnum(r rune) bool { return r >= 'a' && r <= 'z' || r >= '0' && r <= '9' }
