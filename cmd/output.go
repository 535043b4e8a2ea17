package cmd

import (
	"cmp"
	"encoding/json"
	"fmt"
	"strings"
	"text/tabwriter"
	"time"
	"unicode"

	"github.com/spf13/cobra"
)

// wantsJSON reports whether --json was given.
func wantsJSON(c *cobra.Command) bool {
	on, err := c.Flags().GetBool("json")
	return err == nil && on
}

// show prints one result: as JSON with --json, otherwise as the formatted sentence.
func show(c *cobra.Command, result any, format string, args ...any) error {
	if wantsJSON(c) {
		return printJSON(c, result)
	}
	for i, arg := range args {
		if text, ok := arg.(string); ok {
			args[i] = oneLine(text)
		}
	}
	_, err := fmt.Fprintf(c.OutOrStdout(), format+"\n", args...)
	return err
}

func printJSON(c *cobra.Command, result any) error {
	encoder := json.NewEncoder(c.OutOrStdout())
	encoder.SetEscapeHTML(false)
	return encoder.Encode(result)
}

// row is a line of a list: it has a JSON form, and cells under the header's words.
type row interface {
	header() string
	cells() []any
}

// list prints the rows that a call has returned, each in the form that convert gives it.
func list[T any, R row](c *cobra.Command, convert func(T) R, all []T, err error) error {
	if err != nil {
		return err
	}
	return table(c, mapAll(all, convert))
}

func mapAll[From, To any](all []From, convert func(From) To) []To {
	out := make([]To, 0, len(all))
	for _, one := range all {
		out = append(out, convert(one))
	}
	return out
}

// table prints a list: with --json one JSON object a line, otherwise columns.
func table[R row](c *cobra.Command, all []R) error { return printRows(c, all, true) }

// moreRows prints further rows of a list that table has begun.
func moreRows[R row](c *cobra.Command, all []R) error { return printRows(c, all, false) }

func printRows[R row](c *cobra.Command, all []R, withHeader bool) error {
	if wantsJSON(c) {
		for _, one := range all {
			if err := printJSON(c, one); err != nil {
				return err
			}
		}
		return nil
	}
	out := tabwriter.NewWriter(c.OutOrStdout(), 0, 0, 2, ' ', 0)
	if withHeader {
		var one R
		fmt.Fprintln(out, strings.ReplaceAll(one.header(), " ", "\t"))
	}
	for _, one := range all {
		var line []string
		for _, cell := range one.cells() {
			line = append(line, oneLine(cell))
		}
		fmt.Fprintln(out, strings.Join(line, "\t"))
	}
	return out.Flush()
}

// maxCell is how many letters of a long text a row of a list shows.
const maxCell = 60

// short cuts a long text for a row. The commands show and --json have it whole.
func short(text string) string {
	letters := []rune(text)
	if len(letters) <= maxCell {
		return text
	}
	return strings.TrimSpace(string(letters[:maxCell-1])) + "…"
}

// printFields prints one result in full: as JSON with --json, otherwise a line for each
// name and value. Empty values are left out.
func printFields(c *cobra.Command, result any, fields ...string) error {
	if wantsJSON(c) {
		return printJSON(c, result)
	}
	out := tabwriter.NewWriter(c.OutOrStdout(), 0, 0, 2, ' ', 0)
	for i := 0; i+1 < len(fields); i += 2 {
		if fields[i+1] != "" {
			fmt.Fprintf(out, "%s\t%s\n", fields[i], oneLine(fields[i+1]))
		}
	}
	return out.Flush()
}

// printText prints a text of several lines below the fields, unless --json is given.
func printText(c *cobra.Command, text string) error {
	if wantsJSON(c) || text == "" {
		return nil
	}
	_, err := fmt.Fprintln(c.OutOrStdout())
	for line := range strings.Lines(text) {
		if err == nil {
			_, err = fmt.Fprintln(c.OutOrStdout(), oneLine(strings.TrimRight(line, "\r\n")))
		}
	}
	return err
}

// orDash returns a dash for an empty cell.
func orDash(s string) string { return cmp.Or(s, "-") }

// oneLine replaces what cannot be printed in a cell. The text may come from anybody,
// so it must neither break the table nor send control sequences to the terminal.
func oneLine(cell any) string {
	return strings.Map(func(r rune) rune {
		if !unicode.IsPrint(r) { // controls, and marks that turn the direction
			return ' '
		}
		return r
	}, fmt.Sprint(cell))
}

// stamp formats a time as the API does. It returns "" for the zero time.
func stamp(t time.Time) string {
	if t.IsZero() {
		return ""
	}
	return t.UTC().Format(time.RFC3339)
}
