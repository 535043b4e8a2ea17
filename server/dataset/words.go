package dataset

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"svc/server/fault"
	"svc/server/header"
	"svc/server/schema"
)

const (
	// maxWords bounds the taught words of a dataset.
	maxWords = 500
	// longestWord and longestPhrase bound a taught word, in characters and in words.
	longestWord   = 60
	longestPhrase = 8
)

// Teach makes a word mean a target in questions over one of the account's datasets, by its
// id or name; an empty id is the one that ask reads. The target is a metric, a heading, or
// a value of a column of text; "Heading: value" names the column of a value. A word that
// is known gets the new target. The error is a *fault.Error if the word or the target
// cannot be, and db.ErrNotFound if there is no such dataset.
func (s *Service) Teach(ctx context.Context, accountID, id, text, target string) (word schema.Word, source schema.Source, err error) {
	if text, err = wordText(text); err != nil {
		return schema.Word{}, schema.Source{}, err
	}
	source, err = s.change(ctx, accountID, id, func(source schema.Source) (schema.Source, error) {
		if word, err = s.wordFor(source, text, strings.TrimSpace(target)); err != nil {
			return schema.Source{}, err
		}
		source.Words = slices.Clone(source.Words)
		if at := findWord(source, text); at >= 0 {
			source.Words[at] = word
			return source, nil
		}
		if len(source.Words) == maxWords {
			return schema.Source{}, refusal(fault.Conflict, "%s has %d words already, the most that a dataset keeps; remove one first", source.Name, maxWords)
		}
		source.Words = append(source.Words, word)
		return source, nil
	})
	return word, source, err
}

// Forget removes a taught word from one of the account's datasets.
func (s *Service) Forget(ctx context.Context, accountID, id, text string) (word schema.Word, source schema.Source, err error) {
	source, err = s.change(ctx, accountID, id, func(source schema.Source) (schema.Source, error) {
		at := findWord(source, singleSpaced(text))
		if at < 0 {
			return schema.Source{}, refusal(fault.NotFound, "%s has no taught word %q", source.Name, text)
		}
		word = source.Words[at]
		source.Words = slices.Delete(slices.Clone(source.Words), at, at+1)
		return source, nil
	})
	return word, source, err
}

func singleSpaced(text string) string { return strings.Join(strings.Fields(text), " ") }

func wordText(text string) (string, error) {
	text = singleSpaced(text)
	switch {
	case !strings.ContainsFunc(text, unicode.IsLetter):
		return "", fault.Invalid("word", "must have a letter")
	case utf8.RuneCountInString(text) > longestWord:
		return "", fault.Invalid("word", fmt.Sprintf("must have at most %d characters", longestWord))
	case len(strings.Fields(text)) > longestPhrase:
		return "", fault.Invalid("word", fmt.Sprintf("must have at most %d words", longestPhrase))
	case strings.Map(printable, text) != text:
		return "", fault.Invalid("word", "must be one line of text")
	}
	return text, nil
}

func findWord(source schema.Source, text string) int {
	return slices.IndexFunc(source.Words, func(w schema.Word) bool { return strings.EqualFold(w.Text, text) })
}

// wordFor returns the word with what its target names: a metric before a heading before a
// value.
func (s *Service) wordFor(source schema.Source, text, target string) (schema.Word, error) {
	metric := strings.ToLower(strings.ReplaceAll(target, " ", "_"))
	if slices.Contains(s.metrics, metric) {
		return schema.Word{Text: text, Kind: schema.AMetric, Target: metric}, nil
	}
	if at := findColumn(source, target); at >= 0 {
		return schema.Word{Text: text, Kind: schema.AHeading, Target: source.Columns[at].Heading}, nil
	}
	places := findValues(source, target)
	switch len(places) {
	case 0:
		return schema.Word{}, s.noTarget(source, target)
	case 1:
		places[0].Text = text
		return places[0], nil
	}
	first := places[0]
	return schema.Word{}, refusal(fault.Conflict, "%q is a value of %s columns, %q and %q; name the column: %q",
		target, severalText(len(places)), first.Heading, places[1].Heading, first.Heading+": "+first.Target)
}

func severalText(n int) string {
	if n == 2 {
		return "two"
	}
	return fmt.Sprint(n)
}

// findValues returns a word without text for each column that has the value, which may be
// written "Heading: value".
func findValues(source schema.Source, target string) (all []schema.Word) {
	for _, c := range source.Columns {
		if v, ok := valueOf(c, target); ok {
			all = append(all, schema.Word{Kind: schema.AValue, Target: v, Heading: c.Heading})
		}
	}
	if len(all) > 0 {
		return all
	}
	for _, c := range source.Columns {
		rest, ok := strings.CutPrefix(target, c.Heading+":")
		if v, has := valueOf(c, strings.TrimSpace(rest)); ok && has {
			return []schema.Word{{Kind: schema.AValue, Target: v, Heading: c.Heading}}
		}
	}
	return nil
}

// valueOf returns the value of a column that is equal to a text, else one that differs in
// spelling only.
func valueOf(c schema.Column, text string) (string, bool) {
	if slices.Contains(c.Values, text) {
		return text, true
	}
	folded := header.Fold(text)
	i := slices.IndexFunc(c.Values, func(v string) bool { return folded != "" && header.Fold(v) == folded })
	if i < 0 {
		return "", false
	}
	return c.Values[i], true
}

func (s *Service) noTarget(source schema.Source, target string) error {
	const most = 12
	var headings []string
	for _, c := range source.Columns[:min(len(source.Columns), most)] {
		headings = append(headings, c.Heading)
	}
	rest := ""
	if n := len(source.Columns) - most; n > 0 {
		rest = fmt.Sprintf(" and %d more", n)
	}
	return refusal(fault.NotFound, "%s has no %q: a word means a figure (%s), a heading (%s%s), or a value of a column",
		source.Name, target, strings.Join(s.metrics, ", "), strings.Join(headings, ", "), rest)
}

// isThere reports whether the target of a word is in a source.
func isThere(source schema.Source, w schema.Word) bool {
	column := w.Target
	if w.Kind == schema.AValue {
		column = w.Heading
	}
	at := slices.IndexFunc(source.Columns, func(c schema.Column) bool { return c.Heading == column })
	return w.Kind == schema.AMetric || at >= 0 && (w.Kind == schema.AHeading || slices.Contains(source.Columns[at].Values, w.Target))
}

// keepWords gives a source the words that were taught before its rows changed. One whose
// target is gone is kept, since a later file may bring it back, and is a warning.
func keepWords(source *schema.Source, words []schema.Word, report *Report) {
	source.Words = words
	for _, w := range words {
		if !isThere(*source, w) {
			report.Warnings = append(report.Warnings, place{}.warning(w.Text, fmt.Sprintf("the taught word means %q, which is no longer there", w.Target)))
		}
	}
}
