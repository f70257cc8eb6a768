package crash_test

import (
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/tenantplane/terraform-provider-tenant/internal/component/database"
)

// order is what CRASH_ONLY asks for.
type order struct {
	ledger    ledgerKind
	isolation string
	victim    victim
	places    map[operation]int
}

// readOrder reads the words of CRASH_ONLY: a ledger, an isolation, a victim, in
// this order, each of which may be missing, and operations, each followed by
// the number of its boundary in the catalog.
func readOrder(text string) (order, error) {
	o := order{ledger: inSQLite, isolation: database.IsolationSchema, victim: theProvider, places: map[operation]int{}}
	words := strings.Fields(text)
	if len(words) > 0 && slices.Contains(ledgers, ledgerKind(words[0])) {
		o.ledger, words = ledgerKind(words[0]), words[1:]
	}
	if len(words) > 0 && (words[0] == database.IsolationSchema || words[0] == database.IsolationDatabase) {
		o.isolation, words = words[0], words[1:]
	}
	if len(words) > 0 && !slices.Contains(operations, operation(words[0])) {
		o.victim, words = victim(words[0]), words[1:]
	}
	if _, isServer := servers[o.victim]; !isServer && o.victim != theProvider && o.victim != theTerraform {
		return o, fmt.Errorf("%q is no victim", o.victim)
	}
	for ; len(words) > 1; words = words[2:] {
		place, err := strconv.Atoi(words[1])
		if err != nil || !slices.Contains(operations, operation(words[0])) {
			return o, fmt.Errorf("%s %s is no operation with the number of a boundary", words[0], words[1])
		}
		o.places[operation(words[0])] = place - 1
	}
	if len(words) > 0 || len(o.places) == 0 {
		return o, errors.New("operations with the numbers of their boundaries are missing")
	}
	return o, nil
}

func TestAFailureNamesTheSampleThatRepeatsIt(t *testing.T) {
	c := catalog{isolation: database.IsolationDatabase, of: map[operation][]boundary{
		create: {{"a", 1}, {"b", 1}}, update: {{"c", 1}}, destroy: {{"d", 1}, {"d", 2}},
	}}
	s := c.sample(3, inPostgres, thePostgres, map[operation]int{create: 1, destroy: 0})
	words, found := strings.CutPrefix(s.again, "CRASH_ONLY=")
	words, isCommand := strings.CutSuffix(words, " make crash")
	text, err := strconv.Unquote(words)
	if !found || !isCommand || err != nil {
		t.Fatalf("the command is %s", s.again)
	}
	o, err := readOrder(text)
	if err != nil {
		t.Fatal(err)
	}
	again := c.sample(3, o.ledger, o.victim, o.places)
	if again.again != s.again || again.at[create] != s.at[create] || again.at[destroy] != s.at[destroy] || o.isolation != c.isolation {
		t.Errorf("%s gives %+v, want %+v", text, again, s)
	}
	for _, nonsense := range []string{"", "sqlite", "somebody create 1", "create", "create x", "sqlite 1 create"} {
		if o, err := readOrder(nonsense); err == nil {
			t.Errorf("%q was read as %+v", nonsense, o)
		}
	}
}
