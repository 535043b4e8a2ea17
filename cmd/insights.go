package cmd

import (
	"fmt"
	"io"
	"strings"
	"unicode/utf8"

	"github.com/spf13/cobra"

	"svc/db"
	"svc/server"
	"svc/server/insight"
)

func newPulse() *cobra.Command {
	return accountFlag(command("pulse [--account EMAIL]", "Show how the account's shop does now: its score and its figures", exactly(),
		withOwner(func(c *cobra.Command, app *server.App, owner db.Account, _ []string) error {
			p, err := app.Insights.Pulse(c.Context(), owner)
			if err != nil {
				return err
			}
			if wantsJSON(c) {
				return printJSON(c, insight.PulseAnswer(p))
			}
			return printPulse(c.OutOrStdout(), p)
		})))
}

func newBrief() *cobra.Command {
	return accountFlag(command("brief [--account EMAIL]", "Show the account's brief of today, or make it if it is not stored yet", exactly(),
		withOwner(func(c *cobra.Command, app *server.App, owner db.Account, _ []string) error {
			b, err := app.Insights.Brief(c.Context(), owner)
			if err != nil {
				return err
			}
			if wantsJSON(c) {
				return printJSON(c, insight.BriefAnswer(b))
			}
			return printBrief(c.OutOrStdout(), b)
		})))
}

// printPulse prints the score with what it is made of, and the figures that are known.
func printPulse(out io.Writer, p insight.Pulse) error {
	score := "unknown"
	if p.Health.Score != nil {
		score = fmt.Sprintf("%d of 100, %s", *p.Health.Score, p.Health.Band)
	}
	fmt.Fprintln(out, "health:", score)
	for _, d := range p.Health.Drivers {
		fmt.Fprintf(out, "  -%d  %s\n", d.Points, oneLine(d.Title))
	}
	rows, widest := [][2]string{}, 0
	for _, k := range p.KPIs {
		if k.Value == nil {
			continue
		}
		text := p.Text(k)
		if against := p.Against(k); against != "" {
			text += ", " + against
		}
		rows = append(rows, [2]string{k.Label, text})
		widest = max(widest, utf8.RuneCountInString(k.Label))
	}
	for _, r := range rows {
		fmt.Fprintln(out, r[0]+strings.Repeat(" ", widest-utf8.RuneCountInString(r[0])), "", r[1])
	}
	if f := p.Freshness; f.NewestDay != "" {
		age := counted(f.AgeDays, "day") + " ago"
		if f.Stale {
			age += ", stale"
		}
		_, err := fmt.Fprintf(out, "newest sale: %s, %s, in %s\n", f.NewestDay, age, oneLine(f.Source))
		return err
	}
	_, err := fmt.Fprintln(out, "no sales are stored yet")
	return err
}

// printBrief prints a brief as paragraphs.
func printBrief(out io.Writer, b insight.Brief) error {
	fmt.Fprintln(out, oneLine(b.Headline))
	for _, s := range b.Sections {
		fmt.Fprintf(out, "\n%s\n  %s\n", s.Title, oneLine(s.Text))
	}
	if len(b.Actions) > 0 {
		fmt.Fprintln(out, "\nTo do")
	}
	for _, a := range b.Actions {
		fmt.Fprintln(out, "  -", oneLine(a))
	}
	return nil
}
