package wake

import (
	"crypto/hmac"
	"crypto/sha256"
	"crypto/subtle"
	"encoding/hex"
	"net/http"
	"strconv"
	"strings"
	"time"
)

// tolerance is how old a signed event may be, as in Stripe's own libraries.
const tolerance = 5 * time.Minute

// bearer tells whether an Authorization header holds one of the tokens
// (RFC 6750). Hashing first makes the comparison take as long for any length.
func bearer(header string, tokens []string) bool {
	scheme, given, _ := strings.Cut(header, " ")
	if !strings.EqualFold(scheme, "Bearer") || given == "" {
		return false
	}
	hash, ok := sha256.Sum256([]byte(given)), 0
	for _, token := range tokens {
		valid := sha256.Sum256([]byte(token))
		ok |= subtle.ConstantTimeCompare(hash[:], valid[:])
	}
	return ok == 1
}

// sealed tells whether a hexadecimal HMAC-SHA256 was made of a message with one
// of the secrets.
func sealed(signature, message string, secrets []string) bool {
	given, err := hex.DecodeString(signature)
	if err != nil || len(given) != sha256.Size {
		return false
	}
	for _, secret := range secrets {
		mac := hmac.New(sha256.New, []byte(secret))
		mac.Write([]byte(message))
		if hmac.Equal(given, mac.Sum(nil)) {
			return true
		}
	}
	return false
}

// signedByStripe checks Stripe-Signature, "t=‹seconds›,v1=‹hmac of t.body›,…"
// (docs.stripe.com/webhooks/signature).
func signedByStripe(header http.Header, body []byte, secrets []string, now time.Time) bool {
	var stamp string
	var signatures []string
	for part := range strings.SplitSeq(header.Get("Stripe-Signature"), ",") {
		switch name, value, _ := strings.Cut(strings.TrimSpace(part), "="); name {
		case "t":
			stamp = value
		case "v1":
			signatures = append(signatures, value)
		}
	}
	seconds, err := strconv.ParseInt(stamp, 10, 64)
	if err != nil || now.Sub(time.Unix(seconds, 0)).Abs() > tolerance {
		return false
	}
	for _, s := range signatures {
		if sealed(s, stamp+"."+string(body), secrets) {
			return true
		}
	}
	return false
}

// signedByGitHub checks X-Hub-Signature-256, "sha256=‹hmac of the body›"
// (docs.github.com/en/webhooks/using-webhooks/validating-webhook-deliveries).
func signedByGitHub(header http.Header, body []byte, secrets []string, _ time.Time) bool {
	signature, found := strings.CutPrefix(header.Get("X-Hub-Signature-256"), "sha256=")
	return found && sealed(signature, string(body), secrets)
}

// signedByKeycloak checks X-Keycloak-Signature, the HMAC of the body
// (github.com/p2-inc/keycloak-events, "HTTP Sender"; HmacSHA256 is its default).
func signedByKeycloak(header http.Header, body []byte, secrets []string, _ time.Time) bool {
	return sealed(strings.TrimPrefix(header.Get("X-Keycloak-Signature"), "sha256="), string(body), secrets)
}
