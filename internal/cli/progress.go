package cli

import (
	"fmt"
	"io"
	"time"
)

// progressBar tells on a terminal how far long work is; elsewhere it is silent.
type progressBar struct {
	out         io.Writer
	what        string
	done, total int
	last        time.Time
}

func newProgress(out io.Writer, what string, total int) *progressBar {
	if !isTerminal(out) {
		out = nil
	}
	return &progressBar{out: out, what: what, total: total}
}

// step counts one more thing done. Callers take turns.
func (p *progressBar) step() {
	p.done++
	if p.out == nil || time.Since(p.last) < 100*time.Millisecond && p.done < p.total {
		return
	}
	p.last = time.Now()
	_, _ = fmt.Fprintf(p.out, "\r%s: %d of %d", p.what, p.done, p.total) // a terminal that went away is not our news
}

// stop clears the line.
func (p *progressBar) stop() {
	if p.out != nil {
		_, _ = fmt.Fprint(p.out, "\r\x1b[K")
	}
}
