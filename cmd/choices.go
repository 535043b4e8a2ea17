package cmd

import (
	"fmt"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"svc/db"
	"svc/server/carrier"
	"svc/server/dataset"
	"svc/server/money"
)

// choices are the values of the flags that take one of a few, by the name of the flag,
// which means the same in every command. The words of an argument are in Use.
var choices = map[string][]string{
	"plan":      texts(db.Plans),
	"env":       texts(db.Envs),
	"mode":      texts(db.Modes),
	"biz-type":  db.BizTypes,
	"currency":  money.Codes(),
	"dates":     {dataset.DayFirst, dataset.MonthFirst},
	"signup":    {"open", "closed"},
	"messaging": carrier.Names(),
	"log":       {"text", "json"},
	"log-level": {"debug", "info", "warn", "error"},
}

// texts converts the values of a named string type.
func texts[T ~string](all []T) []string {
	return mapAll(all, func(one T) string { return string(one) })
}

// checkChoices refuses a flag or an argument with a value outside its few. No value is
// one if it is the default.
func checkChoices(c *cobra.Command, args []string) (err error) {
	c.Flags().VisitAll(func(f *pflag.Flag) {
		if values := choices[f.Name]; err == nil && values != nil && f.Value.String()+f.DefValue != "" {
			err = checkChoice("--"+f.Name, f.Value.String(), values)
		}
	})
	for i, word := range argumentsOf(c) {
		if values := wordsOf(word); err == nil && values != nil && i < len(args) {
			_, name, _ := strings.Cut(c.CommandPath(), " ") // an error begins with svc
			err = checkChoice(name, args[i], values)
		}
	}
	return err
}

// wordsOf returns the values of an argument like free|growth|business, nil of another.
func wordsOf(argument string) []string {
	if !strings.Contains(argument, "|") || argument != strings.ToLower(argument) {
		return nil
	}
	return strings.Split(argument, "|")
}

// longChoice is the number of values that a sentence does not list.
const longChoice = 10

// checkChoice refuses a value that is not in a short list. From a long list it refuses only a
// value that looks misspelt: the caller words the other errors, and may ignore case.
func checkChoice(name, value string, values []string) error {
	meant := nearest(strings.ToLower(value), values)
	for _, one := range values {
		if one == value {
			return nil
		}
	}
	switch {
	case len(values) <= longChoice:
		return usageError{fmt.Errorf("%s: must be %s, not %q%s", name, oneOf(values), value, didYouMean(meant))}
	case meant != "" && !strings.EqualFold(meant, value):
		return usageError{fmt.Errorf("%s: there is no %q%s", name, value, didYouMean(meant))}
	}
	return nil
}

// oneOf lists values like "text or json".
func oneOf(values []string) string {
	last := len(values) - 1
	if last < 1 {
		return strings.Join(values, "")
	}
	return strings.Join(values[:last], ", ") + " or " + values[last]
}

// argumentsOf returns the words of a command's usage that name arguments, like EMAIL
// or free|growth|business.
func argumentsOf(c *cobra.Command) (all []string) {
	words := strings.Fields(strings.NewReplacer("[", "", "]", "").Replace(c.Use))
	for i := 1; i < len(words); i++ {
		if strings.HasPrefix(words[i], "--") {
			i++ // the flag's value
			continue
		}
		all = append(all, words[i])
	}
	return all
}
