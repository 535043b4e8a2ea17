package cmd

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"svc/db"
	"svc/server"
	"svc/server/schema"
)

func newDataWords() *cobra.Command {
	var remove bool
	c := &cobra.Command{
		Use:   "words [--account EMAIL] [NAME] [WORD = TARGET]",
		Short: "Teach ask a word of the shop, or show or remove the taught words of a dataset",
		Long: "Teach ask a word of the shop: what it means in questions over the dataset NAME, or over the one that ask reads.\n" +
			"TARGET is a figure such as revenue, units or profit; the heading of a column; or a value of a column, written\n" +
			"\"Heading: value\" if several columns have it. Without a word the taught words are shown.",
		RunE: func(c *cobra.Command, args []string) error {
			w, err := parseWords(c, args, remove)
			if err != nil {
				return err
			}
			return openOwner(c, server.Config{}, func(app *server.App, owner db.Account) error { return runWords(c, app, owner, w) })
		},
	}
	c.Flags().BoolVar(&remove, "remove", false, "remove the word")
	return accountFlag(c)
}

// wordsCall is what a call of "data words" asks for. Without a word the words are shown,
// and without a target the word is removed.
type wordsCall struct{ dataset, word, target string }

// parseWords reads "[NAME] WORD = TARGET", with or without spaces around the sign, and
// with remove "[NAME] WORD".
func parseWords(c *cobra.Command, args []string, remove bool) (w wordsCall, err error) {
	wrong := usageError{fmt.Errorf("usage: %s, or %s --remove [NAME] WORD", c.UseLine(), c.CommandPath())}
	at := slices.IndexFunc(args, func(arg string) bool { return strings.Contains(arg, "=") })
	if at >= 0 && !remove {
		left, right, _ := strings.Cut(args[at], "=")
		before, after := args[:at:at], args[at+1:]
		if strings.TrimSpace(left) != "" {
			before = append(before, left)
		}
		if strings.TrimSpace(right) != "" {
			after = append([]string{right}, after...)
		}
		if len(before) == 0 || len(after) != 1 {
			return w, wrong
		}
		w.target = strings.TrimSpace(after[0])
		args = before
	}
	if hasWord := remove || at >= 0; hasWord {
		if len(args) == 0 {
			return w, wrong
		}
		w.word, args = strings.TrimSpace(args[len(args)-1]), args[:len(args)-1]
	}
	if len(args) > 1 {
		return w, wrong
	}
	w.dataset = strings.Join(args, "")
	return w, nil
}

func runWords(c *cobra.Command, app *server.App, owner db.Account, call wordsCall) (err error) {
	var word schema.Word
	var source schema.Source
	switch {
	case call.word == "":
		source, err = app.Datasets.Find(c.Context(), owner.ID, call.dataset)
	case call.target == "":
		word, source, err = app.Datasets.Forget(c.Context(), owner.ID, call.dataset, call.word)
	default:
		word, source, err = app.Datasets.Teach(c.Context(), owner.ID, call.dataset, call.word, call.target)
	}
	switch {
	case errors.Is(err, db.ErrNotFound):
		return noDataset(owner, call.dataset)
	case err != nil:
		return err
	case call.word == "":
		return table(c, toWordsJSON(source))
	case call.target == "":
		return show(c, toWordJSON(word), "%s: %s means nothing any more", source.Name, word.Text)
	}
	return show(c, toWordJSON(word), "%s: %s", source.Name, wordSentence(word))
}

type wordJSON struct {
	Word    string `json:"word"`
	Kind    string `json:"kind"` // metric, heading or value
	Target  string `json:"target"`
	Heading string `json:"heading,omitempty"` // of a value: its column's
}

func toWordJSON(w schema.Word) wordJSON {
	return wordJSON{Word: w.Text, Kind: string(w.Kind), Target: w.Target, Heading: w.Heading}
}

func toWordsJSON(s schema.Source) []wordJSON {
	return append([]wordJSON{}, mapAll(s.Words, toWordJSON)...)
}

func (wordJSON) header() string { return "WORD MEANS KIND HEADING" }

func (w wordJSON) cells() []any { return []any{w.Word, w.Target, w.Kind, orDash(w.Heading)} }

// wordSentence says what a taught word means.
func wordSentence(w schema.Word) string {
	switch w.Kind {
	case schema.AHeading:
		return fmt.Sprintf("%s means the column %q", w.Text, w.Target)
	case schema.AValue:
		return fmt.Sprintf("%s means %q of the column %q", w.Text, w.Target, w.Heading)
	}
	return fmt.Sprintf("%s means %s", w.Text, strings.ReplaceAll(w.Target, "_", " "))
}
