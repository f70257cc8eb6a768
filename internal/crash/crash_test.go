package crash_test

import (
	"fmt"
	"math/rand/v2"
	"os"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/tenantplane/terraform-provider-tenant/internal/component/database"
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
	dry := play(t, "undisturbed", []sample{
		{number: 1, ledger: inSQLite, isolation: database.IsolationSchema, victim: theProvider},
		{number: 2, ledger: inPostgres, isolation: database.IsolationDatabase, victim: theProvider},
	})
	if t.Failed() {
		t.Fatal("the life of an undisturbed tenant already has defects: nothing is learned from kills")
	}
	seed := seedOf(t)
	samples := choose(t, newCatalog(database.IsolationSchema, dry), newCatalog(database.IsolationDatabase, dry), seed)
	results := play(t, "killed", samples)
	results = append(results, play(t, "missed", missed(results, first+len(samples)))...)
	for _, s := range missed(results, 0) {
		t.Errorf("%v was never reached in two tries", s.at)
	}
	publish(t, results, fmt.Sprintf("Seed %d, %d samples in %.0f s. Left alone by terraform, providers passed %d further boundaries.",
		seed, len(samples), time.Since(begin).Seconds(), later(results)))
}

// first is the number of the first sample with a strike.
const first = 10

// choose makes the samples the environment asks for.
func choose(t *testing.T, schema, own catalog, seed uint64) []sample {
	t.Helper()
	if text := os.Getenv("CRASH_ONLY"); text != "" {
		return []sample{chooseOne(t, schema, own, text)}
	}
	if text := os.Getenv("CRASHES"); text != "" {
		kills, err := strconv.Atoi(text)
		if err != nil || kills < 1 {
			t.Fatalf("CRASHES=%q is no number of kills", text)
		}
		return chooseRandom(schema, own, kills, rand.New(rand.NewPCG(seed, 0)))
	}
	all := schema.enumerate(first)
	// A database of its own is made in steps of its own; the rest is the same.
	all = append(all, own.providers(first+len(all), func(b boundary) bool {
		return b.about("database") || strings.Contains(b.name, " database.")
	})...)
	if os.Getenv("CRASH") == "all" {
		return all
	}
	var few []sample
	for i := 0; i < len(all); i += len(all)/4 | 1 { // odd: both ledgers
		few = append(few, all[i])
	}
	return few
}

func chooseOne(t *testing.T, schema, own catalog, text string) sample {
	t.Helper()
	o, err := readOrder(text)
	if err != nil {
		t.Fatalf("CRASH_ONLY=%q: %v", text, err)
	}
	c := schema
	if o.isolation == own.isolation {
		c = own
	}
	for op, place := range o.places {
		if place < 0 || place >= len(c.of[op]) {
			t.Fatalf("CRASH_ONLY=%q: %s has %d boundaries", text, op, len(c.of[op]))
		}
	}
	return c.sample(first, o.ledger, o.victim, o.places)
}

// chooseRandom draws samples with about as many kills as asked for.
func chooseRandom(schema, own catalog, kills int, random *rand.Rand) []sample {
	var samples []sample
	for n := range (kills + len(operations) - 1) / len(operations) {
		c := schema
		if random.IntN(3) == 0 {
			c = own
		}
		samples = append(samples, c.random(first+n, random))
	}
	return samples
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
