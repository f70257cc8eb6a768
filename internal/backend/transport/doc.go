// Package transport is the one HTTP client of the backends. It decides what
// may be sent twice, bounds every attempt and every body, and turns what can
// go wrong on the wire into faults.
//
// What is sent again, and when:
//
//	request                    | connection lost, timeout | 429 502 503 504 | other answers
//	---------------------------+--------------------------+-----------------+--------------
//	GET HEAD OPTIONS PUT DELETE| yes                      | yes             | no
//	POST PATCH with a key      | yes, same key and body   | yes             | no
//	POST PATCH without a key   | no                       | no              | no
//
// The key is the header Idempotency-Key. Certificates that do not verify,
// bodies over the limit and the end of the caller's context end a call at once.
package transport
