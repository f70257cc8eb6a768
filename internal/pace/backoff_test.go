package pace_test

import (
	"math"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/tenantplane/terraform-provider-tenant/internal/pace"
)

func TestC72_ADelayStaysWithinItsBoundsForAnyStoredCount(t *testing.T) {
	counts := []int64{math.MinInt64, -1, 1000, math.MaxInt32, math.MaxInt64}
	for n := range int64(101) {
		counts = append(counts, n)
	}
	for _, b := range []pace.Backoff{
		{Base: time.Second, Max: time.Minute}, {}, {Base: -1, Max: -1}, {Base: time.Minute, Max: time.Second},
		{Base: 1, Max: math.MaxInt64}, {Base: math.MaxInt64, Max: math.MaxInt64},
	} {
		least := b.Delay(0)
		most := max(b.Max, least)
		for _, n := range counts {
			if d := b.Delay(n); d <= 0 || d < least || d > most {
				t.Errorf("%+v after %d failures: %s, want within [%s, %s]", b, n, d, least, most)
			}
		}
	}
}

func TestC72_ADelayNeverShrinksWithFailures(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		b := pace.Backoff{Base: time.Duration(rapid.Int64().Draw(t, "base")), Max: time.Duration(rapid.Int64().Draw(t, "max"))}
		n := rapid.Int64Range(math.MinInt64, math.MaxInt64-1).Draw(t, "failures")
		if b.Delay(n+1) < b.Delay(n) {
			t.Fatalf("%+v: %s after %d, %s after %d", b, b.Delay(n), n, b.Delay(n+1), n+1)
		}
	})
}

func TestADelayDoublesUntilItsMaximum(t *testing.T) {
	b := pace.Backoff{Base: time.Second, Max: 5 * time.Second}
	for n, want := range []time.Duration{time.Second, 2 * time.Second, 4 * time.Second, 5 * time.Second, 5 * time.Second} {
		if got := b.Delay(int64(n)); got != want {
			t.Errorf("after %d failures %s, want %s", n, got, want)
		}
	}
}

func TestC72_WhatIsDrawnOnTopStaysWithinTheBoundsToo(t *testing.T) {
	for _, b := range []pace.Backoff{{Base: time.Second, Max: time.Minute}, {}, {Base: time.Minute, Max: time.Second}, {Base: 1, Max: math.MaxInt64}} {
		for _, n := range []int64{math.MinInt64, -1, 0, 1, 5, 6, 100, 1000, math.MaxInt32, math.MaxInt64} {
			for _, extra := range []time.Duration{math.MinInt64, -1, 0, time.Second, math.MaxInt64} {
				d, least := b.Jittered(n, extra), b.Delay(n)
				if d < least || d > max(b.Max, least) {
					t.Errorf("%+v after %d failures and %s: %s, want within [%s, %s]", b, n, extra, d, least, max(b.Max, least))
				}
			}
		}
	}
	b := pace.Backoff{Base: time.Second, Max: time.Minute}
	if d := b.Jittered(1, 300*time.Millisecond); d != 2300*time.Millisecond {
		t.Errorf("2s and 300ms make %s", d)
	}
}

func TestC72_ACountOfFailuresNeverTurnsNegative(t *testing.T) {
	for stored, want := range map[int64]int64{
		math.MinInt64: 1, -1: 1, 0: 1, 99: 100, math.MaxInt64 - 1: math.MaxInt64, math.MaxInt64: math.MaxInt64,
	} {
		if got := pace.OneMore(stored); got != want {
			t.Errorf("one more than %d is %d, want %d", stored, got, want)
		}
	}
}
