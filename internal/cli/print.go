package cli

import (
	"encoding/json"
	"fmt"
	"io"
	"os"
	"time"

	"github.com/jedib0t/go-pretty/v6/table"
	"github.com/jedib0t/go-pretty/v6/text"
	"github.com/mattn/go-isatty"
)

// printJSON writes v, indented.
func printJSON(out io.Writer, v any) error {
	encoder := json.NewEncoder(out)
	encoder.SetIndent("", "  ")
	if err := encoder.Encode(v); err != nil {
		return fmt.Errorf("write JSON: %w", err)
	}
	return nil
}

// newTable returns a table that is boxed and coloured on a terminal and plain
// when piped.
func newTable(out io.Writer, headings ...any) table.Writer {
	t := table.NewWriter()
	t.SetOutputMirror(out)
	t.AppendHeader(headings)
	style := table.StyleDefault
	if isTerminal(out) {
		style = table.StyleRounded
		style.Color.Header = text.Colors{text.Bold}
	}
	if os.Getenv("CLICOLOR_FORCE") != "" {
		text.EnableColors()
	}
	style.Format.Header = text.FormatDefault
	t.SetStyle(style)
	return t
}

// coloured wraps a word in a colour when out is a terminal.
func coloured(out io.Writer, word string, colour text.Color) string {
	if !isTerminal(out) {
		return word
	}
	return text.Colors{colour}.Sprint(word)
}

// isTerminal tells whether out can show boxes and colours. CLICOLOR_FORCE and
// NO_COLOR decide where they are set (bixense.com/clicolors, no-color.org).
func isTerminal(out io.Writer) bool {
	if os.Getenv("NO_COLOR") != "" {
		return false
	}
	if force := os.Getenv("CLICOLOR_FORCE"); force != "" && force != "0" {
		return true
	}
	file, isFile := out.(interface{ Fd() uintptr })
	return isFile && isatty.IsTerminal(file.Fd())
}

// moment renders a time for people, "-" for none.
func moment(t time.Time) string {
	if t.IsZero() {
		return "-"
	}
	return t.UTC().Format("2006-01-02 15:04:05")
}
