package crash_test

import (
	"cmp"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
)

// catalog are the boundaries of each operation, in an order that does not
// depend on which of two actions was faster.
type catalog map[operation][]boundary

// newCatalog sorts what runs without a strike announced.
func newCatalog(dry []result) catalog {
	c := catalog{}
	for _, r := range dry {
		c[r.operation] = slices.Clone(r.passed)
		slices.SortFunc(c[r.operation], func(a, b boundary) int {
			return cmp.Or(cmp.Compare(a.name, b.name), cmp.Compare(a.nth, b.nth))
		})
	}
	return c
}

// longest is how many boundaries the operation with most of them has.
func (c catalog) longest() (n int) {
	for _, list := range c {
		n = max(n, len(list))
	}
	return n
}

// around lists the boundaries of an operation around the calls to a server.
func (c catalog) around(op operation, server victim, moments ...string) []int {
	var found []int
	for i, b := range c[op] {
		about := slices.ContainsFunc(servers[server], b.about)
		if about && slices.ContainsFunc(moments, b.at) {
			found = append(found, i)
		}
	}
	return found
}

// sample makes the sample that strikes at the given places of the catalog.
func (c catalog) sample(number int, l ledgerKind, v victim, places map[operation]int) sample {
	s := sample{number: number, ledger: l, victim: v, at: map[operation]boundary{}}
	again := []string{string(l), string(v)}
	for _, op := range operations {
		if i, planned := places[op]; planned {
			s.at[op] = c[op][i]
			again = append(again, fmt.Sprintf("%s %d", op, i+1))
		}
	}
	s.again = fmt.Sprintf("CRASH_ONLY=%q make crash", strings.Join(again, " "))
	return s
}

// terraformKills is how many places of each operation terraform dies at in the
// enumeration.
const terraformKills = 6

// enumerate hits every boundary of every operation with the death of the
// provider, and some with those of terraform and of each server.
func (c catalog) enumerate(from int) []sample {
	var samples []sample
	add := func(v victim, places map[operation]int) {
		n := from + len(samples)
		samples = append(samples, c.sample(n, ledgers[n%len(ledgers)], v, places))
	}
	for i := range terraformKills {
		places := map[operation]int{}
		for op, list := range c {
			places[op] = (2*i + 1) * len(list) / (2 * terraformKills)
		}
		add(theTerraform, places)
	}
	for i, server := range []victim{theSandbox, thePostgres, thePowerDNS, theS3} {
		for round := range 2 {
			places := map[operation]int{}
			for j, op := range operations {
				moment := []string{beforeSend, afterSend}[(round+j)%2]
				around := c.around(op, server, moment)
				places[op] = around[(i+round)%len(around)]
			}
			add(server, places)
		}
	}
	for i := range c.longest() {
		places := map[operation]int{}
		for op, list := range c {
			places[op] = i % len(list)
		}
		add(theProvider, places)
	}
	return samples
}

// random draws samples with about as many kills as asked for.
func (c catalog) random(from, kills int, random *rand.Rand) []sample {
	var samples []sample
	for n := from; n < from+(kills+len(operations)-1)/len(operations); n++ {
		v := draw(random)
		places := map[operation]int{}
		for _, op := range operations {
			if around := c.around(op, v, beforeSend, afterSend, afterAnswer); len(around) > 0 {
				places[op] = around[random.IntN(len(around))]
			} else {
				places[op] = random.IntN(len(c[op]))
			}
		}
		samples = append(samples, c.sample(n, ledgers[random.IntN(len(ledgers))], v, places))
	}
	return samples
}

// draw takes the provider in most cases: it has most to lose.
func draw(random *rand.Rand) victim {
	others := []victim{theTerraform, theTerraform, theSandbox, thePostgres, thePowerDNS, theS3}
	if i := random.IntN(3 * len(others)); i < len(others) {
		return others[i]
	}
	return theProvider
}

// only reads the words of CRASH_ONLY, in any order: a ledger, a victim, and
// operations, each followed by the number of its boundary in the catalog.
func (c catalog) only(from int, words string) (sample, error) {
	l, v, places := inSQLite, theProvider, map[operation]int{}
	op := operation("")
	for _, word := range strings.Fields(words) {
		var i int
		switch {
		case slices.Contains(ledgers, ledgerKind(word)) && op == "":
			l = ledgerKind(word)
			if word == string(thePostgres) && strings.Count(" "+words+" ", " postgres ") > 1 {
				v = thePostgres // the word is a ledger and a server
			}
		case slices.Contains(operations, operation(word)):
			op = operation(word)
		case op == "":
			v = victim(word)
		default:
			if _, err := fmt.Sscan(word, &i); err != nil || i < 1 || i > len(c[op]) {
				return sample{}, fmt.Errorf("CRASH_ONLY: %q is no boundary of %s: there are %d", word, op, len(c[op]))
			}
			places[op], op = i-1, ""
		}
	}
	if _, isServer := servers[v]; !isServer && v != theProvider && v != theTerraform {
		return sample{}, fmt.Errorf("CRASH_ONLY: %q is neither a ledger nor a victim", v)
	}
	return c.sample(from, l, v, places), nil
}
