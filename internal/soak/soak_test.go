package soak

import (
	"cmp"
	"math/rand/v2"
	"os"
	"slices"
	"strconv"
	"testing"
	"time"

	"github.com/tenantplane/terraform-provider-tenant/internal/acctest"
)

func TestMain(m *testing.M) { os.Exit(acctest.Main(m)) }

// setting is a number from the environment.
func setting(t *testing.T, name string, otherwise int) int {
	t.Helper()
	n, err := strconv.Atoi(cmp.Or(os.Getenv(name), strconv.Itoa(otherwise)))
	if err != nil || n <= 0 {
		t.Fatalf("%s=%q is no positive number", name, os.Getenv(name))
	}
	return n
}

func duration(t *testing.T, name string, otherwise time.Duration) time.Duration {
	t.Helper()
	d, err := time.ParseDuration(cmp.Or(os.Getenv(name), otherwise.String()))
	if err != nil || d <= 0 {
		t.Fatalf("%s=%q is no time", name, os.Getenv(name))
	}
	return d
}

const (
	workerCount = 4
	// compress is how many times less patient with failures everybody is.
	compress = 30
	// mostMemory is what a worker may use, in MiB, however large the fleet.
	mostMemory = 400
)

// TestSoak: see the package's documentation.
func TestSoak(t *testing.T) {
	size, long := setting(t, "SOAK_TENANTS", 150), duration(t, "SOAK_TIME", 30*time.Second)
	seed := uint64(setting(t, "SEED", 42))
	random := rand.New(rand.NewPCG(seed, seed))
	f := newFleet(t, size, random)
	// A worker manages some 15 visits a second on a small machine: the intervals
	// leave half of that to what happens.
	interval := max(8*time.Second, time.Duration(size)*time.Second/25)
	begin := time.Now()
	f.declareAll()
	t.Logf("%d tenants declared in %s; seed %d", size, time.Since(begin).Round(time.Second), seed)

	w := &workers{t: t, binary: acctest.Provider(t), folder: f.folder, args: []string{
		"sweep", "--listen", "", "--workers", "8", "--tick", "1s", "--grace", "30s",
		"--critical-interval", interval.String(), "--interval", (2 * interval).String(), "--compress", strconv.Itoa(compress),
	}}
	for i := range workerCount {
		w.start(i)
	}
	f.weather.bad.Store(true)
	f.endure(w, long)
	f.weather.bad.Store(false)
	t.Logf("bad weather: %d calls refused, %d answers lost, %d slow, %d outages; %d workers killed; %d specs changed, %d records changed by hand, %d suspensions, %d deletions, %d new tenants",
		f.weather.refused.Load(), f.weather.lost.Load(), f.weather.slow.Load(), f.weather.outages.Load(), w.kills,
		f.changed, f.drifted, f.suspended, f.ended, len(f.newcomers)+len(f.waited))

	calm := time.Now()
	f.awaitCalm(5*time.Minute + 2*interval)
	t.Logf("as declared %s after the weather calmed down", time.Since(calm).Round(time.Second))
	f.awaitEvents(3 * time.Minute)
	w.stop()
	f.wantOneOfEach()
	f.wantNobodyStarved(interval)
	f.wantEventsInOrder()
	if w.most > mostMemory {
		t.Errorf("a worker used %d MiB, want at most %d", w.most, mostMemory)
	}
	slices.Sort(f.waited)
	t.Logf("the most a worker used: %d MiB; new tenants among them waited %s in the middle and %s at most",
		w.most, middle(f.waited), last(f.waited))
}

func middle(sorted []time.Duration) time.Duration {
	if len(sorted) == 0 {
		return 0
	}
	return sorted[len(sorted)/2].Round(time.Second / 10)
}

func last(sorted []time.Duration) time.Duration {
	if len(sorted) == 0 {
		return 0
	}
	return sorted[len(sorted)-1].Round(time.Second / 10)
}
