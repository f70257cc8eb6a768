package crash_test

import (
	"fmt"
	"math/rand/v2"
	"os"
	"strconv"
	"sync"
	"testing"
	"time"
)

// TestACrashAnywhereLeavesExactlyOneOfEachAndLosesNothing is the crash table.
// The environment says how much of it is made, see GNUmakefile:
//
//	(nothing)      a few samples
//	CRASH=all      every boundary of every operation
//	CRASHES=1000   that many kills, drawn from SEED
//	CRASH_ONLY=…   one sample again, as a failure names it
//	CRASH_TABLE=…  a file to write the table to, as Markdown
func TestACrashAnywhereLeavesExactlyOneOfEachAndLosesNothing(t *testing.T) {
	begin := time.Now()
	dry := play(t, "undisturbed", []sample{{number: 0, ledger: inSQLite, victim: theProvider}})
	if t.Failed() {
		t.Fatal("the life of an undisturbed tenant already has defects: nothing is learned from kills")
	}
	boundaries := newCatalog(dry)
	seed := seedOf(t)
	samples := boundaries.choose(t, seed)
	results := play(t, "killed", samples)
	results = append(results, play(t, "missed", missed(results, len(samples)+1))...)
	for _, s := range missed(results, 0) {
		t.Errorf("%v was never reached in two tries", s.at)
	}
	publish(t, results, fmt.Sprintf("Seed %d, %d samples in %.0f s. Left alone by terraform, providers passed %d further boundaries.",
		seed, len(samples), time.Since(begin).Seconds(), later(results)))
}

// choose makes the samples the environment asks for.
func (c catalog) choose(t *testing.T, seed uint64) []sample {
	t.Helper()
	if words := os.Getenv("CRASH_ONLY"); words != "" {
		s, err := c.only(1, words)
		if err != nil {
			t.Fatal(err)
		}
		return []sample{s}
	}
	if text := os.Getenv("CRASHES"); text != "" {
		kills, err := strconv.Atoi(text)
		if err != nil || kills < 1 {
			t.Fatalf("CRASHES=%q is no number of kills", text)
		}
		return c.random(1, kills, rand.New(rand.NewPCG(seed, 0)))
	}
	all := c.enumerate(1)
	if os.Getenv("CRASH") == "all" {
		return all
	}
	var few []sample
	for i := 0; i < len(all); i += len(all)/4 | 1 { // odd: both ledgers
		few = append(few, all[i])
	}
	return few
}

func seedOf(t *testing.T) uint64 {
	t.Helper()
	text := os.Getenv("SEED")
	if text == "" {
		return uint64(time.Now().UnixNano()) % 1_000_000
	}
	seed, err := strconv.ParseUint(text, 10, 64)
	if err != nil {
		t.Fatalf("SEED=%q is no number", text)
	}
	return seed
}

// play lives samples side by side, as many as go test -parallel says.
func play(t *testing.T, name string, samples []sample) []result {
	t.Helper()
	var mu sync.Mutex
	var results []result
	done := 0
	t.Run(name, func(t *testing.T) {
		for _, s := range samples {
			t.Run(fmt.Sprintf("%d-%s-%s", s.number, s.ledger, s.victim), func(t *testing.T) {
				t.Parallel()
				lived := s.live(t)
				mu.Lock()
				defer mu.Unlock()
				results = append(results, lived...)
				if done++; done%20 == 0 {
					fmt.Printf("%d of %d samples\n", done, len(samples))
				}
			})
		}
	})
	return results
}

// missed makes samples of the boundaries that a run did not come to, since
// another order of actions led past them. number is the first one's.
func missed(results []result, number int) []sample {
	hit := map[operation]map[boundary]bool{create: {}, update: {}, destroy: {}}
	for _, r := range results {
		hit[r.operation][r.sample.at[r.operation]] = hit[r.operation][r.sample.at[r.operation]] || r.struck
	}
	var out []sample
	for _, r := range results {
		at, planned := r.sample.at[r.operation]
		if !planned || r.struck || hit[r.operation][at] {
			continue
		}
		again := r.sample
		again.number, again.at = number+len(out), map[operation]boundary{r.operation: at}
		out = append(out, again)
	}
	return out
}

// later is how much providers went on to do after their terraform had died.
func later(results []result) (n int) {
	for _, r := range results {
		n += r.later
	}
	return n
}

// publish prints the table, and writes it where asked to.
func publish(t *testing.T, results []result, circumstances string) {
	t.Helper()
	table := tableOf(results)
	fmt.Printf("%s\n%s\n", table.Render(), circumstances)
	for _, r := range results {
		if r.any() {
			fmt.Printf("%s of sample %d, %s killed at %s: %s\n", r.operation, r.sample.number, r.sample.victim, r.sample.at[r.operation], r.sample.again)
		}
	}
	path := os.Getenv("CRASH_TABLE")
	if path == "" {
		return
	}
	if err := os.WriteFile(path, []byte(table.RenderMarkdown()+"\n\n"+circumstances+"\n"), 0o644); err != nil {
		t.Error(err)
	}
}
