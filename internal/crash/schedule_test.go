package crash_test

import (
	"cmp"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
)

// catalog are the boundaries of each operation on tenants of one isolation, in
// an order that does not depend on which of two actions was faster.
type catalog struct {
	isolation string
	of        map[operation][]boundary
}

// newCatalog sorts what runs without a strike announced.
func newCatalog(isolation string, dry []result) catalog {
	c := catalog{isolation: isolation, of: map[operation][]boundary{}}
	for _, r := range dry {
		if r.sample.isolation != isolation {
			continue
		}
		c.of[r.operation] = slices.Clone(r.passed)
		slices.SortFunc(c.of[r.operation], func(a, b boundary) int {
			return cmp.Or(cmp.Compare(a.name, b.name), cmp.Compare(a.nth, b.nth))
		})
	}
	return c
}

// where lists the places of an operation's boundaries that have a property.
func (c catalog) where(op operation, has func(boundary) bool) []int {
	var found []int
	for i, b := range c.of[op] {
		if has(b) {
			found = append(found, i)
		}
	}
	return found
}

// around lists the boundaries of an operation around the calls to a server.
func (c catalog) around(op operation, server victim, moments ...string) []int {
	return c.where(op, func(b boundary) bool {
		return slices.ContainsFunc(servers[server], b.about) && slices.ContainsFunc(moments, b.at)
	})
}

// sample makes the sample that strikes at the given places of the catalog.
func (c catalog) sample(number int, l ledgerKind, v victim, places map[operation]int) sample {
	s := sample{number: number, ledger: l, isolation: c.isolation, victim: v, at: map[operation]boundary{}}
	again := []string{string(l), c.isolation, string(v)}
	for _, op := range operations {
		if i, planned := places[op]; planned {
			s.at[op] = c.of[op][i]
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
// provider, and some with those of terraform and of each server. Ledgers take
// turns.
func (c catalog) enumerate(from int) []sample {
	samples := c.terraforms(from)
	samples = append(samples, c.servers(from+len(samples))...)
	return append(samples, c.providers(from+len(samples), func(boundary) bool { return true })...)
}

func (c catalog) next(samples []sample, from int, v victim, places map[operation]int) []sample {
	n := from + len(samples)
	l := ledgers[n%len(ledgers)]
	if v == theLedger {
		l = inPostgres
	}
	return append(samples, c.sample(n, l, v, places))
}

func (c catalog) terraforms(from int) (samples []sample) {
	for i := range terraformKills {
		places := map[operation]int{}
		for op, list := range c.of {
			places[op] = (2*i + 1) * len(list) / (2 * terraformKills)
		}
		samples = c.next(samples, from, theTerraform, places)
	}
	return samples
}

func (c catalog) servers(from int) (samples []sample) {
	for i, server := range []victim{theSandbox, thePostgres, thePowerDNS, theS3, theLedger, theLedger} {
		for round := range 2 {
			places := map[operation]int{}
			for j, op := range operations {
				around := c.around(op, server, server.moments()[(round+j)%2])
				places[op] = around[(3*i+round)%len(around)]
			}
			samples = c.next(samples, from, server, places)
		}
	}
	return samples
}

// providers kills the provider at all boundaries that have a property.
func (c catalog) providers(from int, has func(boundary) bool) (samples []sample) {
	for i, most := 0, 1; i < most; i++ {
		places := map[operation]int{}
		for op := range c.of {
			all := c.where(op, has)
			most = max(most, len(all))
			places[op] = all[i%len(all)]
		}
		samples = c.next(samples, from, theProvider, places)
	}
	return samples
}

// onTheOtherLedger repeats samples where they were not, but for those that kill
// the one ledger that can be killed.
func onTheOtherLedger(samples []sample, from int) (twins []sample) {
	other := map[ledgerKind]ledgerKind{inSQLite: inPostgres, inPostgres: inSQLite}
	for _, s := range samples {
		if s.victim == theLedger {
			continue
		}
		twin := s
		twin.number, twin.ledger = from+len(twins), other[s.ledger]
		twin.again = strings.Replace(s.again, string(s.ledger), string(twin.ledger), 1)
		twins = append(twins, twin)
	}
	return twins
}

// random draws one sample.
func (c catalog) random(number int, random *rand.Rand) sample {
	v := draw(random)
	places := map[operation]int{}
	for _, op := range operations {
		all := c.where(op, func(boundary) bool { return true })
		if _, isServer := servers[v]; isServer {
			all = c.around(op, v, v.moments()...)
		}
		places[op] = all[random.IntN(len(all))]
	}
	l := ledgers[random.IntN(len(ledgers))]
	if v == theLedger {
		l = inPostgres
	}
	return c.sample(number, l, v, places)
}

// draw takes the provider in most cases: it has most to lose.
func draw(random *rand.Rand) victim {
	others := []victim{theTerraform, theTerraform, theSandbox, thePostgres, thePowerDNS, theS3, theLedger}
	if i := random.IntN(3 * len(others)); i < len(others) {
		return others[i]
	}
	return theProvider
}
