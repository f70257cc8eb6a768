package transport

import (
	"errors"
	"net/http"
	"strconv"
	"strings"
	"time"
)

// longestRetryAfter is the longest wait a server is believed; beyond it the
// header is more likely a mistake than a plan.
const longestRetryAfter = time.Hour

// RetryAfter reads the Retry-After header (RFC 9110 section 10.2.3: seconds or
// an HTTP date). It returns 0 for a missing, past or unreadable one and never
// more than an hour.
func RetryAfter(header http.Header, now time.Time) time.Duration {
	text := strings.TrimSpace(header.Get("Retry-After"))
	seconds, err := strconv.ParseInt(text, 10, 64)
	if err == nil || errors.Is(err, strconv.ErrRange) {
		return clampSeconds(seconds)
	}
	at, err := http.ParseTime(text)
	if err != nil {
		return 0
	}
	return min(max(at.Sub(now), 0), longestRetryAfter)
}

// clampSeconds clamps before it multiplies, which could overflow.
func clampSeconds(seconds int64) time.Duration {
	longest := int64(longestRetryAfter / time.Second)
	return time.Duration(min(max(seconds, 0), longest)) * time.Second
}
