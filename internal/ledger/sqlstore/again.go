package sqlstore

import (
	"context"
	"time"
)

// How long work that lost to another transaction is run again, and how long
// the pauses are. This is real time, not the ledger's: it waits for another
// process, which does not move by our clock.
const (
	patience = 30 * time.Second
	pause    = 10 * time.Millisecond
)

// Again runs do until it succeeds, fails with an error that retry does not
// name, or half a minute has passed. It returns do's last error.
func Again(ctx context.Context, retry func(error) bool, do func() error) error {
	giveUp := time.After(patience)
	for {
		err := do()
		if err == nil || !retry(err) {
			return err
		}
		select {
		case <-ctx.Done():
			return err
		case <-giveUp:
			return err
		case <-time.After(pause):
		}
	}
}
