package tell

import (
	"encoding/json"
	"fmt"
	"maps"
	"math/big"
	"slices"
	"strings"

	"svc/server/ask/plan"
	"svc/server/ask/read"
	"svc/server/money"
	"svc/server/schema"
)

// fact is a pair of a generic key's context (seed 2.4a), a number or a text, unchanged.
type fact struct {
	key    string // of the context
	title  string // in words
	words  map[string]bool
	number *big.Rat
	unit   schema.Unit
	text   string // if it is not a number
}

// Bounds of what is read of a context.
const (
	maxFacts    = 200
	maxFactText = 300
	maxSpelling = 24 // characters of a number beyond maxFigure
)

// maxFigure bounds the numbers that are read as figures. It is more than any shop has.
var maxFigure = big.NewRat(1_000_000_000_000_000, 1)

func isFigure(n *big.Rat) bool { return new(big.Rat).Abs(n).Cmp(maxFigure) <= 0 }

// knownKeys are the keys of seed 2.4a, with the words that shops use for them.
var knownKeys = map[string]struct {
	unit  schema.Unit
	words string
}{
	"revenue":      {schema.Money, "revenue sales turnover takings sell sold made income"},
	"margin":       {schema.Percent, "margin profitability gross"},
	"top_products": {schema.Plain, "top best product products seller sellers selling item items popular"},
	"sector":       {schema.Plain, "sector industry"},
	"region":       {schema.Plain, "region area country where"},
	"biz_type":     {schema.Plain, "business type kind"},
	"currency":     {schema.Plain, "currency"},
}

// beyondFacts are words that ask for more than a single given figure: a time, a cause, a
// comparison, a breakdown, a forecast.
var beyondFacts = stems(strings.Fields(`why will next forecast predict last yesterday today week month quarter year daily weekly monthly yearly ago since
	compare compared than versus vs against growth grow drop fall fell rise rose increase decrease change changed up down
	average per by each worst lowest least share percentage if many customers orders units stock`))

// stems returns the set of the words' stems.
func stems(words []string) map[string]bool {
	set := map[string]bool{}
	for _, w := range words {
		set[read.Stem(w)] = true
	}
	return set
}

// within drops facts that lack the question's qualifier (period, comparison, average): no
// answer is better than one to another question (H5).
func within(question string, found []fact) []fact {
	many := read.Stem("many")
	for _, w := range read.Words(question) {
		if w = read.Stem(w); beyondFacts[w] {
			found = slices.DeleteFunc(found, func(f fact) bool {
				return !f.words[w] && (w != many || knownKeys[f.key].words != "")
			})
		}
	}
	return found
}

// Context answers from the pairs that a caller sent with the question, which are all the
// data of a generic key. Their texts are shown and steer nothing (H7). Confidence is
// medium at most, since the figures were not computed (H4).
func Context(question string, pairs map[string]any, o Options) Answer {
	v := &verbalizer{Options: o, currency: o.Currency}
	if code, ok := pairs["currency"].(string); ok && len(code) == 3 {
		v.currency = code
	} else if symbol, ok := pairs["symbol"].(string); ok && v.currency == "" {
		v.currency = money.OfSign(symbol)
	}
	facts := factsOf(pairs)
	var found []fact
	for _, f := range facts {
		if f.asked(question) {
			found = append(found, f)
		}
	}
	found = within(question, append(found, profit(question, facts)...))
	if len(found) == 0 {
		return noFact(facts)
	}
	a := newAnswer("")
	a.Confidence = Medium
	var lines []string
	for _, f := range found {
		lines = append(lines, fmt.Sprintf("%s: %s.", f.title, v.factText(f)))
		a.KPICards = append(a.KPICards, Card{f.title, v.factText(f)})
	}
	a.Answer = strings.Join(lines, " ") + " This is from the context of the question, not computed from rows."
	a.InsightHeader = ptr(strings.TrimSuffix(lines[0], "."))
	return a
}

// factsOf returns the numbers, texts and lists of texts among the pairs, sorted by key.
func factsOf(pairs map[string]any) []fact {
	keys := slices.Sorted(maps.Keys(pairs))
	var out []fact
	for _, k := range keys[:min(len(keys), maxFacts)] {
		known, title := knownKeys[k], pretty(k)
		f := fact{key: k, title: plan.Capitalized(plainText(title)), words: stems(strings.Fields(known.words + " " + strings.ToLower(title))), unit: known.unit}
		if f.parseValue(pairs[k]) && k != "symbol" {
			out = append(out, f)
		}
	}
	return out
}

// parseValue sets the fact's value; false if the value has no simple form.
func (f *fact) parseValue(v any) bool {
	switch v := v.(type) {
	case float64:
		f.parseNumber(fmt.Sprint(v))
	case json.Number:
		f.parseNumber(v.String())
	case string:
		f.text = plainText(v)
	case []any:
		var names []string
		for _, item := range v {
			if s, ok := item.(string); ok && len(names) < 10 {
				names = append(names, plainText(s))
			}
		}
		f.text = joined(names)
	}
	return f.number != nil || f.text != ""
}

// parseNumber reads a number. One beyond maxFigure stays a text in the caller's spelling,
// like 1e300, since its digits would fill the answer; nothing is computed from it. A long
// spelling is passed over.
func (f *fact) parseNumber(spelling string) {
	n, ok := new(big.Rat).SetString(spelling)
	switch {
	case ok && isFigure(n):
		f.number = n
	case ok && len(spelling) <= maxSpelling:
		f.text = spelling
	}
}

// plainText returns a caller's text on one line, without markup, and cut to maxFactText.
func plainText(s string) string {
	s = strings.Map(func(r rune) rune {
		if r < ' ' || r == 0x7f || r == '<' || r == '>' || r == '`' {
			return -1
		}
		return r
	}, s)
	if r := []rune(s); len(r) > maxFactText {
		s = string(r[:maxFactText]) + "…"
	}
	return strings.TrimSpace(s)
}

func (v *verbalizer) factText(f fact) string {
	if f.number != nil {
		return v.show(f.number, f.unit)
	}
	return f.text
}

// asked reports whether a question names the fact: by one of the words for a known key, or
// by all words of another key.
func (f fact) asked(question string) bool {
	said := stems(read.Words(question))
	if f.key == "top_products" && (said["worst"] || said["least"] || said["lowest"] || said["slowest"] || said["bottom"]) {
		return false // the best are not the worst
	}
	_, isKnown := knownKeys[f.key]
	hits := 0
	for w := range f.words {
		if said[w] {
			hits++
		}
	}
	return isKnown && hits > 0 && f.key != "biz_type" && f.key != "region" || hits == len(f.words) && hits > 0
}

// profit returns the one figure that known pairs imply, margin of revenue, if it is asked
// for.
func profit(question string, facts []fact) []fact {
	words := read.Words(question)
	asks := slices.Contains(words, "profit") && !slices.Contains(words, "net") && !slices.Contains(words, "operating")
	i := slices.IndexFunc(facts, func(f fact) bool { return f.key == "revenue" && f.number != nil })
	j := slices.IndexFunc(facts, func(f fact) bool { return f.key == "margin" && f.number != nil })
	if !asks || i < 0 || j < 0 {
		return nil
	}
	n := new(big.Rat).Mul(facts[i].number, facts[j].number)
	if n.Quo(n, big.NewRat(100, 1)); !isFigure(n) {
		return nil
	}
	return []fact{{title: "Gross profit", number: n, unit: schema.Money}}
}

// noFact returns the answer that the context does not say it, with what the context has.
func noFact(facts []fact) Answer {
	if len(facts) == 0 {
		return newAnswer("There is no data to answer this from: no context was sent with the question.")
	}
	var titles []string
	for _, f := range facts[:min(len(facts), 10)] {
		titles = append(titles, strings.ToLower(f.title))
	}
	return newAnswer(fmt.Sprintf("The context of the question does not say this. It holds %s.", joined(titles)))
}
