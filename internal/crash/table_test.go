package crash_test

import (
	"cmp"
	"slices"

	"github.com/jedib0t/go-pretty/v6/table"
)

// row is a line of the table: the operations of one kind of sample.
type row struct {
	ledger    ledgerKind
	operation operation
	victim    victim
	hit       map[boundary]bool
	kills     int
	findings
}

// rows adds results up. An operation without a strike counts only with the
// defects that an earlier one left it.
func rows(results []result) []*row {
	var out []*row
	for _, r := range results {
		if _, planned := r.sample.at[r.operation]; !planned && !r.any() {
			continue
		}
		i := slices.IndexFunc(out, func(w *row) bool {
			return w.ledger == r.sample.ledger && w.operation == r.operation && w.victim == r.sample.victim
		})
		if i < 0 {
			i = len(out)
			out = append(out, &row{ledger: r.sample.ledger, operation: r.operation, victim: r.sample.victim, hit: map[boundary]bool{}})
		}
		out[i].add(r)
	}
	slices.SortFunc(out, func(a, b *row) int {
		return cmp.Or(cmp.Compare(b.ledger, a.ledger), cmp.Compare(a.victim, b.victim),
			cmp.Compare(slices.Index(operations, a.operation), slices.Index(operations, b.operation)))
	})
	return out
}

func (w *row) add(r result) {
	if r.struck {
		w.hit[r.sample.at[r.operation]] = true
		w.kills++
	}
	w.findings.add(r.findings)
}

func (f *findings) add(other findings) {
	f.duplicates += other.duplicates
	f.orphans += other.orphans
	f.lost += other.lost
	f.tainted += other.tainted
	f.stuck += other.stuck
	f.leftBehind += other.leftBehind
}

// tableOf renders results.
func tableOf(results []result) table.Writer {
	w := table.NewWriter()
	w.AppendHeader(table.Row{"ledger", "victim", "operation", "boundaries", "kills", "duplicates", "orphans", "lost ids", "tainted", "stuck", "left behind"})
	total := row{hit: map[boundary]bool{}}
	perOperation := 0
	for _, r := range rows(results) {
		w.AppendRow(append(table.Row{r.ledger, r.victim, r.operation, len(r.hit), r.kills}, r.cells()...))
		total.kills += r.kills
		total.findings.add(r.findings)
		perOperation += len(r.hit)
	}
	w.AppendFooter(append(table.Row{"", "", "total", perOperation, total.kills}, total.cells()...))
	w.SetStyle(table.StyleLight)
	return w
}

func (f findings) cells() table.Row {
	return table.Row{f.duplicates, f.orphans, f.lost, f.tainted, f.stuck, f.leftBehind}
}
