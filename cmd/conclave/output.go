package main

import (
	"encoding/json"
	"fmt"
	"text/tabwriter"

	"github.com/conclave-rooms/conclave/internal/config"
)

// common holds the settings of every administrative command.
type common struct {
	config.Data

	JSON bool `name:"json" help:"Print JSON."`

	begins bool // may be the first command on an empty directory
}

// json prints a value as one line of JSON.
func (o *output) json(v any) error {
	enc := json.NewEncoder(o.out)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(v); err != nil {
		return fmt.Errorf("print: %w", err)
	}
	return nil
}

// line prints a sentence for people.
func (o *output) line(format string, args ...any) {
	_, _ = fmt.Fprintf(o.out, format+"\n", args...)
}

// table prints columns under headings.
func (o *output) table(headings []string, rows [][]string) {
	w := tabwriter.NewWriter(o.out, 0, 0, 2, ' ', 0)
	for _, row := range append([][]string{headings}, rows...) {
		for i, cell := range row {
			if i > 0 {
				_, _ = fmt.Fprint(w, "\t")
			}
			_, _ = fmt.Fprint(w, cell)
		}
		_, _ = fmt.Fprintln(w)
	}
	_ = w.Flush()
}
