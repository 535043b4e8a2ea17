package link

import (
	"context"
	"slices"
	"strings"
	"unicode"

	"svc/server/ask/english"
	"svc/server/ask/plan"
	"svc/server/schema"
)

// Lexicon has the words of one source: its headings and its values. It is safe for
// concurrent use.
type Lexicon struct {
	source   schema.Source
	roles    map[schema.Role]*schema.Column
	headings map[string][]*schema.Column // by key
	values   map[string][]place          // by key
}

// place is a value of a column.
type place struct {
	column *schema.Column
	value  int
}

// New returns the lexicon of a source.
func New(s schema.Source) *Lexicon {
	x := &Lexicon{source: s, roles: map[schema.Role]*schema.Column{}, headings: map[string][]*schema.Column{}, values: map[string][]place{}}
	for i := range x.source.Columns {
		c := &x.source.Columns[i]
		if c.Role != schema.None {
			x.roles[c.Role] = c
		}
		for _, k := range headingKeys(c.Heading) {
			x.headings[k] = append(x.headings[k], c)
		}
		for j, v := range c.Values {
			k := textKey(v)
			x.values[k] = append(x.values[k], place{c, j})
		}
	}
	return x
}

// headingKeys returns the keys of a heading: whole, and without the unit in parentheses.
func headingKeys(heading string) []string {
	spaced := Spaced(heading)
	keys := []string{textKey(spaced)}
	if before, _, ok := strings.Cut(spaced, "("); ok {
		keys = append(keys, textKey(before))
	}
	return slices.DeleteFunc(slices.Compact(keys), func(k string) bool { return k == "" })
}

// Source returns the source that the lexicon was made from. The columns of mentions point
// into it.
func (x *Lexicon) Source() *schema.Source { return &x.source }

// Spaced separates the words of a heading: UnitsInStock, unit_price, Amount(USD).
func Spaced(heading string) string {
	var b strings.Builder
	runes := []rune(heading)
	for i, r := range runes {
		if i > 0 && unicode.IsUpper(r) && (unicode.IsLower(runes[i-1]) || unicode.IsUpper(runes[i-1]) && i+1 < len(runes) && unicode.IsLower(runes[i+1])) {
			b.WriteByte(' ')
		}
		if r == '_' || r == '.' || r == '-' || r == '/' {
			r = ' '
		}
		b.WriteRune(r)
	}
	return b.String()
}

// articles are words that phrases are looked up without.
var articles = map[string]bool{"the": true, "our": true, "my": true, "your": true, "their": true, "a": true, "an": true}

// textKey returns the key of a heading, a value or a phrase.
func textKey(text string) string {
	k, _ := key(Tokenize(text))
	return k
}

// key returns the form in which a span is looked up: lemmas without articles and possessive
// endings. It reports false if the span begins or ends with a word that the key leaves out.
func key(span []Token) (string, bool) {
	var words []string
	ok := true
	for i, t := range span {
		if t.Text == possessive || len(span) > 1 && articles[t.Text] && !(i == len(span)-1 && len(t.Text) == 1) {
			ok = ok && i > 0 && i < len(span)-1
			continue
		}
		words = append(words, t.Lemma)
	}
	return strings.Join(words, " "), ok
}

// Mentions returns all meanings of all spans of the tokens, ordered by From, To and falling
// Quality. It returns the error of ctx when that is done.
func (x *Lexicon) Mentions(ctx context.Context, tokens []Token) ([]Mention, error) {
	var out []Mention
	for from := range tokens {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		for to := from + 1; to <= min(len(tokens), from+maxSpan); to++ {
			out = append(out, x.span(tokens, from, to)...)
		}
	}
	out = append(out, numbers(tokens)...)
	out = append(out, unknowns(tokens, out)...)
	slices.SortStableFunc(out, compare)
	return out, nil
}

func compare(a, b Mention) int {
	switch {
	case a.From != b.From:
		return a.From - b.From
	case a.To != b.To:
		return a.To - b.To
	case a.Quality > b.Quality:
		return -1
	case a.Quality < b.Quality:
		return 1
	}
	return 0
}

// span returns the exact meanings of one span.
func (x *Lexicon) span(tokens []Token, from, to int) []Mention {
	span := tokens[from:to]
	k, ok := key(span)
	if !ok || k == "" {
		return nil
	}
	var out []Mention
	text := textOf(span)
	add := func(m Mention) {
		m.From, m.To, m.Text, m.How, m.Quality = from, to, text, Exact, 1
		out = append(out, m)
	}
	for _, s := range shared().senses[k] {
		m := s.mention
		if m.Kind == Number && to == from+1 {
			continue // numbers finds it, with what follows
		}
		if m.Kind == Dim {
			m.Column = x.roles[m.Role]
		}
		add(m)
	}
	for _, c := range x.headings[k] {
		add(Mention{Kind: Column, Column: c})
		if metric, ok := plan.MetricOf(c.Role); ok {
			add(Mention{Kind: Metric, Metric: metric, Column: c})
		}
	}
	for _, p := range x.values[k] {
		if i := slices.IndexFunc(out, func(m Mention) bool { return m.Kind == Value && m.Column == p.column }); i >= 0 {
			out[i].Values = append(out[i].Values, p.column.Values[p.value])
			continue
		}
		add(Mention{Kind: Value, Column: p.column, Values: []string{p.column.Values[p.value]}})
	}
	return out
}

func textOf(span []Token) string {
	words := make([]string, len(span))
	for i, t := range span {
		words[i] = t.Text
	}
	return strings.Join(words, " ")
}

// unknowns returns the words that no mention covers.
func unknowns(tokens []Token, found []Mention) []Mention {
	covered := make([]bool, len(tokens))
	for _, m := range found {
		for i := m.From; i < m.To; i++ {
			covered[i] = true
		}
	}
	var out []Mention
	for i, t := range tokens {
		if t.Text == possessive {
			out = append(out, Mention{From: i, To: i + 1, Kind: Filler, How: Exact, Quality: 1, Text: t.Text})
		} else if !covered[i] {
			out = append(out, Mention{From: i, To: i + 1, Kind: Unknown, How: Exact, Text: t.Text, Senses: english.SensesOf(t.Text)})
		}
	}
	return out
}
