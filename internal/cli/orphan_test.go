package cli

import (
	"slices"
	"testing"
	"time"
)

func TestAProviderEndsSoonAfterTheTerraformThatStartedItDied(t *testing.T) {
	parents := []int{70, 70, 70, 1}
	parent := func() int {
		p := parents[0]
		parents = parents[1:]
		return p
	}
	var slept []time.Duration
	code := -1
	endOrphaned(parent, func(d time.Duration) { slept = append(slept, d) }, func(c int) { code = c })
	if want := []time.Duration{orphanPoll, orphanPoll, orphanGrace}; code != 1 || !slices.Equal(slept, want) {
		t.Errorf("it ended with %d after %v, want 1 after %v", code, slept, want)
	}
}
