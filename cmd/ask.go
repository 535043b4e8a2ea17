package cmd

import (
	"errors"
	"fmt"
	"io"
	"math"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/spf13/cobra"

	"svc/db"
	"svc/server"
	"svc/server/ask"
	"svc/server/ask/tell"
)

func newAsk() *cobra.Command {
	var config server.Config
	var q ask.Question
	var today string
	c := &cobra.Command{
		Use:   "ask [--account EMAIL] QUESTION",
		Short: "Answer a business question with figures computed from the account's rows",
		Args:  atLeastOne,
		RunE: func(c *cobra.Command, args []string) (err error) {
			if q.Text, err = ask.CheckQuestion(strings.Join(args, " ")); err != nil {
				return usageError{err}
			}
			if q.Today, err = parseDay(today); err != nil {
				return err
			}
			return openOwner(c, config, func(app *server.App, owner db.Account) error {
				told, err := app.Asks.Answer(c.Context(), owner, q)
				if errors.Is(err, db.ErrNotFound) {
					return fmt.Errorf("no dataset %s", q.Dataset)
				}
				if err != nil {
					return err
				}
				if wantsJSON(c) {
					return printJSON(c, told)
				}
				if err := printAnswer(c.OutOrStdout(), told); err != nil || q.Dataset != "" || told.Confidence != tell.Low {
					return err
				}
				return printOthers(c, app, owner)
			})
		},
	}
	flags := c.Flags()
	flags.StringVar(&today, "today", "", "the day from which relative days count, like 2026-03-31 (default: the account's)")
	flags.StringVar(&q.Dataset, "dataset", "", "name or id of the dataset to ask (default: the one that ask reads, see data list)")
	flags.BoolVar(&q.CFO, "cfo", false, "word the answer for a finance department")
	flags.BoolVar(&q.Simulate, "simulate", false, "take a change that the question states as a simulation")
	flags.BoolVar(&q.Explain, "explain", false, "show the plan and the SQL")
	ollamaFlags(flags, &config.Ollama, visionModel)
	return accountFlag(c)
}

// atLeastOne accepts any number of words, so that a question needs no quotes.
func atLeastOne(c *cobra.Command, args []string) error {
	if len(args) == 0 {
		return usageError{fmt.Errorf("usage: %s", c.UseLine())}
	}
	return nil
}

func parseDay(text string) (time.Time, error) {
	if text == "" {
		return time.Time{}, nil
	}
	day, err := time.Parse(time.DateOnly, text)
	if err != nil {
		return time.Time{}, usageError{fmt.Errorf("--today: must be a day like 2026-03-31, not %q", text)}
	}
	return day, nil
}

// printAnswer prints the answer, its chart or else its table, and the follow-up questions.
func printAnswer(out io.Writer, a tell.Answer) error {
	fmt.Fprintln(out, oneLine(a.Answer))
	if a.Verdict != nil && a.VerdictSentence != nil {
		fmt.Fprintf(out, "%s: %s\n", *a.Verdict, oneLine(*a.VerdictSentence))
	}
	if a.Chart != nil {
		printChart(out, *a.Chart)
	} else if a.Table != nil {
		printGrid(out, *a.Table)
	}
	for _, r := range a.Recommendations {
		fmt.Fprintln(out, "-", oneLine(r))
	}
	fmt.Fprintln(out, "confidence:", a.Confidence)
	for _, q := range a.FollowUps {
		fmt.Fprintln(out, "  ask also:", oneLine(q))
	}
	if a.Explain == nil {
		return nil
	}
	_, err := fmt.Fprintf(out, "plan: %s\nrows: %d of %s, as of %s\n%s\n",
		oneLine(a.Explain.Text), a.Explain.Rows, oneLine(a.Explain.Source), orDash(a.Explain.AsOf), strings.Join(a.Explain.SQL, ";\n"))
	return err
}

// printOthers names the datasets that a question was not asked of, where the one that ask reads has no sure answer.
func printOthers(c *cobra.Command, app *server.App, owner db.Account) error {
	all, err := app.Datasets.List(c.Context(), owner.ID)
	if err != nil {
		return err
	}
	var others []string
	for _, d := range toDatasetsJSON(all) {
		if d.State == "earlier" {
			others = append(others, oneLine(d.Name))
		}
	}
	if len(others) > 0 {
		fmt.Fprintf(c.OutOrStdout(), "not asked: %s (ask one with --dataset NAME)\n", strings.Join(others, ", "))
	}
	return nil
}

const (
	maxBars = 30 // rows of a chart on the terminal
	barSize = 40 // its longest bar
)

// printChart prints what the values are, then a bar for each: a hollow one if it is below zero.
func printChart(out io.Writer, c tell.Chart) {
	most, widest := 0.0, 0
	values := make([]float64, min(len(c.Labels), len(c.Values), maxBars))
	for i := range values {
		values[i] = float(c.Values[i])
		most = max(most, math.Abs(values[i]))
		widest = max(widest, utf8.RuneCountInString(oneLine(c.Labels[i])))
	}
	if c.Label != "" && len(values) > 0 {
		fmt.Fprintf(out, "  %s:\n", oneLine(c.Label))
	}
	for i, v := range values {
		size, bar := 0, "█"
		if v < 0 {
			bar = "░"
		}
		if most > 0 {
			size = int(math.Round(math.Abs(v) / most * barSize))
		}
		label := oneLine(c.Labels[i])
		pad := strings.Repeat(" ", widest-utf8.RuneCountInString(label))
		fmt.Fprintf(out, "  %s%s %s %v\n", label, pad, strings.Repeat(bar, size), cell(c.Values[i]))
	}
	if rest := len(c.Labels) - maxBars; rest > 0 {
		fmt.Fprintf(out, "  … and %d more\n", rest)
	}
}

func float(v any) float64 {
	var f float64
	if _, err := fmt.Sscan(fmt.Sprint(v), &f); err != nil {
		return 0
	}
	return f
}

func cell(v any) string {
	if v == nil {
		return orDash("")
	}
	return oneLine(v)
}

// printGrid prints a table in columns.
func printGrid(out io.Writer, t tell.Table) {
	widths := make([]int, len(t.Headers))
	rows := [][]string{t.Headers}
	for _, r := range t.Rows[:min(len(t.Rows), maxBars)] {
		cells := make([]string, len(t.Headers))
		for i := range min(len(r), len(cells)) {
			cells[i] = cell(r[i])
		}
		rows = append(rows, cells)
	}
	for _, r := range rows {
		for i, text := range r {
			widths[i] = max(widths[i], utf8.RuneCountInString(text))
		}
	}
	for _, r := range rows {
		line := " "
		for i, text := range r {
			line += " " + text + strings.Repeat(" ", widths[i]-utf8.RuneCountInString(text)) + " "
		}
		fmt.Fprintln(out, strings.TrimRight(line, " "))
	}
	if rest := len(t.Rows) - maxBars; rest > 0 {
		fmt.Fprintf(out, "  … and %d more\n", rest)
	}
}
