package executor

import (
	"context"
	"time"
)

// keepLease renews the lease of a pass until the returned function is called:
// looks and calls may take longer than the lease lasts. A killed process stops
// renewing, and the next one goes on soon. Real time, not the Clock's: it is
// about whether this process lives. A failed renewal is nobody's error here;
// the next action renews as well and finds out.
func (p *pass) keepLease(ctx context.Context) (stop func()) {
	ctx, cancel := context.WithCancel(context.WithoutCancel(ctx))
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		beat := time.NewTicker(p.Lease / 4)
		defer beat.Stop()
		for {
			select {
			case <-ctx.Done():
				return
			case <-beat.C:
				_ = p.renew(ctx)
			}
		}
	}()
	return func() {
		cancel()
		<-ended
	}
}
