package crash_test

import (
	"math/rand/v2"
	"os"
	"strconv"
	"strings"
	"testing"
	"time"
)

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
	switch os.Getenv("CRASH") {
	case "all":
		return all
	case "both":
		return append(all, onTheOtherLedger(all, first+len(all))...)
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
