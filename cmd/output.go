package cmd

import (
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

// table prints a list: with --json one JSON object a line, otherwise columns.
func table[T any](c *cobra.Command, all []T, header string, columns func(T) []any) error {
	if wantsJSON(c) {
		for _, one := range all {
			if err := printJSON(c, one); err != nil {
				return err
			}
		}
		return nil
	}
	out := tabwriter.NewWriter(c.OutOrStdout(), 0, 0, 2, ' ', 0)
	fmt.Fprintln(out, strings.ReplaceAll(header, " ", "\t"))
	for _, one := range all {
		cells := columns(one)
		for i, cell := range cells {
			cells[i] = oneLine(cell)
		}
		format := strings.TrimSuffix(strings.Repeat("%v\t", len(cells)), "\t")
		fmt.Fprintf(out, format+"\n", cells...)
	}
	return out.Flush()
}

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
