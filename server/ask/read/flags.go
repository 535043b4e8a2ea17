package read

import (
	"cmp"
	"slices"
	"strings"

	"svc/server/ask/link"
	"svc/server/schema"
)

// hasWord reports whether a heading has one of some words.
func hasWord(heading string, words ...string) bool {
	return slices.ContainsFunc(strings.Fields(strings.ToLower(link.Spaced(heading))), func(w string) bool { return slices.Contains(words, w) })
}

// flagWord returns the heading of a column of yes or no without signs: paid of Paid? (Y/N).
func flagWord(c schema.Column) string {
	heading, _, _ := strings.Cut(strings.ToLower(cmp.Or(c.Named, c.Heading)), "(")
	heading = strings.Trim(heading, "? ")
	for _, document := range []string{"inv ", "invoice ", "bill ", "order "} {
		if word, ok := strings.CutPrefix(heading, document); ok && word == "paid" {
			return word
		}
	}
	return heading
}

// isFlag reports whether a column is yes or no.
func isFlag(c schema.Column) bool {
	switch c.Type {
	case schema.Truth:
		return true
	case schema.Number:
		return c.Scale == 0 && c.Distinct <= 2 && c.Role == schema.None && c.Unit == schema.Plain
	}
	return c.Type == schema.Text && yesOf(c) != ""
}

// yesOf returns the value of a column of yes or no that means yes, or "".
func yesOf(c schema.Column) string {
	if c.Type != schema.Text {
		return "1"
	}
	if len(c.Values) == 0 || len(c.Values) > 2 {
		return ""
	}
	yes := ""
	for _, v := range c.Values {
		switch strings.ToLower(v) {
		case "yes", "y", "true", "t":
			yes = v
		case "no", "n", "false", "f":
		default:
			return ""
		}
	}
	return yes
}

// names reports whether the heading of a column has a word.
func (x *lexicon) names(word string) bool {
	return slices.ContainsFunc(x.source.Columns, func(c schema.Column) bool { return hasWord(c.Heading, word) })
}
