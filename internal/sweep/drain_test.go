package sweep

import (
	"math/rand/v2"
	"slices"
	"testing"
	"time"
)

// TestC70_OverdueTenantsAreSpreadAndStaySpread plays three intervals of 2000
// tenants that were all overdue when the sweeper started, second by second.
func TestC70_OverdueTenantsAreSpreadAndStaySpread(t *testing.T) {
	const (
		fleet    = 2000
		interval = 300 // seconds
		window   = 150
	)
	random := rand.New(rand.NewPCG(1, 2))
	due := make([]int, fleet) // seconds; all in the past
	for i := range due {
		due[i] = -random.IntN(3600)
	}
	visits := make([]int, 4*interval)
	firstVisit := make([]int, fleet)
	for i := range firstVisit {
		firstVisit[i] = -1
	}
	d := drain{window: window * time.Second, floor: 4}
	for now := range visits {
		var overdue []int
		for i, at := range due {
			if at <= now {
				overdue = append(overdue, i)
			}
		}
		slices.SortFunc(overdue, func(a, b int) int { return due[a] - due[b] })
		for _, i := range overdue[:d.release(len(overdue), time.Second)] {
			visits[now]++
			if firstVisit[i] < 0 {
				firstVisit[i] = now
			}
			due[i] = now + interval*9/10 + random.IntN(interval/5) // as executor.Cadence does
		}
	}
	if last := slices.Max(firstVisit); last > window {
		t.Errorf("an overdue tenant was visited after %d s, want at most %d", last, window)
	}
	if slices.Min(firstVisit) < 0 {
		t.Error("a tenant was never visited")
	}
	mean := float64(fleet) / interval
	for second, n := range visits {
		if float64(n) > 3*mean {
			t.Errorf("%d visits in second %d, the mean is %.1f", n, second, mean)
		}
	}
	busy := 0 // seconds of the last interval in which anybody was visited
	for _, n := range visits[3*interval:] {
		if n > 0 {
			busy++
		}
	}
	if busy < interval*9/10 {
		t.Errorf("in the last interval only %d of %d seconds saw a visit: the phases met", busy, interval)
	}
}

func TestASmallBacklogGoesAtOnceAndAnEmptyOneOwesNothing(t *testing.T) {
	d := drain{window: time.Minute, floor: 10}
	if n := d.release(8, time.Second); n != 8 {
		t.Errorf("%d of 8 went", n)
	}
	d.release(0, time.Second)
	if n := d.release(100, 100*time.Millisecond); n != 1 {
		t.Errorf("%d went after a tenth of a second, want 1", n)
	}
}

func TestABacklogThatGrowsIsLetGoFaster(t *testing.T) {
	d := drain{window: 100 * time.Second, floor: 1}
	if n := d.release(1000, time.Second); n != 10 {
		t.Errorf("%d of 1000 went in a second, want 10", n)
	}
	if n := d.release(3000, time.Second); n != 30 {
		t.Errorf("%d of 3000 went in a second, want 30", n)
	}
	if n := d.release(500, time.Second); n != 30 {
		t.Errorf("%d went near the end, want the same 30", n)
	}
}
