package cmd

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"svc/server/editdistance"
)

// unknownCommand is the wrong usage of a group with a word that is not one of its commands.
func unknownCommand(c *cobra.Command, word string) error {
	c.SuggestionsMinimumDistance = 2 // SuggestionsFor needs it; it is the most that differs
	return usageError{fmt.Errorf("unknown command %q for %q%s", word, c.CommandPath(), didYouMean(c.SuggestionsFor(word)...))}
}

// wrongFlag words an error in a command's flags.
func wrongFlag(c *cobra.Command, err error) error {
	var invalid *pflag.InvalidValueError
	if errors.As(err, &invalid) {
		return usageError{fmt.Errorf("--%s: %w", invalid.GetFlag().Name, wrongValue(invalid))}
	}
	var unknown *pflag.NotExistError
	if !errors.As(err, &unknown) {
		return usageError{err}
	}
	if letters := unknown.GetSpecifiedShortnames(); letters != "" && '0' <= letters[0] && letters[0] <= '9' {
		return usageError{fmt.Errorf(`a number below zero stands at the end, after "--": %s … -- -%s`, c.CommandPath(), letters)}
	}
	names := []string{databaseWord}
	c.Flags().VisitAll(func(f *pflag.Flag) { names = append(names, f.Name) })
	meant := nearest(unknown.GetSpecifiedName(), names)
	if meant == databaseWord {
		meant = "db"
	}
	if meant != "" {
		meant = "--" + meant
	}
	return usageError{fmt.Errorf("%w%s", err, didYouMean(meant))}
}

// wrongValue words an error in the value of a flag or of its variable.
func wrongValue(err error) error {
	var invalid *pflag.InvalidValueError
	if !errors.As(err, &invalid) {
		return err
	}
	form := map[string]string{"int": "a whole number", "duration": "a duration, like 30s or 24h", "bool": "true or false"}[invalid.GetFlag().Value.Type()]
	if form == "" {
		return err
	}
	return fmt.Errorf("must be %s, not %q", form, invalid.GetValue())
}

// databaseWord is what some call --db.
const databaseWord = "database"

// didYouMean returns the end of a sentence that suggests words, "" if there are none but
// empty ones.
func didYouMean(words ...string) string {
	if words = slices.DeleteFunc(words, func(w string) bool { return w == "" }); len(words) == 0 {
		return ""
	}
	return "; did you mean " + strings.Join(words, " or ") + "?"
}

// nearest returns the name that a misspelt one most likely means: the only one that
// it begins, or the one with the fewest typing mistakes, at most 2, or 1 in a short
// word. A variable of three letters may have no mistake, since it is close to others by
// chance. It returns "" if no name, or more than one, is nearest.
func nearest(word string, names []string) (best string) {
	limit := 2
	switch letters := utf8.RuneCountInString(strings.TrimPrefix(word, "SVC_")); {
	case letters < 4 && strings.HasPrefix(word, "SVC_"):
		limit = 0
	case letters < 5:
		limit = 1
	}
	least := limit + 1
	var begun []string
	for _, name := range names {
		switch mistakes := editdistance.Runes(word, name, limit); {
		case mistakes < least:
			best, least = name, mistakes
		case mistakes == least:
			best = ""
		}
		if strings.HasPrefix(name, word) {
			begun = append(begun, name)
		}
	}
	if best == "" && len(begun) == 1 {
		best = begun[0]
	}
	return best
}
