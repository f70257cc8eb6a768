package tenant

import "fmt"

// Key builds the idempotency key of one mutating call:
//
//	‹installation›/‹tenant›/‹component›.‹object›/e‹epoch›[/a‹attempt›]
//
// The epoch tells a deleted object from a slow one: it rises only when absence
// of a recorded object was proven. The attempt is written from the second one
// on; it rises when a backend is known to replay a stored failure. The key is
// at most 63+16+64+… bytes, well below Stripe's limit of 255.
func Key(installation Installation, id ID, component, object string, epoch, attempt int64) string {
	key := fmt.Sprintf("%s/%s/%s.%s/e%d", installation, id, component, object, epoch)
	if attempt > 1 {
		key += fmt.Sprintf("/a%d", attempt)
	}
	return key
}
