package cmd

import (
	"bytes"
	"encoding/json"
	"fmt"
	"net/http"

	"github.com/spf13/cobra"

	"svc/db"
	"svc/db/event"
	"svc/server"
	"svc/server/openapi"
	"svc/server/webhook"
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
	return group("events", "Events of a shop, as webhooks receive them", newKinds(), newTrigger(), newListen())
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
		fmt.Fprintln(out, "A delivery that fails is tried 10 times in about three days.")
	} else {
		fmt.Fprintln(out, "It is sent once, and not again if the delivery fails.")
	}
	fmt.Fprintf(out, "\nSample:\n%s\n\nJSON Schema:\n%s\n", pretty(e.Sample), pretty(e.Schema))
	return nil
}

type triggeredJSON struct {
	ID       string     `json:"id"`
	Kind     event.Kind `json:"kind"`
	Sequence int64      `json:"sequence"`
	TestMode bool       `json:"test_mode"`
	Queued   int        `json:"queued"` // webhooks
}

func newTrigger() *cobra.Command {
	var test bool
	c := command("trigger KIND [--account EMAIL]", "Store a sample event in an account's log, as if it had happened now, and send it to its webhooks", oneKind(true),
		withOwner(func(c *cobra.Command, app *server.App, owner db.Account, args []string) error {
			e, queued, err := app.Webhooks.Trigger(c.Context(), owner.ID, args[0], test)
			if err != nil {
				return err
			}
			result := triggeredJSON{ID: e.ID, Kind: e.Kind, Sequence: e.Sequence, TestMode: e.TestMode, Queued: queued}
			return show(c, result, "%s: %s, queued for %s", e.ID, string(e.Kind), counted(queued, "webhook"))
		}))
	c.ValidArgsFunction = completeKind
	c.Flags().BoolVar(&test, "test", true, "mark it as made up (test_mode); --test=false sends it like a real event")
	return accountFlag(c)
}

type listeningJSON struct {
	Secret    string `json:"secret,omitempty"` // signs what is forwarded until the command ends
	ForwardTo string `json:"forward_to,omitempty"`
}

type heardJSON struct {
	Time       string          `json:"time"`
	Kind       event.Kind      `json:"kind"`
	ID         string          `json:"id"`
	Status     int             `json:"status,omitempty"` // of the answer
	DurationMs int64           `json:"duration_ms,omitempty"`
	Error      string          `json:"error,omitempty"` // why there was no answer
	Event      json.RawMessage `json:"event"`
}

func toHeardJSON(h webhook.Heard) heardJSON {
	return heardJSON{
		Time: stamp(h.CreatedAt), Kind: h.Kind, ID: h.ID,
		Status: h.Answer.Code, DurationMs: h.Answer.Duration.Milliseconds(), Error: h.Answer.Problem, Event: h.Body,
	}
}

// line returns the event and what came of it, in columns.
func (h heardJSON) line() string {
	line := fmt.Sprintf("%s  %-23s  %s", h.Time, h.Kind, h.ID)
	switch {
	case h.Error != "":
		line += fmt.Sprintf("  %s  %d ms", h.Error, h.DurationMs)
	case h.Status != 0:
		line += fmt.Sprintf("  %d %s  %d ms", h.Status, http.StatusText(h.Status), h.DurationMs)
	}
	return oneLine(line)
}

func newListen() *cobra.Command {
	var kinds []string
	c := command("listen [--account EMAIL] [--forward-to URL]", "Print an account's events as they happen, and post them to an address of this machine", exactly(),
		func(c *cobra.Command, _ []string) error {
			// The address is the user's own, so it may lead to this machine and its network.
			config := server.Config{WebhookAllow: []string{"loopback", "private"}}
			return openOwner(c, config, func(app *server.App, owner db.Account) error {
				l, err := app.Webhooks.Listen(c.Context(), owner.ID, flag(c, "forward-to"), kinds)
				if err != nil {
					return err
				}
				return listen(c, l)
			})
		})
	c.Long = c.Short + `.

Each event is posted once, signed with a secret that is printed first and ends with the
command (Ctrl-C). No webhook is needed, and nothing is tried again. It works while svc serve runs
on the same file, or another command such as svc events trigger makes the event.`
	c.Flags().String("forward-to", "", "where to post, like http://127.0.0.1:3000/events (default: only print)")
	c.Flags().StringSliceVar(&kinds, "events", nil, "kinds, with commas between (default: all)")
	return accountFlag(c)
}

func listen(c *cobra.Command, l *webhook.Listener) error {
	started := listeningJSON{ForwardTo: l.ForwardTo}
	text := "Listening; --forward-to would post the events. Ctrl-C ends it."
	if l.ForwardTo != "" {
		started.Secret = l.Secret
		text = "Forwarding to " + l.ForwardTo + ". Ctrl-C ends it.\nUntil then the signing secret is " + l.Secret
	}
	if err := printListened(c, started, text); err != nil {
		return err
	}
	return l.Run(c.Context(), func(h webhook.Heard) error {
		heard := toHeardJSON(h)
		return printListened(c, heard, heard.line())
	})
}

// printListened prints a result as JSON with --json, otherwise as its text.
func printListened(c *cobra.Command, result any, text string) error {
	if wantsJSON(c) {
		return printJSON(c, result)
	}
	_, err := fmt.Fprintln(c.OutOrStdout(), text)
	return err
}

// pretty indents JSON.
func pretty(text []byte) string {
	var out bytes.Buffer
	if err := json.Indent(&out, text, "", "  "); err != nil {
		return string(text)
	}
	return out.String()
}
