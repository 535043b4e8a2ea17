package cmd

import (
	"bytes"
	"encoding/json"
	"fmt"

	"github.com/spf13/cobra"

	"svc/db/event"
	"svc/server/openapi"
)

type kindJSON struct {
	Kind    event.Kind      `json:"kind"`
	Summary string          `json:"summary"`
	When    string          `json:"when"`
	Retried bool            `json:"retried"` // if a delivery fails (K5)
	Sample  json.RawMessage `json:"sample"`
	Schema  json.RawMessage `json:"schema"`
}

func toKindJSON(e openapi.Event) kindJSON {
	return kindJSON{Kind: e.Kind, Summary: e.Summary, When: e.When, Retried: e.Kind.Retried(), Sample: e.Sample, Schema: e.Schema}
}

func (kindJSON) header() string { return "KIND TRIES SUMMARY" }

func (k kindJSON) cells() []any { return []any{k.Kind, triesOf(k.Kind), k.Summary} }

// triesOf says how often a delivery of a kind is tried.
func triesOf(kind event.Kind) string {
	if kind.Retried() {
		return "10"
	}
	return "1"
}

func newEvents() *cobra.Command {
	return group("events", "Events of a shop, as webhooks receive them", newKinds())
}

func newKinds() *cobra.Command {
	c := command("kinds [KIND]", "List the kinds of events, or show one: when it happens, a sample, its JSON Schema", oneKind(false), printKinds)
	c.ValidArgsFunction = completeKind
	return c
}

// oneKind is the check of a command's argument KIND.
func oneKind(required bool) cobra.PositionalArgs {
	return func(c *cobra.Command, args []string) error {
		if len(args) > 1 || required && len(args) == 0 {
			return usageError{fmt.Errorf("usage: %s", c.UseLine())}
		}
		for _, kind := range args {
			if err := checkChoice("KIND", kind, texts(event.Kinds)); err != nil {
				return err
			}
		}
		return nil
	}
}

func completeKind(_ *cobra.Command, args []string, _ string) (all []cobra.Completion, _ cobra.ShellCompDirective) {
	if len(args) == 0 {
		all = mapAll(openapi.Events(), func(e openapi.Event) cobra.Completion { return described(string(e.Kind), e.Summary) })
	}
	return all, cobra.ShellCompDirectiveNoFileComp
}

func printKinds(c *cobra.Command, args []string) error {
	if len(args) == 0 {
		return list(c, toKindJSON, openapi.Events(), nil)
	}
	e, _ := openapi.Of(event.Kind(args[0]))
	if wantsJSON(c) {
		return printJSON(c, toKindJSON(e))
	}
	out := c.OutOrStdout()
	fmt.Fprintf(out, "%s: %s\n\n%s\n", e.Kind, e.Summary, e.When)
	if e.Kind.Retried() {
		fmt.Fprintln(out, "A delivery that fails is tried 10 times within a day.")
	} else {
		fmt.Fprintln(out, "It is sent once, and not again if the delivery fails.")
	}
	fmt.Fprintf(out, "\nSample:\n%s\n\nJSON Schema:\n%s\n", pretty(e.Sample), pretty(e.Schema))
	return nil
}

// pretty indents JSON.
func pretty(text []byte) string {
	var out bytes.Buffer
	if err := json.Indent(&out, text, "", "  "); err != nil {
		return string(text)
	}
	return out.String()
}
