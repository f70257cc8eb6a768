package e2e_test

import (
	"context"
	"maps"
	"testing"
	"time"
)

// watch looks at everything all the time until the test ends, and fails it if
// there is ever more than one of anything.
func (w *world) watch(t *testing.T) {
	t.Helper()
	ctx, cancel := context.WithCancel(t.Context())
	ended := make(chan struct{})
	looks := 0
	go func() {
		defer close(ended)
		for {
			counts, err := w.count(ctx)
			switch {
			case ctx.Err() != nil:
				return
			case err != nil:
				t.Errorf("look at the world: %v", err)
				return
			}
			looks++
			atMostOne(t, counts)
			select {
			case <-ctx.Done():
				return
			case <-time.After(20 * time.Millisecond):
			}
		}
	}()
	t.Cleanup(func() {
		cancel()
		<-ended
		if looks < 50 {
			t.Errorf("the watcher looked %d times only", looks)
		}
	})
}

func atMostOne(t *testing.T, counts map[string]int) {
	t.Helper()
	for kind, n := range counts {
		if n > 1 {
			t.Errorf("there are %d of the kind %s at one time", n, kind)
		}
	}
}

// want checks what there is right now; kinds not named have one.
func (w *world) want(t *testing.T, when string, exceptions map[string]int) {
	t.Helper()
	want := map[string]int{"organization": 1, "customer": 1, "subscription": 1, "schema": 1, "bucket": 1, "rrset": 1}
	maps.Copy(want, exceptions)
	got, err := w.count(t.Context())
	if err != nil {
		t.Fatalf("%s: %v", when, err)
	}
	if !maps.Equal(got, want) {
		t.Errorf("%s there is %v, want %v", when, got, want)
	}
}
