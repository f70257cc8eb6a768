package crash_test

import (
	"fmt"
	"os"
	"sync"
	"testing"
	"time"

	"github.com/tenantplane/terraform-provider-tenant/internal/component/database"
)

// TestC57_ACrashAnywhereLeavesExactlyOneOfEachAndLosesNothing is the crash table.
// The environment says how much of it is made, see GNUmakefile:
//
//	(nothing)      a few samples
//	CRASH=all      every boundary of every operation, ledgers taking turns
//	CRASH=both     the same, each on both ledgers
//	CRASHES=1000   that many kills, drawn from SEED
//	CRASH_ONLY=…   one sample again, as a failure names it
//	CRASH_TABLE=…  a file to write the table to, as Markdown
func TestC57_ACrashAnywhereLeavesExactlyOneOfEachAndLosesNothing(t *testing.T) {
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
	publish(t, results, fmt.Sprintf("Seed %d, %d samples in %.0f s. %s", seed, len(samples), time.Since(begin).Seconds(), remarks(results)))
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

// remarks are facts that are no defects.
func remarks(results []result) string {
	later, slow := 0, 0
	for _, r := range results {
		later += r.later
		if r.reruns > 1 {
			slow++
		}
	}
	return fmt.Sprintf("%d operations needed more than one run to converge. Providers passed %d boundaries after their terraform had died.", slow, later)
}

// publish prints the table, and writes it where asked to.
func publish(t *testing.T, results []result, circumstances string) {
	t.Helper()
	table := tableOf(results)
	fmt.Printf("%s\n%s\n", table.Render(), circumstances)
	for _, r := range results {
		if r.any() {
			fmt.Println(r)
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
