package executor_test

import (
	"errors"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/tenantplane/terraform-provider-tenant/internal/ledger"
)

func notYet(err error) bool { return errors.Is(err, ledger.ErrNotFound) }

// The machine's clock is set while calls are under way: forward, back, or one
// after the other. Leases end early or late by it; nothing is made twice.
func TestAClockThatJumpsTwoMinutesDoublesNothing(t *testing.T) {
	for name, jumps := range map[string][]time.Duration{
		"forward":        {2 * time.Minute},
		"back":           {-2 * time.Minute},
		"back and forth": {-2 * time.Minute, 2 * time.Minute},
	} {
		t.Run(name, func(t *testing.T) {
			s := newStage(t)
			left := 0
			s.placeAll(between{before: func(string) error {
				if left > 0 {
					left--
					s.clock.Advance(jumps[left%len(jumps)])
				}
				return nil
			}})
			left = 6 // as many as there are objects
			s.apply(spec("acme"), ledger.Ready)
			if diff := cmp.Diff(oneOfEach, s.exists("acme")); diff != "" {
				t.Error(diff)
			}
			s.wantFirstLife("acme")
			if left > 0 {
				t.Errorf("%d jumps did not happen", left)
			}
			left = 6
			s.destroy("acme")
			if diff := cmp.Diff(nothing, s.exists("acme")); diff != "" {
				t.Error(diff)
			}
			if left > 0 {
				t.Errorf("%d jumps did not happen in the destruction", left)
			}
		})
	}
}
